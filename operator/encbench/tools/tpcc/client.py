"""The client of a workload, and the paths in its pod."""

from typing import Literal

from encbench.api.tpcc import Tpcc
from encbench.core.certificates import FOLDER

Kind = Literal["own", "5", "6"]
"""encbench's own client, or BenchmarkSQL of that version."""

CREDENTIALS = "/etc/encbench/credentials"
"""Mount point of `username` and `password`."""
SCRATCH = "/tmp"  # noqa: S108 - an emptyDir in memory: the props file holds the password
RESULTS = f"{SCRATCH}/encbench/results"
"""BenchmarkSQL 6's result folder."""
CA_FILE = f"{FOLDER}/cacert.pem"
"""The CA's certificate, if the mode has TLS."""


def kind_of(tpcc: Tpcc) -> Kind:
    """The client that drives this workload."""
    if tpcc.benchmarksql is None:
        return "own"
    return "6" if tpcc.dialect == 6 else "5"

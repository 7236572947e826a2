"""The recorder's settings, from its environment; `encbench.tools.pod` writes them."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from encbench.wire import environment as names
from encbench.wire.sidecar import TOKEN


class RecorderConfig(NamedTuple):
    """Paths, limits, and what the operator knows about the tool."""

    tool: str
    process: str
    """Name of its process, which may differ from the tool's."""
    prefix: str
    """Where this client's artefacts lie in the bucket."""
    store: str
    """URL of the bucket. The recorder uploads to no other place, whoever asks."""
    store_authority: str | None
    """PEM of the store's CA, where not everyone trusts its certificate; a release may renew it."""
    warmup: float
    """Seconds of load before the window; 0 is none."""
    cpu_limit: float
    memory_limit: int
    folder: Path
    """The folder shared with the wrapper."""
    credentials: Path
    """The folder with token and certificate."""
    token: str
    port: int
    """The port of metrics."""
    control_port: int
    """The port of everything else."""
    grace: float
    """Seconds after SIGTERM for storing the results so far."""
    linger: float
    """Seconds for which a stored run still answers; the first answer ends them."""
    termination_log: Path


def from_environment(values: Mapping[str, str]) -> RecorderConfig:
    """KeyError or ValueError for an environment that the operator did not write."""
    credentials = Path(values[names.CREDENTIALS])
    index = values.get("JOB_COMPLETION_INDEX", "0")
    return RecorderConfig(
        tool=values[names.TOOL],
        process=values[names.PROCESS],
        prefix=f"{values[names.PREFIX]}/client-{index}",
        store=values[names.STORE],
        store_authority=values.get(names.STORE_AUTHORITY),
        warmup=float(values[names.WARMUP]),
        cpu_limit=float(values[names.CPU_LIMIT]),
        memory_limit=int(values[names.MEMORY_LIMIT]),
        folder=Path(values[names.RUN_DIR]),
        credentials=credentials,
        token=(credentials / TOKEN).read_text().strip(),
        port=int(values[names.PORT]),
        control_port=int(values[names.CONTROL_PORT]),
        grace=float(values[names.GRACE]),
        linger=float(values.get(names.LINGER, "10")),
        termination_log=Path(values.get(names.TERMINATION_LOG, "/dev/termination-log")),
    )

"""encbench's own TPC-C client on this machine, compiled from images/tpcc, and a database for it.

The client runs by the very commands and props that the operator gives to a pod; only places differ.
"""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from encbench.api.encryptionmode import InTransit
from encbench.api.workload import WorkloadSpec
from encbench.core.connection import DATABASE, Connection
from encbench.sidecars import truststore
from encbench.tools.pod import wrapped
from encbench.tools.tpcc import jdbc, props
from encbench.tools.tpcc.jobs import CLIENT
from encbench.tools.tpcc.props import CA_FILE
from tests.support import java
from tests.support.chart import REPO
from tests.support.once import Dataset
from tests.support.workloads import tpcc_spec

SOURCES = REPO / "images" / "tpcc"
CLIENT_SH = REPO / "operator/encbench/tools/tpcc/client.sh"


@cache
def home() -> Path:
    """A folder with the program `tpcc`, compiled unless it is in the cache."""
    return java.built("tpcc", SOURCES, java.sources(SOURCES), _compile)


def _compile(copy: Path, made: Path) -> None:
    java.maven(copy, "-DskipTests", "package")
    shutil.copytree(copy / "tpcc/target/lib", made / "lib")
    shutil.copy2(copy / "tpcc.sh", made / "tpcc")
    (made / "tpcc").chmod(0o755)


def loaded(warehouses: int) -> Dataset:
    """The dataset of that many warehouses, as the load Job makes it."""

    def load(server: Any) -> None:
        with tempfile.TemporaryDirectory(prefix="encbench-load-") as folder:
            done = Bench(server, Path(folder)).load(warehouses)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr

    return Dataset(f"{warehouses} warehouses of TPC-C", load)


@dataclass(frozen=True)
class Bench:
    """A server of any engine as our client sees it. `folder` is for its files."""

    server: Any
    folder: Path
    tls: InTransit | None = None

    @property
    def connection(self) -> Connection:
        """To the server, on loopback."""
        engine = self.server.engine
        return Connection(
            driver="pgsql" if engine == "postgresql" else "mysql",
            host="127.0.0.1",
            port=self.server.layout.port,
            database=DATABASE,
            engine=engine,
            tls=self.tls,
        )

    def environment(self, written: props.Props) -> dict[str, str]:
        """What the tool's container has, with places of this machine."""
        credentials = self.folder / "credentials"
        credentials.mkdir(exist_ok=True)
        for name in ("username", "password"):
            (credentials / name).write_text(self.server.credentials[name])
        authority, store = self.folder / "cacert.pem", self.folder / "trust.p12"
        authority.write_text(self.server.credentials["ca.crt"])
        places = {CA_FILE: str(authority), jdbc.TRUST_STORE: str(store)}
        text = props.text(written)
        for there, here in places.items():
            text = text.replace(there, here)
        values = {
            "PATH": f"{home()}:{os.environ['PATH']}",
            "ENCBENCH_PROPS": text,
            "ENCBENCH_CREDENTIALS": str(credentials),
            "ENCBENCH_SCRATCH": str(self.folder / "scratch"),
        }
        if jdbc.wants_trust_store(self.connection, None):
            truststore.make(authority, store, jdbc.TRUST_STORE_PASSWORD)
        return values

    def load(self, warehouses: int = 1) -> "subprocess.CompletedProcess[str]":
        """Load the dataset as the load Job does."""
        tpcc = tpcc_spec({"warehouses": warehouses}).tpcc
        assert tpcc is not None
        return self._client("load", props.load_props(tpcc, self.connection, 2, 21))

    def check(self) -> "subprocess.CompletedProcess[str]":
        """Ask the client whether the tables are consistent."""
        tpcc = tpcc_spec({"warehouses": 1}).tpcc
        assert tpcc is not None
        return self._client("check", props.load_props(tpcc, self.connection, 2, 21))

    def attempt(self, spec: WorkloadSpec) -> "subprocess.CompletedProcess[str]":
        """Run that workload without wrapper and recorder, one terminal, as far as it gets."""
        assert spec.tpcc is not None
        written = props.run_props(spec.tpcc, spec.load, self.connection, 2)
        (own,) = self.arguments(spec, 1)
        return self._client("run", written, *own.split())

    def _client(
        self, action: str, written: props.Props, *own: str
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", str(CLIENT_SH), "own", action, *own],
            env={**os.environ, **self.environment(written)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def command(self, limit: int = 60) -> list[str]:
        """The tool container's command for a run."""
        return wrapped(limit, ["sh", "-c", CLIENT, "client.sh", "own", "run"])

    def run_environment(self, spec: WorkloadSpec) -> dict[str, str]:
        """What tool and recorder have for a run of this workload."""
        assert spec.tpcc is not None
        written = props.run_props(spec.tpcc, spec.load, self.connection, 2)
        return {
            **self.environment(written),
            "ENCBENCH_TOOL": "tpcc",
            "ENCBENCH_PROCESS": "java",
            "ENCBENCH_MEMORY_LIMIT": str(512 * 2**20),
        }

    def arguments(self, spec: WorkloadSpec, terminals: int, replicas: int = 1) -> list[str]:
        """Each replica's own arguments."""
        assert spec.tpcc is not None
        own = props.replica_props(spec.tpcc, terminals, 7, replicas)
        return [" ".join(f"{name}={value}" for name, value in some.items()) for some in own]

    def under(self, tls: InTransit | None) -> "Bench":
        """The same with another idea of TLS."""
        return replace(self, tls=tls)

    def count(self, table: str, condition: str = "") -> int:
        """Rows of a table."""
        schema = "" if self.server.engine == "postgresql" else f"{DATABASE}."
        where = f" WHERE {condition}" if condition else ""
        query = f"SELECT COUNT(*) FROM {schema}bmsql_{table}{where}"  # noqa: S608
        ((found,),) = self.server.admin(query)
        return int(found)

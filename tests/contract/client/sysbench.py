"""The real sysbench against a real MariaDB, by the operator's own command lines."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from encbench.api.encryptionmode import InTransit
from encbench.core.certificates import FOLDER
from encbench.core.connection import DATABASE, Connection
from encbench.core.records import ClientFacts
from encbench.engines.facts import facts
from encbench.proofs.clients import sessions
from encbench.tools.pod import wrapped
from encbench.tools.sysbench import command, jobs
from encbench.tools.sysbench.command import OPTIONS_FILE
from encbench.tools.sysbench.parser import parse
from tests.support.certified import write_client_files
from tests.support.mariadb import MariaDB
from tests.support.postgres import Postgres
from tests.support.testbeds import TLS, TLS12
from tests.support.workloads import workload_spec

SHORT: dict[str, Any] = {"warmup": "0s", "duration": "1s"}
SESSION = Path(command.__file__).with_name(command.SESSION_SCRIPT)
TABLES, ROWS = 2, 2000
RATE = 100
"""Transactions a second that a client asks for at most."""
VERSIONS = [
    pytest.param(TLS, id="TLSv1.3"),
    pytest.param(TLS12, id="TLSv1.2", marks=pytest.mark.full),
]
"""TLS modes as parameters; `make test` takes the first."""


class Bench:
    """A database with a dataset, and the folder with what its clients are given."""

    def __init__(self, server: MariaDB | Postgres, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.connection = Connection(
            driver=facts(server.spec.instance.engine).driver,
            host="127.0.0.1",
            port=server.layout.port,
            database=DATABASE,
            tls=server.spec.mode.in_transit,
        )
        (folder / OPTIONS_FILE).write_text(server.credentials[OPTIONS_FILE])
        write_client_files(folder, server.credentials)

    def load(self, script: str = "oltp_read_write", threads: int = 2) -> tuple[int, str]:
        """Load the dataset as the load Job does: exit code and, if it failed, what it said."""
        spec = workload_spec({"script": script, "tables": TABLES, "tableSize": ROWS})
        words = command.load_command(spec.sysbench_test, self.connection, threads, str(self.folder))
        script = jobs.loader(self.connection, threads, str(self.folder))
        done = subprocess.run(
            ["sh", "-c", script.replace(command.SESSION, str(SESSION.parent)), "load.sh", *words],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=self.folder,
        )
        return done.returncode, done.stdout if done.returncode else ""

    def tool(self, script: str = "oltp_read_write", limit: int = 30, **load: Any) -> list[str]:
        """The tool container's command for a short run that leaves other tests room."""
        return wrapped(limit, [*self.words(script, **load), f"--rate={RATE}"])

    def words(
        self, script: str = "oltp_read_write", tables: int = TABLES, **load: Any
    ) -> list[str]:
        """The tool's own command line, with the container's environment and working directory."""
        sysbench: dict[str, Any] = {"tables": tables, "tableSize": ROWS}
        if os.sep in script:
            sysbench["scriptConfigMapRef"] = {"name": "scripts", "key": Path(script).name}
        else:
            sysbench["script"] = script
        spec = workload_spec(sysbench, {"warmup": "1s", "duration": "3s", **load})
        words = command.run_command(spec, self.connection, str(self.folder))
        values = {
            **command.environment(self.connection),
            "ENCBENCH_SCRIPT": command.script_argument(spec.sysbench_test),
        }
        places = {
            f"{FOLDER}/{command.AUTHORITY}": str(self.folder / command.AUTHORITY),
            f"{command.SESSION}/{command.SESSION_SCRIPT}": str(SESSION),
            f"{command.SCRIPTS}/{Path(script).name}": script,
        }
        made = [f"{name}={places.get(value, value)}" for name, value in values.items()]
        own = [places.get(word, word) for word in words]
        return ["env", f"--chdir={self.folder}", *made, *own]

    def run(self, script: str = "oltp_read_write", **load: Any) -> tuple[int, str]:
        """One client without wrapper and recorder: exit code and output."""
        return self.finish([*self.words(script, **load), "--threads=2"])

    def finish(self, words: list[str]) -> tuple[int, str]:
        """Run that command line: exit code and output."""
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout

    def told(self, tls: InTransit | None) -> "Bench":
        """The same server with clients that are told to negotiate that."""
        other = Bench(self.server, self.folder)
        other.connection = replace(self.connection, tls=tls)
        return other

    def proves(self, output: str) -> bool:
        """Whether the operator takes this output as a proof of the server's mode."""
        client = ClientFacts(sessions=parse(output).sessions)
        return sessions(self.server.spec.mode, [client]).ok

    def counter(self, name: str) -> int:
        """One of the server's own counters."""
        (row,) = self.server.admin(f"SHOW GLOBAL STATUS LIKE '{name}'")
        return int(row[1])


def refused(code: int, output: str, why: str) -> bool:
    """Whether a run ended with that reason before it began."""
    return code != 0 and "FATAL" in output and why in output

"""The real sysbench against a real MariaDB, by the operator's own command lines."""

import os
import subprocess
from pathlib import Path
from typing import Any

from encbench.tools.pod import wrapped
from encbench.tools.sysbench import command
from tests.support.mariadb import MariaDB
from tests.support.workloads import workload_spec

LOADER = Path(command.__file__).with_name("load.sh")
TABLES, ROWS = 2, 2000


class Bench:
    """A database with a dataset."""

    def __init__(self, server: MariaDB, credentials: Path) -> None:
        self.server, self._credentials = server, credentials

    def load(self, script: str = "oltp_read_write", threads: int = 2) -> tuple[int, str]:
        """Load the dataset as the load Job does: exit code and, if it failed, what it said."""
        sysbench = workload_spec({"script": script, "tables": TABLES, "tableSize": ROWS}).sysbench
        words = command.load_command(sysbench, "127.0.0.1", threads, str(self._credentials))
        done = subprocess.run(
            ["sh", str(LOADER), *self._local(words)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout if done.returncode else ""

    def tool(self, script: str = "oltp_read_write", limit: int = 30, **load: Any) -> list[str]:
        """The tool container's command for a short run."""
        sysbench: dict[str, Any] = {"tables": TABLES, "tableSize": ROWS}
        if os.sep in script:
            sysbench["scriptConfigMapRef"] = {"name": "scripts", "key": Path(script).name}
        else:
            sysbench["script"] = script
        spec = workload_spec(sysbench, {"warmup": "1s", "duration": "3s", **load})
        words = command.run_command(spec, "127.0.0.1", str(self._credentials))
        own = [word.replace(f"{command.SCRIPTS}/{Path(script).name}", script) for word in words]
        return wrapped(limit, self._local(own))

    def _local(self, words: list[str]) -> list[str]:
        """The command line with the test server's port."""
        port = f"--mysql-port={self.server.layout.port}"
        return [port if word.startswith("--mysql-port=") else word for word in words]

    def counter(self, name: str) -> int:
        """One of the server's own counters."""
        (row,) = self.server.admin(f"SHOW GLOBAL STATUS LIKE '{name}'")
        return int(row[1])

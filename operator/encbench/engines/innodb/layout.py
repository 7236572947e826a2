"""Where the files of MariaDB and MySQL are."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from encbench.engines.facts import facts
from encbench.engines.layout import ServerLayout

KEY_FILE = "keyfile"


@dataclass(frozen=True, kw_only=True)
class InnodbLayout(ServerLayout):
    """Paths as the server's container sees them."""

    server: str
    """The stem of its socket's and pid file's names."""
    keys: str = "/etc/encbench/keys"
    port: int = facts("mysql").port

    @property
    def temporary(self) -> str:
        """Temporary files, on the measured volume because sorting is part of the workload."""
        return str(PurePosixPath(self.volume, "tmp"))

    @property
    def socket(self) -> str:
        """The unix socket, on the volume because server and agent share it."""
        return f"{self.volume}/{self.server}.sock"

    @property
    def pid_file(self) -> str:
        """The file with the server's process ID."""
        return f"{self.volume}/{self.server}.pid"

    @property
    def key_file(self) -> str:
        """The key file. Only MariaDB takes one."""
        return f"{self.keys}/{KEY_FILE}"

    @property
    def server_cnf(self) -> str:
        """The one option file."""
        return f"{self.config}/server.cnf"

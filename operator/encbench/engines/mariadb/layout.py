"""Where MariaDB's files lie: in the pod by default, elsewhere in tests with the real server."""

from dataclasses import dataclass
from pathlib import PurePosixPath

PORT = 3306
DATABASE = "sbtest"
KEY_FILE = "keyfile"


@dataclass(frozen=True)
class Layout:
    """Paths as the server's container sees them."""

    volume: str = "/var/lib/encbench"
    config: str = "/etc/encbench/server"
    credentials: str = "/etc/encbench/credentials"
    keys: str = "/etc/encbench/keys"
    port: int = PORT

    @property
    def data(self) -> str:
        """The data directory, a folder of the volume so that files beside it are not databases."""
        return f"{self.volume}/data"

    @property
    def temporary(self) -> str:
        """Temporary files lie on the measured volume: sorting on disk is part of the workload."""
        return str(PurePosixPath(self.volume, "tmp"))

    @property
    def socket(self) -> str:
        """The unix socket, on the volume because that is what server and agent share."""
        return f"{self.volume}/mariadb.sock"

    @property
    def pid_file(self) -> str:
        """The file with the server's process number."""
        return f"{self.volume}/mariadb.pid"

    @property
    def key_file(self) -> str:
        """The key file of file_key_management."""
        return f"{self.keys}/{KEY_FILE}"

    @property
    def server_cnf(self) -> str:
        """The one option file."""
        return f"{self.config}/server.cnf"

    @property
    def initialise(self) -> str:
        """The script that makes the data directory."""
        return f"{self.config}/initialise.sh"

    @property
    def init_sql(self) -> str:
        """Statements that the server runs at each start."""
        return f"{self.credentials}/init.sql"


POD = Layout()
"""The layout of the database pod."""

"""Where the server's files lie: in the pod by default, elsewhere in tests with the real server."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from encbench.core.certificates import FOLDER
from encbench.engines.facts import facts
from encbench.engines.layout import CONFIG, CREDENTIALS, VOLUME

KEY_FILE = "keyfile"


@dataclass(frozen=True, kw_only=True)
class InnodbLayout:
    """Paths as the server's container sees them."""

    server: str
    """The engine's name, in the names of its socket and pid file."""
    volume: str = VOLUME
    config: str = CONFIG
    credentials: str = CREDENTIALS
    keys: str = "/etc/encbench/keys"
    tls: str = FOLDER
    port: int = facts("mysql").port

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
        return f"{self.volume}/{self.server}.sock"

    @property
    def pid_file(self) -> str:
        """The file with the server's process number."""
        return f"{self.volume}/{self.server}.pid"

    @property
    def key_file(self) -> str:
        """The key file, for an engine that is given one."""
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

"""Where a server's files lie: in the pod by default, elsewhere in tests with the real server."""

from dataclasses import dataclass

from encbench.core.certificates import FOLDER
from encbench.engines.layout import CONFIG, CREDENTIALS, VOLUME


@dataclass(frozen=True, kw_only=True)
class ServerLayout:
    """Paths as the server's container sees them."""

    volume: str = VOLUME
    config: str = CONFIG
    credentials: str = CREDENTIALS
    tls: str = FOLDER
    port: int

    @property
    def data(self) -> str:
        """The data directory: a folder of the volume, which holds other files as well."""
        return f"{self.volume}/data"

    @property
    def initialise(self) -> str:
        """The script that makes the data directory."""
        return f"{self.config}/initialise.sh"

    @property
    def init_sql(self) -> str:
        """The statements that make users and the database."""
        return f"{self.credentials}/init.sql"

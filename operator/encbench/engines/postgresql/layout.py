"""Where PostgreSQL's files lie: in the pod by default, elsewhere in tests with the real server."""

from dataclasses import dataclass

from encbench.core.certificates import FOLDER
from encbench.engines.facts import facts
from encbench.engines.layout import CONFIG, CREDENTIALS, VOLUME

PASSWD = "passwd"  # noqa: S105 the name of a file


@dataclass(frozen=True, kw_only=True)
class PostgresqlLayout:
    """Paths as the server's container sees them."""

    volume: str = VOLUME
    config: str = CONFIG
    credentials: str = CREDENTIALS
    tls: str = FOLDER
    port: int = facts("postgresql").port

    @property
    def data(self) -> str:
        """The data directory. Temporary files lie in it: sorting on disk is part of the workload.

        A folder of the volume, for the server wants one that nobody else may read.
        """
        return f"{self.volume}/data"

    @property
    def socket(self) -> str:
        """The unix socket, on the volume because that is what server and agent share."""
        return f"{self.volume}/.s.PGSQL.{self.port}"

    @property
    def server_conf(self) -> str:
        """The one file of settings, beside `postgresql.auto.conf` in the data directory."""
        return f"{self.config}/postgresql.conf"

    @property
    def host_rules(self) -> str:
        """Who may connect, and how."""
        return f"{self.config}/pg_hba.conf"

    @property
    def openssl_conf(self) -> str:
        """What the server has no setting for."""
        return f"{self.config}/openssl.cnf"

    @property
    def initialise(self) -> str:
        """The script that makes the data directory."""
        return f"{self.config}/initialise.sh"

    @property
    def start(self) -> str:
        """The script that starts the server."""
        return f"{self.config}/start.sh"

    @property
    def init_sql(self) -> str:
        """Statements that run once, in the new data directory."""
        return f"{self.credentials}/init.sql"


POD = PostgresqlLayout()
"""The layout of the database pod."""

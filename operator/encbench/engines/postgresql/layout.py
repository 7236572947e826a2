"""Where PostgreSQL's files are; temporary files are in the data directory, on the volume."""

from dataclasses import dataclass

from encbench.engines.facts import facts
from encbench.engines.layout import ServerLayout

PASSWD = "passwd"  # noqa: S105 the name of a file


@dataclass(frozen=True, kw_only=True)
class PostgresqlLayout(ServerLayout):
    """Paths as the server's container sees them."""

    port: int = facts("postgresql").port

    @property
    def socket(self) -> str:
        """The unix socket, on the volume because server and agent share it."""
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
        """OpenSSL options that the server has no setting for."""
        return f"{self.config}/openssl.cnf"

    @property
    def start(self) -> str:
        """The script that starts the server."""
        return f"{self.config}/start.sh"


POD = PostgresqlLayout()
"""The layout of the database pod."""

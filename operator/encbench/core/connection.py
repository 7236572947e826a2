"""How a client reaches the database that it drives, whatever the tool.

The agent imports this module through the engines' statements: at run time the standard library
only.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from encbench.api.columns import JdbcDriver
    from encbench.api.encryptionmode import InTransit

Driver = Literal["mysql", "pgsql"]
"""The server's protocol, under sysbench's name."""

DATABASE = "sbtest"
"""Name of the benchmark's database in every engine that the operator runs."""

SCHEMAS: dict[Driver, str] = {"mysql": DATABASE, "pgsql": "public"}
"""Where its tables are: what stands in front of their names."""


@dataclass(frozen=True)
class SecretEntry:
    """One entry of a Secret in the testbed's namespace."""

    secret: str
    entry: str


@dataclass(frozen=True)
class EnclaveClient:
    """What a client of encrypted column types has to know, beside the key."""

    columns: tuple[str, ...]
    """The encrypted columns of every table."""
    index: str
    """The operator class of indexes, as a mode names it."""


@dataclass(frozen=True)
class Connection:
    """One database as its clients see it. The credentials Secret has their login."""

    driver: Driver
    host: str
    port: int
    database: str
    engine: str = ""
    """The engine's name, for clients whose library differs where the protocol does not (JDBC)."""
    tls: "InTransit | None" = None
    """What to negotiate. None: the client must not encrypt, and must turn TLS off where its library
    would negotiate it by default (libpq)."""
    jdbc: "JdbcDriver | None" = None
    """The mode's own driver, for tools that use JDBC; None: the engine's."""
    mek: SecretEntry | None = None
    """The key for such a driver, or for encrypted types."""
    columns: bool = False
    """Whether it goes through the proxy that encrypts columns, or may."""
    outside: bool = False
    """Whether it is an external database, whose CA is not the campaign's."""
    enclave: EnclaveClient | None = None
    """Set where columns have encrypted types, of the load's connection too."""

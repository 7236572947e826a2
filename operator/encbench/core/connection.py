"""How a client reaches the database that it drives, whichever tool it is.

The agent imports this module by way of the engines' statements, so at run time it needs nothing but
the standard library.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from encbench.api.columns import JdbcDriver
    from encbench.api.encryptionmode import InTransit

Driver = Literal["mysql", "pgsql"]
"""The protocol that the server speaks, by the name that sysbench gives it."""

DATABASE = "sbtest"
"""Name of the benchmark's database in every engine that the operator runs."""


@dataclass(frozen=True)
class SecretEntry:
    """One entry of a Secret in the testbed's namespace."""

    secret: str
    entry: str


@dataclass(frozen=True)
class Connection:
    """One database as its clients see it. Who they are is in the credentials Secret."""

    driver: Driver
    host: str
    port: int
    database: str
    engine: str = ""
    """The engine's name, for clients whose library differs where the protocol does not (JDBC)."""
    tls: "InTransit | None" = None
    """What is to be negotiated. None: the client must not encrypt, and must say so itself where its
    library would (libpq negotiates TLS unless it is told not to)."""
    jdbc: "JdbcDriver | None" = None
    """The mode's own driver, for tools that use JDBC; None: the engine's."""
    mek: SecretEntry | None = None
    """The key that such a driver is given."""
    columns: bool = False
    """Whether it leads through the proxy that encrypts columns, or may."""

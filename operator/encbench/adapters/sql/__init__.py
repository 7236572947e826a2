"""SQL over a unix socket: the agent's one session, with bounded waits.

The agent imports this package at a twentieth of a core, so nothing here pulls in the API's models,
and a driver is imported when it is needed.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from encbench.core.connection import Driver

Row = Sequence[Any]


class SqlError(Exception):
    """The server is away, too slow, or refused the statement. The text says which."""


class StatementRefused(SqlError):
    """The server answered that it does not do the statement. Only PostgreSQL's sessions raise it.

    A statement that the server cancelled, or whose session it ended, is none that it refused.
    """


def refusal(reason: object) -> SqlError:
    """The error for what a driver said."""
    return SqlError(f"the database server did not do what was asked: {reason}")


class Session(Protocol):
    """One session with autocommit, for one thread at a time. An error closes it."""

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """Run a statement with `%s` for each argument; its rows, none where it gives none.

        Without arguments the text is sent as it is, `%` included. SqlError closes the session;
        StatementRefused is one of them.
        """

    def close(self) -> None:
        """Leave; the server rolls back and unlocks. Harmless when it is closed already."""


def connect(
    driver: Driver,
    socket: Path,
    user: str,
    password: str,
    *,
    connect_timeout: float = 3.0,
    statement_timeout: float = 30.0,
) -> Session:
    """Open a session with a server that speaks this. Timeouts are in seconds. SqlError."""
    return _opener(driver)(socket, user, password, connect_timeout, statement_timeout)


def prepare(driver: Driver) -> None:
    """Import what a session needs, so that the first one does not wait for it."""
    _opener(driver)


def _opener(driver: Driver) -> Callable[[Path, str, str, float, float], Session]:
    if driver == "mysql":
        from encbench.adapters.sql import mysql  # noqa: PLC0415 see the module's docstring

        return mysql.connect
    from encbench.adapters.sql import postgresql  # noqa: PLC0415 see the module's docstring

    return postgresql.connect

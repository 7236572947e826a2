"""What a session is, whatever the driver."""

from collections.abc import Sequence
from typing import Any, Protocol

Row = Sequence[Any]


class SqlError(Exception):
    """The server is away, too slow, or refused the statement. The text says which."""


def refusal(reason: object) -> SqlError:
    """The error for what a driver said."""
    return SqlError(f"the database server did not do what was asked: {reason}")


class Session(Protocol):
    """One session with autocommit, for one thread at a time. An error closes it."""

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """Run a statement with `%s` for each argument; its rows, none where it gives none.

        Without arguments the text is sent as it is, `%` included. SqlError closes the session.
        """

    def close(self) -> None:
        """Leave; the server rolls back and unlocks. Harmless when it is closed already."""

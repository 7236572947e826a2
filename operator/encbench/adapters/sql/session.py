"""What a session is, whatever the driver."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

Row = Sequence[Any]


class SqlError(Exception):
    """The server is away, too slow, or refused the statement. The text says which."""


def refusal(reason: object) -> SqlError:
    """The error for what a driver said."""
    return SqlError(f"the database server did not do what was asked: {reason}")


class Session(Protocol):
    """One session. Not for two threads at once; after an error it is closed and of no more use."""

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """Run a statement with `%s` for each argument; its rows, none where it gives none.

        Without arguments the text is taken as it is, `%` included.
        """

    def close(self) -> None:
        """Leave; the server rolls back and unlocks. Harmless when it is closed already."""


class Connect(Protocol):
    """Opens a session with autocommit. Timeouts are in seconds. SqlError when it cannot be had."""

    def __call__(
        self,
        socket: Path,
        user: str,
        password: str,
        *,
        connect_timeout: float = ...,
        statement_timeout: float = ...,
    ) -> Session:
        """See the class."""

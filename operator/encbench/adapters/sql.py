"""SQL over a unix socket: one session with bounded waits, for the agent.

The agent imports this module at a twentieth of a core, so nothing here pulls in the API's models,
and the driver itself is imported with the first session.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pymysql.connections import Connection

Row = Sequence[Any]


class SqlError(Exception):
    """The server is away, too slow, or refused the statement. The text says which."""


class Session:
    """One session. Not for two threads at once; after an error it is closed and of no more use."""

    def __init__(self, connection: "Connection[Any]") -> None:
        self._connection = connection

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """Run a statement; its rows, none where it gives none."""
        import pymysql  # noqa: PLC0415 see the module's docstring

        try:
            with self._connection.cursor() as cursor:
                cursor.execute(statement, tuple(arguments) or None)
                return list(cursor.fetchall())
        except (pymysql.MySQLError, OSError) as error:
            self.close()
            raise SqlError(_say(error)) from error

    def close(self) -> None:
        """Leave; the server rolls back and unlocks. Harmless when it is closed already."""
        if self._connection.open:
            self._connection.close()


def connect(
    socket: Path,
    user: str,
    password: str,
    *,
    connect_timeout: float = 3.0,
    statement_timeout: float = 30.0,
) -> Session:
    """Open a session with autocommit. Timeouts are in seconds. SqlError when it cannot be had."""
    import pymysql  # noqa: PLC0415 see the module's docstring

    try:
        return Session(
            pymysql.connect(
                unix_socket=str(socket),
                user=user,
                password=password,
                # A unix socket needs no TLS, and preparing for it costs 20 ms of CPU each time.
                ssl_disabled=True,
                charset="utf8mb4",
                autocommit=True,
                connect_timeout=connect_timeout,
                read_timeout=statement_timeout,
                write_timeout=statement_timeout,
            )
        )
    except (pymysql.MySQLError, OSError) as error:
        raise SqlError(_say(error)) from error


def _say(error: Exception) -> str:
    """The driver's message without its number where it gives both."""
    text = error.args[-1] if error.args else error
    return f"the database server did not do what was asked: {text}"

"""MySQL's protocol, by PyMySQL. The package imports this module when it is needed.

PyMySQL would import cryptography, which only a login over TCP without TLS uses. A session by the
socket does without it, and the agent starts a second sooner. Whoever logs in over TCP has imported
cryptography before, as the look at encrypted columns does.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from encbench.adapters.sql import Row, SqlError, refusal

UNUSED = "cryptography"
if UNUSED not in sys.modules:
    # To Python that is a module that is not installed.
    sys.modules[UNUSED] = None  # type: ignore[assignment]
try:
    import pymysql
    from pymysql.connections import Connection
finally:
    if sys.modules[UNUSED] is None:
        del sys.modules[UNUSED]

_MOST_SECONDS = 2**32 // 1000
"""MySQL keeps a statement's bound in 32 bits of milliseconds."""


class MySqlConnection:
    """What a session is made of: each error is translated, and closes it."""

    def __init__(self, connection: "Connection[Any]") -> None:
        self._connection = connection

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        try:
            with self._connection.cursor() as cursor:
                yield cursor
        except (pymysql.MySQLError, OSError) as error:
            self.close()
            raise _translated(error) from error

    def close(self) -> None:
        """See `Session`."""
        if self._connection.open:
            self._connection.close()


class MySqlSession(MySqlConnection):
    """A `Session`."""

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """See `Session`."""
        with self._cursor() as cursor:
            cursor.execute(statement, tuple(arguments) or None)
            return list(cursor.fetchall())


def connect(
    socket: Path, user: str, password: str, connect_timeout: float, statement_timeout: float
) -> MySqlSession:
    """See the package."""
    return MySqlSession(
        opened(
            user,
            password,
            connect_timeout,
            statement_timeout,
            _bound(statement_timeout),
            unix_socket=str(socket),
        )
    )


def opened(
    user: str,
    password: str,
    connect_timeout: float,
    statement_timeout: float,
    first: str,
    **options: Any,
) -> "Connection[Any]":
    """A connection as PyMySQL makes it, once the server has run that first statement. SqlError."""
    try:
        return pymysql.connect(
            user=user,
            password=password,
            # Within a pod it needs no TLS, and preparing for it costs 20 ms of CPU each time.
            ssl_disabled=True,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=connect_timeout,
            read_timeout=statement_timeout,
            write_timeout=statement_timeout,
            init_command=first,
            **options,
        )
    except (pymysql.MySQLError, OSError) as error:
        raise _translated(error) from error


def patience(seconds: float) -> str:
    """A statement by which the server waits for a table's lock no longer than its caller.

    By default it waits for a day (MariaDB) or a year, although the caller has gone, and a lock that
    it waits for keeps all who come later from writing to the table.
    """
    return f"SET SESSION lock_wait_timeout = {_whole(seconds)}"


def _bound(seconds: float) -> str:
    """The same with a bound of the statement itself, which the server would go on with.

    MariaDB runs `/*M!` and ignores `/*!50704`; MySQL does the opposite, and bounds queries alone.
    """
    whole = _whole(seconds)
    return (
        f"{patience(seconds)} /*M! , SESSION max_statement_time = {whole} */ "
        f"/*!50704 , SESSION max_execution_time = {1000 * whole} */"
    )


def _whole(seconds: float) -> int:
    return max(1, min(int(seconds), _MOST_SECONDS))


def _translated(error: Exception) -> SqlError:
    """The error with the driver's message, and without its number where there is one."""
    return refusal(error.args[-1] if error.args else error)

"""PostgreSQL's protocol, by pg8000. The package imports this module when it is needed.

pg8000 is plain Python without a C library of its own: it costs the agent 26 ms of CPU to import
and 2 ms a session.
"""

import socket as sockets
from collections.abc import Sequence
from pathlib import Path

import pg8000.dbapi

from encbench.adapters.sql import Row, SqlError, StatementRefused, refusal
from encbench.core.connection import DATABASE

INTERVENED = "57"
"""Class of the errors by which a server ends what it would have done: a statement that takes too
long, a session at its own stop."""
SEARCH_PATH = "pg_catalog"
"""Where names without a schema are looked up. The benchmark's user owns its database, and decides
by `ALTER DATABASE` in which schema other sessions look first; a session's own option outranks it.
What is not the server's own needs its schema in every statement, operators included."""
_MOST_MS = 2**31 - 1
"""The server keeps a timeout in 32 bits, and refuses the login with a longer one."""


class PostgresSession:
    """A `Session`."""

    def __init__(self, connection: pg8000.dbapi.Connection) -> None:
        self._connection: pg8000.dbapi.Connection | None = connection

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """See `Session`."""
        if self._connection is None:
            raise refusal("the session is closed")
        try:
            cursor = self._connection.cursor()
            cursor.execute(statement, tuple(arguments))
            return list(cursor.fetchall()) if cursor.description else []
        except (pg8000.dbapi.Error, OSError) as error:
            self.close()
            raise _translated(error) from error

    def close(self) -> None:
        """See `Session`."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            connection.close()
        except (pg8000.dbapi.Error, OSError):
            return  # The server has gone already, as intended.


def connect(
    socket: Path, user: str, password: str, connect_timeout: float, statement_timeout: float
) -> PostgresSession:
    """See the package. The session is in the benchmark's database, because it must be in one."""
    line = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    try:
        line.settimeout(connect_timeout)
        line.connect(str(socket))
        connection = pg8000.dbapi.connect(
            user,
            sock=line,
            database=DATABASE,
            password=password,
            # A unix socket needs no TLS; left out, the driver would ask for it.
            ssl_context=False,
            startup_params={
                "search_path": SEARCH_PATH,
                # A table whose owner gave it a policy is an error. The policy would choose the
                # rows, and its functions would run in this session.
                "row_security": "off",
                # The server gives up as well: an abandoned statement would go on working.
                "statement_timeout": str(min(int(statement_timeout * 1000), _MOST_MS)),
            },
        )
    except (pg8000.dbapi.Error, OSError) as error:
        line.close()
        raise _translated(error) from error
    line.settimeout(statement_timeout)
    connection.autocommit = True
    return PostgresSession(connection)


def _translated(error: Exception) -> SqlError:
    """The error with the server's message, or else with the cause of the driver's error."""
    said = error.args[0] if error.args else None
    if not isinstance(said, dict):
        return refusal(error.__cause__ or error)
    found = refusal(said["M"])
    return found if said["C"].startswith(INTERVENED) else StatementRefused(str(found))

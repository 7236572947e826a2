"""MySQL's protocol, by PyMySQL. The package imports this module with the first session."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymysql
from pymysql.connections import Connection

from encbench.adapters.sql.session import Row, SqlError, refusal


class MySqlSession:
    """A `Session`."""

    def __init__(self, connection: "Connection[Any]") -> None:
        self._connection = connection

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        """See `Session`."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(statement, tuple(arguments) or None)
                return list(cursor.fetchall())
        except (pymysql.MySQLError, OSError) as error:
            self.close()
            raise translated(error) from error

    def close(self) -> None:
        """See `Session`."""
        if self._connection.open:
            self._connection.close()


def connect(
    socket: Path, user: str, password: str, connect_timeout: float, statement_timeout: float
) -> MySqlSession:
    """See the package."""
    try:
        return MySqlSession(
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
        raise translated(error) from error


def translated(error: Exception) -> SqlError:
    """The error with the driver's message, and without its number where there is one."""
    return refusal(error.args[-1] if error.args else error)

"""Which of PostgreSQL's errors refuse a statement, and which only end it."""

from typing import Any

import pg8000.dbapi
import pytest

from encbench.adapters.sql import SqlError, StatementRefused
from encbench.adapters.sql.postgresql import PostgresSession


class Broken:
    """A connection of the driver's whose every statement fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def cursor(self) -> None:
        raise self.error

    def close(self) -> None: ...


def failed(error: Exception) -> SqlError:
    with pytest.raises(SqlError) as caught:
        PostgresSession(Broken(error)).rows("VACUUM")
    return caught.value


def said(code: str, message: str) -> Any:
    return pg8000.dbapi.DatabaseError({"S": "ERROR", "C": code, "M": message})


def test_what_the_server_does_not_do_is_refused() -> None:
    error = failed(said("XX000", "the key does not open a value"))
    assert isinstance(error, StatementRefused)
    assert str(error) == (
        "the database server did not do what was asked: the key does not open a value"
    )


@pytest.mark.parametrize(
    "error",
    [
        said("57014", "canceling statement due to statement timeout"),
        said("57P01", "terminating connection due to administrator command"),
        pg8000.dbapi.InterfaceError("network error"),
        TimeoutError("timed out"),
    ],
)
def test_what_takes_too_long_and_what_is_cut_off_is_not(error: Exception) -> None:
    assert not isinstance(failed(error), StatementRefused)

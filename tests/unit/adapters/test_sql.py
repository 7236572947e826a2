"""Which of PostgreSQL's errors refuse a statement, and which only end it; what bounds MySQL's."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pg8000.dbapi
import pymysql
import pytest

from encbench.adapters.sql import SqlError, StatementRefused, connect, raw
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


@pytest.fixture
def first(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first statement of each session of MySQL's protocol."""
    found: list[str] = []

    def made(init_command: str, **_: object) -> Any:
        found.append(init_command)
        return SimpleNamespace(open=False)

    monkeypatch.setattr(pymysql, "connect", made)
    return found


@pytest.mark.parametrize(("seconds", "whole"), [(30.0, 30), (0.4, 1), (17.9, 17), (1e9, 4_294_967)])
def test_a_server_of_mysql_s_family_gives_up_with_its_caller(
    first: list[str], seconds: float, whole: int
) -> None:
    connect("mysql", Path("socket"), "user", "password", statement_timeout=seconds)
    (said,) = first
    assert said.startswith(f"SET SESSION lock_wait_timeout = {whole} ")
    assert f"/*M! , SESSION max_statement_time = {whole} */" in said
    assert f"/*!50704 , SESSION max_execution_time = {whole}000 */" in said


def test_what_goes_through_the_proxy_has_only_its_wait_bounded(first: list[str]) -> None:
    raw.proxied(3307, "user", "password", login_port=3306)
    assert first == ["SET SESSION lock_wait_timeout = 20"] * 2

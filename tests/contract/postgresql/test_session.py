"""The driver behind `adapters.sql` against a real server: answers, refusals, bounded waits."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from encbench.adapters.sql import Session, SqlError, connect
from encbench.engines.users import AGENT_USER
from tests.support.postgres import Postgres

Open = Callable[[float], Session]


@pytest.fixture
def opened(plaintext_server: Postgres) -> Open:
    def session(statement_timeout: float) -> Session:
        return connect(
            "pgsql",
            Path(plaintext_server.layout.socket),
            AGENT_USER,
            plaintext_server.credentials["agent-password"],
            statement_timeout=statement_timeout,
        )

    return session


def test_statements_with_and_without_arguments_and_rows(opened: Open) -> None:
    session = opened(5)
    try:
        assert [list(row) for row in session.rows("SELECT 1, 'a%'")] == [[1, "a%"]]
        assert [list(row) for row in session.rows("SELECT %s || '!'", ("it's",))] == [["it's!"]]
        assert session.rows("SET work_mem = '1MB'") == []
        assert session.rows("SELECT 1 WHERE false") == []
    finally:
        session.close()
    session.close()
    with pytest.raises(SqlError, match="the session is closed"):
        session.rows("SELECT 1")


def test_a_refusal_says_what_the_server_said_and_ends_the_session(opened: Open) -> None:
    session = opened(5)
    with pytest.raises(SqlError, match='relation "nothing" does not exist'):
        session.rows("SELECT * FROM nothing")
    with pytest.raises(SqlError, match="closed"):
        session.rows("SELECT 1")


def test_a_statement_that_is_too_slow_ends_here_and_there(
    opened: Open, plaintext_server: Postgres
) -> None:
    session = opened(0.5)
    began = time.monotonic()
    with pytest.raises(SqlError):
        session.rows("SELECT pg_sleep(30)")
    assert time.monotonic() - began < 15
    running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(30%'"
    deadline = time.monotonic() + 10
    while plaintext_server.admin(running) != [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("password", ["wrong", ""])
def test_a_wrong_password_is_an_error(plaintext_server: Postgres, password: str) -> None:
    with pytest.raises(SqlError):
        connect("pgsql", Path(plaintext_server.layout.socket), AGENT_USER, password)


def test_no_server_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(SqlError, match="No such file"):
        connect("pgsql", tmp_path / "none", AGENT_USER, "password")


def test_a_server_that_ended_is_an_error(opened: Open, plaintext_server: Postgres) -> None:
    session = opened(5)
    plaintext_server.stop()
    try:
        with pytest.raises(SqlError):
            session.rows("SELECT 1")
        with pytest.raises(SqlError, match=r"refused|No such file"):
            opened(5)
    finally:
        plaintext_server.start()

"""The driver behind `adapters.sql` against real servers of MySQL's protocol: bounded waits."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from encbench.adapters.sql import Session, SqlError, connect, raw
from encbench.engines.users import AGENT_USER
from tests.support import mariadb, mysql
from tests.support.testbeds import PLAINTEXT

SERVERS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "mariadb": lambda: mariadb.running(PLAINTEXT),
    "mysql": lambda: mysql.running(PLAINTEXT),
}


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    with SERVERS[request.param]() as found:
        yield found


@pytest.fixture
def locked(server: Any) -> Iterator[str]:
    """A table of the benchmark's that a transaction has written to and does not end."""
    server.admin("CREATE TABLE sbtest.held (id INT PRIMARY KEY)")
    with server.session() as held, held.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("INSERT INTO sbtest.held VALUES (1)")
        yield "sbtest.held"
    server.admin("DROP TABLE sbtest.held")


def opened(server: Any, statement_timeout: float) -> Session:
    socket, password = Path(server.layout.socket), server.credentials["agent-password"]
    return connect("mysql", socket, AGENT_USER, password, statement_timeout=statement_timeout)


def of_agent(server: Any) -> list[Any]:
    return [row for row in server.admin("SHOW PROCESSLIST") if row[1] == AGENT_USER]


def await_none(server: Any, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while left := of_agent(server):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def test_who_waits_for_a_table_s_lock_is_gone_there_too(server: Any, locked: str) -> None:
    session = opened(server, 1.5)
    began = time.monotonic()
    with pytest.raises(SqlError):
        session.rows(f"FLUSH TABLES {locked} FOR EXPORT")
    assert time.monotonic() - began < 15
    await_none(server, 5)


def test_a_statement_that_is_too_slow_ends_here_and_there(server: Any) -> None:
    session = opened(server, 1.5)
    began = time.monotonic()
    slow = "SELECT COUNT(*) FROM information_schema.COLUMNS a, information_schema.COLUMNS b"
    with pytest.raises(SqlError):
        session.rows(f"{slow}, information_schema.COLUMNS c")
    assert time.monotonic() - began < 15
    await_none(server, 10)


def test_a_raw_session_waits_no_longer_than_its_caller(server: Any) -> None:
    socket, password = Path(server.layout.socket), server.credentials["agent-password"]
    session = raw.by_socket(socket, AGENT_USER, password)
    assert session.first("SELECT @@lock_wait_timeout").row == (b"20",)
    session.close()

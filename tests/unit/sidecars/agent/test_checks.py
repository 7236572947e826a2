"""Checks of the dataset: begun once, looked at often, bounded."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from encbench.adapters.sql import SqlError
from encbench.core.connection import Driver
from encbench.sidecars.agent.background import Busy
from encbench.sidecars.agent.checks import CheckRuns
from encbench.tools.tpcc import consistency
from encbench.wire import agent as wire


def wish(
    run: str, warehouses: int, loaded: bool, seconds: float, *, full: bool = False
) -> wire.ChecksRequest:
    return wire.ChecksRequest(
        run=run, warehouses=warehouses, loaded=loaded, full=full, seconds=seconds
    )


WISH = wish("trial-uid", 2, False, 60.0)


@dataclass
class Server:
    """A server as far as the checks see one."""

    broken: dict[str, list[Sequence[object]]] = field(default_factory=dict)
    """Rows by a part of the statement."""
    error: Exception | None = None
    go_on: threading.Event = field(default_factory=threading.Event)
    statements: list[str] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)
    open_sessions: int = 0

    def open(self, seconds: float) -> "Server":
        self.bounds.append(seconds)
        self.open_sessions += 1
        return self

    def rows(self, statement: str, _: Sequence[object] = ()) -> list[Sequence[object]]:
        self.go_on.wait(30)
        self.statements.append(statement)
        if self.error is not None:
            raise self.error
        return next((rows for part, rows in self.broken.items() if part in statement), [])

    def close(self) -> None:
        self.open_sessions -= 1


@pytest.fixture
def server() -> Server:
    found = Server()
    found.go_on.set()
    return found


def ended(ask: Callable[[], wire.ChecksAnswer]) -> Any:
    deadline = time.monotonic() + 30
    while (state := ask())["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return state


def test_every_query_is_asked_in_a_session_that_is_closed(server: Server) -> None:
    checks = CheckRuns(server.open, "pgsql")
    state = ended(lambda: checks.ask(WISH))
    assert state["state"] == "done"
    names = [query.name for query in consistency.conditions("")]
    assert [check["name"] for check in state["checks"]] == names
    assert all(check["rows"] == [] for check in state["checks"])
    assert server.open_sessions == 0
    assert len(server.statements) == len(names)
    assert all(statement.endswith(" LIMIT 3") for statement in server.statements)


@pytest.mark.parametrize(
    ("driver", "beginning"), [("pgsql", "WITH found AS MATERIALIZED (SELECT"), ("mysql", "SELECT")]
)
def test_postgresql_plans_a_query_for_all_of_its_rows(
    server: Server, driver: Driver, beginning: str
) -> None:
    """With the LIMIT in sight it chose nested loops, which did not end where a condition held."""
    checks = CheckRuns(server.open, driver)
    ended(lambda: checks.ask(WISH))
    asked = [statement for statement in server.statements if "bmsql" in statement]
    assert asked
    assert all(statement.startswith(beginning) for statement in asked)
    schema = "public" if driver == "pgsql" else "sbtest"
    assert all(
        statement.count("bmsql_") == statement.count(f"{schema}.bmsql_") for statement in asked
    )


def test_a_fresh_dataset_is_counted_as_well(server: Server) -> None:
    checks = CheckRuns(server.open, "pgsql")
    state = ended(lambda: checks.ask(wish("load", 2, True, 60.0)))
    names = [check["name"] for check in state["checks"]]
    assert names == [
        query.name for query in (*consistency.of_load("pgsql", 2), *consistency.conditions(""))
    ]
    assert any("bmsql_customer" in s and "<> 60000" in s for s in server.statements)
    assert any("bmsql_item" in s and "<> 100000" in s for s in server.statements)


def test_the_slow_conditions_are_asked_where_they_are_wanted(server: Server) -> None:
    checks = CheckRuns(server.open, "mysql")
    state = ended(lambda: checks.ask(wish("last", 2, False, 60.0, full=True)))
    names = [check["name"] for check in state["checks"]]
    assert names == [query.name for query in consistency.conditions("", full=True)]
    assert len(set(names)) == 14
    assert not any("@bmsql" in statement for statement in server.statements)


def test_rows_are_shown(server: Server) -> None:
    server.broken = {"d_next_o_id, o.newest": [(1, 3, 3001, 3007)]}
    checks = CheckRuns(server.open, "pgsql")
    state = ended(lambda: checks.ask(WISH))
    broken = [check for check in state["checks"] if check["rows"]]
    assert [(check["name"], check["rows"]) for check in broken] == [
        ("next-order", [["1", "3", "3001", "3007"]])
    ]


def test_the_same_run_is_begun_once(server: Server) -> None:
    server.go_on.clear()
    checks = CheckRuns(server.open, "pgsql")
    assert checks.ask(WISH)["state"] == "running"
    assert checks.ask(WISH)["state"] == "running"
    with pytest.raises(Busy, match="trial-uid"):
        checks.ask(wish("another", 2, False, 60.0))
    server.go_on.set()
    ended(lambda: checks.ask(WISH))
    asked = len(server.statements)
    assert checks.ask(WISH)["state"] == "done"
    assert len(server.statements) == asked
    assert ended(lambda: checks.ask(wish("another", 2, False, 60.0)))["state"] == "done"
    assert len(server.statements) == 2 * asked


def test_a_refusal_is_told(server: Server) -> None:
    server.error = SqlError("no table bmsql_warehouse")
    checks = CheckRuns(server.open, "pgsql")
    state = ended(lambda: checks.ask(WISH))
    assert (state["state"], state["error"]) == ("failed", "no table bmsql_warehouse")
    assert server.open_sessions == 0


def test_what_nobody_foresaw_is_told_as_well(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    server.error = KeyError("oops")
    checks = CheckRuns(server.open, "pgsql")
    state = ended(lambda: checks.ask(WISH))
    assert state["state"] == "failed"
    assert "oops" in state["error"]


def test_all_of_it_is_bounded(server: Server) -> None:
    checks = CheckRuns(server.open, "pgsql")
    state = ended(lambda: checks.ask(wish("late", 2, False, 1e-9)))
    assert state["state"] == "failed"
    assert "took longer" in state["error"]
    ended(lambda: checks.ask(WISH))
    assert server.bounds
    assert all(bound < 60.0 for bound in server.bounds), "the bound is of all of it"
    assert server.bounds == sorted(server.bounds, reverse=True)


def test_mysql_s_family_is_told_the_database(server: Server) -> None:
    checks = CheckRuns(server.open, "mysql")
    ended(lambda: checks.ask(WISH))
    assert len(server.statements) == len(server.bounds) == len(consistency.conditions(""))
    assert all("sbtest.bmsql_" in statement for statement in server.statements)
    assert not any("@" in statement for statement in server.statements)

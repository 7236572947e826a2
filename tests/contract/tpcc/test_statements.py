"""What each transaction sends and receives: as documented, by the server's own counts?"""

from collections.abc import Iterator
from typing import Any

import pytest

from encbench.core.connection import DATABASE
from tests.contract.tpcc.counted import SERVERS, Counted, Counts, calls, rows
from tests.contract.tpcc.documented import Documented, table, value
from tests.contract.tpcc.program import DRIVERS, TYPES, WEIGHTS, Done, Program
from tests.support.subset import first_of
from tests.support.wire import tapped

MANY = 60
TRAFFIC = ("statements", "roundTrips", "cells")
APART = {
    "postgresql": "reWriteBatchedInserts=false",
    "mysql": "rewriteBatchedStatements=false",
    "mariadb": "useBulkStmts=false",
}
"""What keeps a driver from making one statement of a batch, so that the server counts all."""
TOGETHER = {"mariadb": ("useBulkStmts=true", "disablePipeline=true")}
"""What sends a batch as one message. Otherwise MariaDB's driver sends its rows, and its questions
when it connects, one by one, and the server may answer one before the next is on the wire."""


@pytest.fixture(scope="module", params=first_of(SERVERS))
def program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Program]:
    """A server that counts, with one warehouse."""
    with SERVERS[request.param]() as server:
        one = Program(server, tmp_path_factory.mktemp(request.param), 1)
        done = one.run("load")
        assert done.code == 0, done.said + done.output[-2000:]
        yield one


def _url(program: Program, port: int, *parameters: str) -> str:
    _, _, scheme, tls = DRIVERS[program.server.engine]
    return f"jdbc:{scheme}://127.0.0.1:{port}/sbtest?{'&'.join((tls, *parameters))}"


def _run(program: Program, kind: str, statements: str) -> tuple[Done, list[Counted]]:
    """So many transactions of one type at one terminal, and what the server counted."""
    counts = Counts(program.server)
    counts.reset()
    done = program.run(
        "run",
        conn=_url(program, program.server.layout.port, APART[program.server.engine]),
        terminals=1,
        runTxnsPerTerminal=MANY,
        statements=statements,
        **{f"{kind}Weight": 100},
    )
    assert done.code == 0, done.said
    assert done.result["errors"] == done.result["retries"] == 0
    return done, counts.read()


def _inputs(done: Done, kind: str, seen: list[Counted]) -> dict[str, float]:
    """What the user typed in and the tables hold, as the server's counts show it."""
    by_name = ("select c_id from bmsql_customer",)
    return {
        "1": done.types[kind]["committed"] + done.types[kind]["rolledBack"],
        "lines": calls(seen, "select i_price")
        if kind == "newOrder"
        else rows(seen, "select ol_i_id"),
        "by name": calls(seen, *by_name),
        "namesakes": rows(seen, *by_name),
        "bad credit": calls(seen, "select c_data"),
    }


@pytest.mark.parametrize("kind", TYPES)
def test_benchmarksql_s_statements_are_as_documented(program: Program, kind: str) -> None:
    done, seen = _run(program, kind, "benchmarksql")
    documented, inputs = table("benchmarksql")[kind], _inputs(done, kind, seen)
    assert inputs["1"] == MANY
    rolled_back = done.types[kind]["rolledBack"]
    # An item that does not exist gives no row, and has no stock and no line to be written.
    missing = Documented(*(f"{n} × rolled back" for n in (3, 1, 15)))
    whole = {
        name: value(getattr(documented, field), inputs)
        - value(getattr(missing, field), {"rolled back": rolled_back})
        for name, field in zip(TRAFFIC, ("statements", "round_trips", "cells"), strict=True)
    }
    told = done.types[kind]["traffic"]
    assert told == whole
    assert sum(one.calls for one in seen) == told["statements"], seen
    assert sum(one.cells for one in seen) == told["cells"], seen
    assert program.run("check").code == 0


@pytest.mark.full
@pytest.mark.parametrize("program", ["mariadb"], indirect=True)
def test_lean_statements_reach_mariadb_by_mysql_s_driver(program: Program) -> None:
    _, driver, scheme, tls = DRIVERS["mysql"]
    conn = f"jdbc:{scheme}://127.0.0.1:{program.server.layout.port}/{DATABASE}?{tls}"
    done = program.run("run", conn=conn, driver=driver, terminals=1, runTxnsPerTerminal=100)
    assert done.code == 0, done.said
    assert done.result["errors"] == 0
    assert done.types["delivery"]["committed"] > 0


def test_what_users_type_in_is_what_the_means_assume(program: Program) -> None:
    """The usual mix at ten lines, 60 % by name, three namesakes and a tenth of bad credit."""
    inputs = {"1": 1.0, "lines": 10.0, "by name": 0.6, "namesakes": 1.8, "bad credit": 0.1}
    documented = table("benchmarksql")
    means = {
        name: sum(
            WEIGHTS[kind] / 100 * value(getattr(one, name), inputs)
            for kind, one in documented.items()
        )
        for name in ("round_trips", "cells")
    }
    done = program.run("run", terminals=4, runTxnsPerTerminal=400, statements="benchmarksql")
    assert done.code == 0, done.said
    for name, field in (("roundTrips", "round_trips"), ("cells", "cells")):
        each = done.result["traffic"][name] / done.result["transactions"]
        assert each == pytest.approx(means[field], rel=0.1)


@pytest.mark.parametrize("statements", ["benchmarksql", "lean"])
def test_the_wire_has_the_round_trips_that_the_client_counts(
    program: Program, statements: str
) -> None:
    """Two runs from the same seed: what the longer one has more is of its transactions alone."""
    found: list[tuple[int, Any]] = []
    for many in (40, 40 + MANY):
        with tapped(program.server.layout.port) as wire:
            done = program.run(
                "run",
                conn=_url(program, wire.port, *TOGETHER.get(program.server.engine, ())),
                terminals=1,
                runTxnsPerTerminal=many,
                statements=statements,
            )
            wire.wait()
        assert done.code == 0, done.said
        assert done.result["retries"] == 0
        found.append((wire.turns, done.result["traffic"]["roundTrips"]))
    (short, told), (long, more) = found
    assert long - short == more - told > 0


@pytest.mark.parametrize("program", ["postgresql"], indirect=True)
@pytest.mark.parametrize("kind", TYPES)
def test_lean_statements_on_postgresql_are_as_documented(program: Program, kind: str) -> None:
    done, seen = _run(program, kind, "lean")
    inputs = _inputs(done, kind, seen)
    told, documented = done.types[kind]["traffic"], table("lean")[kind]
    # One warehouse has one supplier, and an order that is rolled back says so by itself.
    rolled_back = done.types[kind]["rolledBack"]
    assert told["roundTrips"] == value(documented.round_trips, inputs) + rolled_back
    assert told["statements"] == value(documented.statements, inputs)
    assert sum(one.calls for one in seen) == told["statements"], seen
    assert sum(one.cells for one in seen) == told["cells"], seen
    assert program.run("check").code == 0

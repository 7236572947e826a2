"""`tpcc load`, `check` and `drop` on real servers."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from encbench.tools.tpcc.consistency import conditions
from tests.contract.tpcc.consistency import contradicted
from tests.contract.tpcc.program import Program
from tests.support import mariadb, postgres
from tests.support.subset import first_of

ENGINES: dict[str, Callable[[dict[str, Any]], AbstractContextManager[Any]]] = {
    "mariadb": mariadb.running,
    "postgresql": postgres.running,
}
ROWS = {
    "warehouse": 1,
    "district": 10,
    "customer": 30_000,
    "history": 30_000,
    "oorder": 30_000,
    "new_order": 9_000,
    "item": 100_000,
    "stock": 100_000,
}
"""Of one warehouse."""
BREAKAGES = {
    1: "UPDATE @bmsql_warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 1",
    2: "UPDATE @bmsql_district SET d_ytd = d_ytd - 1 WHERE d_w_id = 1 AND d_id = 4",
    3: "UPDATE @bmsql_district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 4",
    4: "DELETE FROM @bmsql_new_order WHERE no_w_id = 1 AND no_d_id = 7 AND no_o_id = 3000",
    5: "DELETE FROM @bmsql_new_order WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 2500",
    6: "DELETE FROM @bmsql_order_line WHERE ol_w_id = 1 AND ol_d_id = 10 AND ol_o_id = 5 "
    "AND ol_number = 3",
}
"""By the number of a query, what contradicts its condition."""

SLOW_BREAKAGES = [
    (
        "UPDATE @bmsql_oorder SET o_carrier_id = 3 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 3000",
        "UPDATE @bmsql_oorder SET o_carrier_id = NULL "
        "WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 3000",
        {7, 9},
    ),
    (
        "UPDATE @bmsql_oorder SET o_ol_cnt = o_ol_cnt + 2 * o_id - 11 "
        "WHERE o_w_id = 1 AND o_d_id = 1 AND o_id IN (5, 6)",
        "UPDATE @bmsql_oorder SET o_ol_cnt = o_ol_cnt - 2 * o_id + 11 "
        "WHERE o_w_id = 1 AND o_d_id = 1 AND o_id IN (5, 6)",
        {8},
    ),
    (
        "UPDATE @bmsql_order_line SET ol_delivery_d = NULL "
        "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1",
        "UPDATE @bmsql_order_line SET ol_delivery_d = '2024-01-01 00:00:00' "
        "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1",
        {9},
    ),
    (
        "UPDATE @bmsql_history SET h_amount = h_amount + 1 WHERE hist_id = 1",
        "UPDATE @bmsql_history SET h_amount = h_amount - 1 WHERE hist_id = 1",
        {10, 11, 12},
    ),
    (
        "UPDATE @bmsql_customer SET c_balance = c_balance + 1 "
        "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        "UPDATE @bmsql_customer SET c_balance = c_balance - 1 "
        "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        {12, 14},
    ),
    (
        "UPDATE @bmsql_customer SET c_delivery_cnt = 1 "
        "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        "UPDATE @bmsql_customer SET c_delivery_cnt = 0 "
        "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        {13},
    ),
    (
        "UPDATE @bmsql_customer SET c_ytd_payment = c_ytd_payment + 1 "
        "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        "UPDATE @bmsql_customer SET c_ytd_payment = c_ytd_payment - 1 "
        "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        {14},
    ),
]
"""What contradicts conditions that `check` does not ask, its mend, and the queries' numbers."""


ONE = {
    "warehouse": "w_id = 1",
    "district": "d_w_id = 1 AND d_id = 4",
    "oorder": "o_w_id = 1 AND o_d_id = 1 AND o_id = 1",
    "customer": "c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
}
"""A row of each table."""
NULLS = [
    ("warehouse", "w_ytd", {1, 2, 10}),
    ("district", "d_ytd", {1, 2, 11}),
    ("district", "d_next_o_id", {3, 4}),
    ("oorder", "o_ol_cnt", {6, 8}),
    ("customer", "c_balance", {12, 14}),
    ("customer", "c_ytd_payment", {14}),
]
"""Columns in which NULL contradicts conditions, and the numbers of the queries of `check-all`."""


@pytest.fixture(scope="module", params=first_of(ENGINES))
def program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Program]:
    """A server with one warehouse."""
    with ENGINES[request.param]({}) as server:
        one = Program(server, tmp_path_factory.mktemp(request.param), 1)
        done = one.run("load")
        assert done.code == 0, done.said + done.output[-2000:]
        yield one


def _contents(program: Program) -> dict[str, Any]:
    """A digest of every table."""
    found = {}
    for table in (*ROWS, "order_line", "config"):
        if program.server.engine == "postgresql":
            query = f"SELECT SUM(hashtext(t::text)::bigint)::text FROM bmsql_{table} t"  # noqa: S608
            found[table] = program.one(query)
        else:
            ((_, found[table]),) = program.server.admin(f"CHECKSUM TABLE sbtest.bmsql_{table}")
    return found


def test_cardinalities(program: Program) -> None:
    for table, rows in ROWS.items():
        assert program.one(f"SELECT COUNT(*) FROM @bmsql_{table}") == rows  # noqa: S608
    lines = program.one("SELECT COUNT(*) FROM @bmsql_order_line")
    assert lines == program.one("SELECT SUM(o_ol_cnt) FROM @bmsql_oorder")
    assert lines == pytest.approx(300_000, rel=0.01)
    assert program.one("SELECT COUNT(*) FROM @bmsql_oorder WHERE o_carrier_id IS NULL") == 9_000
    assert program.one("SELECT COUNT(DISTINCT c_last) FROM @bmsql_customer") == 1000


@pytest.mark.full
def test_the_data_are_the_seed_s_and_foreign_keys_may_be_left_out(program: Program) -> None:
    foreign_keys = (
        "SELECT COUNT(*) FROM information_schema.table_constraints "
        "WHERE constraint_type = 'FOREIGN KEY' AND table_name LIKE 'bmsql%'"
    )
    assert program.one(foreign_keys) == 10
    before = _contents(program)
    assert program.run("load", "--set", "seed=2", "--set", "foreignKeys=false").code == 0
    assert program.one(foreign_keys) == 0
    other = _contents(program)
    assert {table for table in before if other[table] == before[table]} == {"new_order"}
    assert program.run("load", "--set", "loadWorkers=3").code == 0
    assert _contents(program) == before


def test_check_of_a_loaded_database(program: Program) -> None:
    done = program.run("check")
    assert done.code == 0, done.output
    assert [event["rows"] for event in done.named("check")] == [0] * 6
    assert done.output.count(": holds") == 6


@pytest.mark.full
def test_every_condition_of_a_loaded_database(program: Program) -> None:
    done = program.run("check-all")
    assert done.code == 0, done.output
    assert [event["rows"] for event in done.named("check")] == [0] * 14
    assert done.output.count(": holds") == 14


@pytest.mark.full
@pytest.mark.parametrize(("broken", "mended", "numbers"), SLOW_BREAKAGES)
async def test_check_all_and_the_agent_catch_what_check_does_not_ask(
    program: Program, broken: str, mended: str, numbers: set[int]
) -> None:
    program.admin(broken)
    few, all_ = program.run("check"), program.run("check-all")
    asked = await contradicted(program.server, "broken")
    program.admin(mended)
    # The agent knows the conditions by name, in the same order.
    names = [query.name for query in conditions("", full=True)]
    assert asked == {names[number - 1] for number in numbers}
    assert few.code == 0
    assert all_.code == 1
    assert {event["number"] for event in all_.named("check") if event["rows"]} == numbers


@pytest.mark.full
def test_a_table_that_is_wrong_in_every_row_is_not_read_whole(program: Program) -> None:
    program.admin("UPDATE @bmsql_customer SET c_balance = c_balance + 1")
    done = program.run("check-all")
    program.admin("UPDATE @bmsql_customer SET c_balance = c_balance - 1")
    found = {event["number"]: event["rows"] for event in done.named("check") if event["rows"]}
    assert found == {12: 10_001, 14: 10_001}
    assert done.output.count("is contradicted by more than 10000 rows") == 2


@pytest.mark.full
@pytest.mark.parametrize(("table", "column", "numbers"), NULLS)
async def test_check_all_and_the_agent_catch_a_null(
    program: Program, table: str, column: str, numbers: set[int]
) -> None:
    was = program.one(f"SELECT {column} FROM @bmsql_{table} WHERE {ONE[table]}")  # noqa: S608
    change = f"UPDATE @bmsql_{table} SET {column} = %s WHERE {ONE[table]}"  # noqa: S608
    program.admin(change % "NULL")
    done, asked = program.run("check-all"), await contradicted(program.server, "null")
    program.admin(change % was)
    names = [query.name for query in conditions("", full=True)]
    assert asked == {names[number - 1] for number in numbers}
    assert {event["number"] for event in done.named("check") if event["rows"]} == numbers


@pytest.mark.parametrize("number", BREAKAGES)
def test_check_catches_a_row_that_is_wrong(program: Program, number: int) -> None:
    program.admin(BREAKAGES[number])
    done = program.run("check")
    # Loading anew would take longer than to put it right.
    mended = {
        1: "UPDATE @bmsql_warehouse SET w_ytd = w_ytd - 0.01 WHERE w_id = 1",
        2: "UPDATE @bmsql_district SET d_ytd = d_ytd + 1 WHERE d_w_id = 1 AND d_id = 4",
        3: "UPDATE @bmsql_district SET d_next_o_id = d_next_o_id - 1 WHERE d_w_id = 1 AND d_id = 4",
        4: "INSERT INTO @bmsql_new_order VALUES (1, 7, 3000)",
        5: "INSERT INTO @bmsql_new_order VALUES (1, 1, 2500)",
        6: "INSERT INTO @bmsql_order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, "
        "ol_supply_w_id) VALUES (1, 10, 5, 3, 1, 1)",
    }
    program.admin(mended[number])
    assert done.code == 1
    broken = {event["number"] for event in done.named("check") if event["rows"]}
    # The first two ask the same question from either side, 3 and 4 both look at the next order.
    assert number in broken <= {1: {1, 2}, 2: {1, 2}, 3: {3, 4}}.get(number, {number})
    assert f"Query {number}, contradicted by " in done.output
    assert done.events[-1] == {"event": "checked", "conditions": 6, "failed": len(broken)}


def test_drop_leaves_nothing_and_may_be_repeated(program: Program) -> None:
    for _ in range(2):
        assert program.run("drop").code == 0
    query = "SELECT COUNT(*) FROM information_schema.tables WHERE table_name LIKE 'bmsql%'"
    assert program.one(query) == 0
    done = program.run("run", terminals=1, runSeconds=1)
    assert done.code == 1
    assert "bmsql_config" in done.said

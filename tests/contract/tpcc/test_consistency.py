"""The consistency queries against real servers: each broken condition is caught by its name."""

from typing import Any

import pytest

from encbench.reconcile.checks import Checked, judge
from tests.contract.database import harness
from tests.contract.tpcc.consistency import Bench
from tests.support import bmsql

BREAKAGES = {
    "warehouse-ytd": ["UPDATE bmsql_warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2"],
    "district-ytd": ["UPDATE bmsql_district SET d_ytd = d_ytd - 1 WHERE d_w_id = 1 AND d_id = 4"],
    "next-order": ["DELETE FROM bmsql_oorder WHERE o_w_id = 1 AND o_d_id = 3 AND o_id = 30"],
    "next-new-order": [
        "DELETE FROM bmsql_new_order WHERE no_w_id = 2 AND no_d_id = 7 AND no_o_id = 30"
    ],
    "new-order-gaps": [
        "DELETE FROM bmsql_new_order WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 25"
    ],
    "order-lines": [
        "DELETE FROM bmsql_order_line "
        "WHERE ol_w_id = 2 AND ol_d_id = 10 AND ol_o_id = 5 AND ol_number = 3"
    ],
}
ALONGSIDE = {"warehouse-ytd": "district-ytd", "district-ytd": "warehouse-ytd"}
"""The two that ask the same question from either side."""


NULLS = {
    "UPDATE bmsql_warehouse SET w_ytd = NULL WHERE w_id = 2": {"warehouse-ytd", "district-ytd"},
    "UPDATE bmsql_district SET d_ytd = NULL WHERE d_w_id = 1": {"warehouse-ytd", "district-ytd"},
    "UPDATE bmsql_district SET d_next_o_id = NULL WHERE d_w_id = 1 AND d_id = 3": {
        "next-order",
        "next-new-order",
    },
    "UPDATE bmsql_oorder SET o_ol_cnt = NULL WHERE o_w_id = 1 AND o_d_id = 3": {"order-lines"},
}
"""A comparison with NULL is neither true nor false, and has to be caught all the same."""


async def checked(bench: Bench, run: str, *, loaded: bool = False) -> tuple[Checked, Any]:
    """What the operator comes to, and the agent's answer."""
    answer = await harness.checked(bench.agent, run, loaded=loaded)
    found = judge(answer)
    assert found is not None
    return found, answer


async def test_a_consistent_database(bench: Bench) -> None:
    found, answer = await checked(bench, "good")
    assert found.ok, found.message
    assert [check["rows"] for check in answer["checks"]] == [[]] * 6


@pytest.mark.parametrize("name", BREAKAGES)
async def test_a_row_that_is_wrong_is_caught(bench: Bench, name: str) -> None:
    bench.run(*BREAKAGES[name])
    found, answer = await checked(bench, f"broken-{name}")
    assert (found.ok, found.reason) == (False, "Inconsistent")
    broken = {check["name"] for check in answer["checks"] if check["rows"]}
    also = {"next-order": {"order-lines"}}.get(name, set())
    assert broken == {name, *([ALONGSIDE[name]] if name in ALONGSIDE else []), *also}
    assert name in found.message


@pytest.mark.parametrize("broken", NULLS)
async def test_a_null_is_caught(bench: Bench, broken: str) -> None:
    bench.run(broken)
    found, answer = await checked(bench, "null")
    assert (found.ok, found.reason) == (False, "Inconsistent")
    assert {check["name"] for check in answer["checks"] if check["rows"]} == NULLS[broken]


async def test_a_district_with_nothing_outstanding_is_passed_over(bench: Bench) -> None:
    bench.run("DELETE FROM bmsql_new_order WHERE no_w_id = 1 AND no_d_id = 2")
    found, _ = await checked(bench, "delivered")
    assert found.ok, found.message


async def test_a_table_that_lost_a_whole_district(bench: Bench) -> None:
    bench.run("DELETE FROM bmsql_oorder WHERE o_w_id = 1 AND o_d_id = 3")
    found, _ = await checked(bench, "lost")
    assert (found.ok, found.reason) == (False, "Inconsistent")
    assert "next-order" in found.message


async def test_a_load_that_did_not_bring_every_row(bench: Bench) -> None:
    found, answer = await checked(bench, "load", loaded=True)
    assert (found.ok, found.reason) == (False, "Inconsistent")
    broken = {check["name"] for check in answer["checks"] if check["rows"]}
    tables = ("customer", "history", "oorder", "new-order", "stock", "item")
    assert broken == {f"{table}-count" for table in tables}
    assert "60,000 rows of 2 warehouses" in found.message


@pytest.mark.parametrize(
    ("name", "table", "columns"),
    [
        ("primary-keys", "bmsql_stock", "s_id INT"),
        ("secondary-indexes", "bmsql_customer", "c_id INT PRIMARY KEY, c_last VARCHAR(16)"),
    ],
)
async def test_an_index_that_a_load_did_not_make(
    bench: Bench, name: str, table: str, columns: str
) -> None:
    bench.run(f"DROP TABLE {table}", f"CREATE TABLE {table} ({columns})")
    found, answer = await checked(bench, name, loaded=True)
    assert not found.ok
    lacking = {check["name"]: check["rows"] for check in answer["checks"] if check["rows"]}
    assert lacking[name] == [[table]]
    assert lacking.keys().isdisjoint({"primary-keys", "secondary-indexes"} - {name})


async def test_a_load_that_made_no_tables(bench: Bench) -> None:
    bench.run(*bmsql.drop())
    found, _ = await checked(bench, "nothing", loaded=True)
    assert (found.ok, found.reason) == (False, "CheckFailed")
    assert "bmsql_warehouse" in found.message


async def test_a_second_look_asks_the_server_nothing(bench: Bench) -> None:
    first, answer = await checked(bench, "once")
    bench.run(*BREAKAGES["new-order-gaps"])
    again, same = await checked(bench, "once")
    assert (first, answer) == (again, same)
    fresh, _ = await checked(bench, "twice")
    assert not fresh.ok

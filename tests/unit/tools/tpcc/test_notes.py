"""What `plan` says of a TPC-C workload that it does not refuse."""

from typing import Any

import pytest

from encbench.core.problem import Reason
from encbench.tools.tpcc.notes import notes
from tests.support.workloads import tpcc_spec, workload_spec

WHOLE = {"concurrency": [8], "warmup": "0s", "duration": "1m"}


def said(*args: Any) -> dict[Reason, str]:
    return {note.reason: note.text for note in notes(tpcc_spec(*args))}


def test_warehouses_without_a_terminal() -> None:
    load = {"concurrency": [4, 8, 16]}
    text = said({"warehouses": 10}, load)[Reason.UNLIKE_TPCC]
    assert (
        "so 4 terminals work on 4 of 10 warehouses and 8 on 8, and 1 % of the order lines" in text
    )
    assert "write tpcc.terminalWarehouseFixed: false" in text
    assert not said({"warehouses": 4}, load)
    assert not said({"warehouses": 10, "terminalWarehouseFixed": False}, load)


@pytest.mark.parametrize(
    ("new_order", "delivery", "until"),
    [(45, 4, None), (40, 4, "2,250,000"), (20, 4, "44,554"), (10, 10, "9,989"), (91, 9, None)],
)
def test_more_orders_delivered_than_made(new_order: int, delivery: int, until: str | None) -> None:
    others = {"orderStatus": 0, "stockLevel": 0, "payment": 100 - new_order - delivery}
    found = said({"mix": {"newOrder": new_order, "delivery": delivery, **others}})
    assert (Reason.ROWS_GONE in found) is (until is not None)
    if until:
        assert f"none left after about {until} transactions" in found[Reason.ROWS_GONE]


@pytest.mark.parametrize(
    ("dialect", "words"),
    [(5, "may have more than 10 terminals"), (6, "has all 10 terminals a warehouse")],
)
def test_several_processes_of_benchmarksql(dialect: int, words: str) -> None:
    tpcc = {"benchmarksql": {}, "dialect": dialect, "warehouses": 1}
    assert words in said(tpcc, WHOLE, {"replicas": 2})[Reason.UNLIKE_TPCC]
    assert not said(tpcc, WHOLE)
    if dialect == 6:
        refused = {**tpcc, "options": {"thinkTimeMultiplier": "1"}}
        assert not said(refused, WHOLE, {"replicas": 2})
    assert not said({"warehouses": 1}, WHOLE, {"replicas": 2})


def test_sysbench_has_none() -> None:
    assert not list(notes(workload_spec()))

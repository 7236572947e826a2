"""Where TPC-C's terminals stand."""

from typing import Any

import pytest

from encbench.api.tpcc import Tpcc
from encbench.core.terminals import short_levels, worked_on


def tpcc(**fields: Any) -> Tpcc:
    return Tpcc.model_validate({"warehouses": 1000, **fields})


FIVE: dict[str, Any] = {"benchmarksql": {}}
SIX: dict[str, Any] = {"benchmarksql": {}, "dialect": 6}


@pytest.mark.parametrize(
    ("fields", "terminals", "warehouses"),
    [
        ({}, 64, 64),
        ({}, 1000, 1000),
        ({}, 1024, 1000),
        ({"terminalWarehouseFixed": False}, 64, 1000),
        (FIVE, 1, 1),
        (FIVE, 64, 62),
        (FIVE, 1000, 651),
        (FIVE, 9_999, 1000),
        (FIVE, 10_000, 1000),
        ({**FIVE, "warehouses": 1}, 3, 1),
        ({**FIVE, "terminalWarehouseFixed": False}, 64, 1000),
        (SIX, 64, 1000),
    ],
)
def test_warehouses_with_a_terminal(
    fields: dict[str, Any], terminals: int, warehouses: int
) -> None:
    assert worked_on(tpcc(**fields), terminals) == warehouses


def test_levels_with_fewer_terminals_than_warehouses() -> None:
    levels = [1024, 512, 64]
    assert short_levels(tpcc(), levels) == (
        "64 terminals work on 64 of 1,000 warehouses and 512 on 512"
    )
    assert short_levels(tpcc(**FIVE), levels).startswith("64 terminals work on about 62 of 1,000 ")
    assert short_levels(tpcc(**SIX), levels) == ""

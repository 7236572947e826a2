"""docs/tpcc.md's means of the usual mix follow from its table."""

import re

import pytest

from encbench.api.tpcc import Mix
from tests.contract.tpcc.documented import DOCUMENT, table, value

LINES, NAMESAKES, BY_NAME, BAD_CREDIT = 10, 3, 0.6, 0.1
INPUTS = {
    "1": 1.0,
    "lines": LINES,
    "by name": BY_NAME,
    "namesakes": BY_NAME * NAMESAKES,
    "bad credit": BAD_CREDIT,
}
DISTRICTS, OUTSTANDING = 10, 900
SAID = re.sub(r"\s+", " ", DOCUMENT.read_text())


def mean(field: str) -> float:
    """Of a transaction in the usual mix, with BenchmarkSQL 6's statements."""
    rows, weights = table("benchmarksql"), Mix().weights
    return sum(
        weights[name] / 100 * value(getattr(row, field), INPUTS) for name, row in rows.items()
    )


def test_round_trips_and_cells() -> None:
    assert f"**{mean('round_trips'):.1f} round trips and {mean('cells'):.0f} cells**" in SAID


def test_cells_of_a_delivery_without_a_limit() -> None:
    """Instead of one, it fetches all outstanding orders of each district."""
    more = Mix().delivery / 100 * DISTRICTS * (OUTSTANDING - 1)
    assert f"**{mean('cells') + more:.0f} cells** a transaction in the usual mix" in SAID
    assert more == pytest.approx(360, abs=1)

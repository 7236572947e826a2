"""The tables of docs/tpcc.md that say what each transaction sends and receives."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.support.chart import REPO

DOCUMENT = REPO / "docs" / "tpcc.md"
NAMES = {
    "New-Order": "newOrder",
    "Payment": "payment",
    "Order-Status": "orderStatus",
    "Delivery": "delivery",
    "Stock-Level": "stockLevel",
}


@dataclass(frozen=True)
class Documented:
    """A transaction's figures as sums of terms such as `2 × lines`."""

    statements: str
    round_trips: str
    cells: str


def table(heading: str) -> dict[str, Documented]:
    """The first table under that heading, by the type's name in the client's output."""
    section = DOCUMENT.read_text().partition(f"\n### {heading}\n")[2]
    found = {}
    for line in section.splitlines():
        if line.startswith("#"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] in NAMES:
            found[NAMES[cells[0]]] = Documented(*cells[1:4])
    assert list(found) == list(NAMES.values()), f"docs/tpcc.md has no whole table {heading}"
    return found


def value(formula: str, inputs: Mapping[str, float]) -> float:
    """What the sum amounts to with these inputs; `1` is how many transactions there were."""
    whole = 0.0
    for term in formula.split(" + "):
        found = re.fullmatch(r"(?:(\d+) × )?([a-z ]+)|(\d+)", term)
        assert found, f"docs/tpcc.md: {term} is no term"
        factor, name, constant = found.groups()
        whole += int(constant) * inputs["1"] if constant else int(factor or 1) * inputs[name]
    return whole

"""Does a model of two parameters say what the published tables of the enclave study say?"""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tests.calibration import enclave
from tests.calibration.enclave import WORKLOADS, Costs

PAGE = Path(__file__).parents[2] / "campaigns/rds-postgresql-enclave/README.md"
POINTS = 6.0
"""Percentage points that a prediction may be away from what was published."""
DEFAULT = Costs(transition=8.0, value=1.2)
"""What the documentation advises to set, in round numbers."""


@pytest.mark.parametrize("costs", [enclave.fit(enclave.published()), DEFAULT], ids=str)
def test_every_published_overhead_is_met(costs: Costs) -> None:
    figures = enclave.published()
    found = enclave.errors(costs, figures)
    assert len(found) == 24
    assert max(map(abs, found)) <= POINTS
    with enclave.PUBLISHED.open(newline="") as file:
        printed = [float(row["published_overhead_percent"]) for row in csv.DictReader(file)]
    predicted = [error + one.overhead for error, one in zip(found, figures, strict=True)]
    assert max(abs(a - b) for a, b in zip(predicted, printed, strict=True)) <= POINTS


def test_the_fit_finds_costs_that_are_known() -> None:
    """From figures that were made with them."""
    known = Costs(transition=11.0, value=0.7)
    figures = enclave.published()
    made = []
    for one in figures:
        plain = enclave.latency(one.table, figures)
        lost = enclave.overhead(plain, WORKLOADS[one.table], known)
        made.append(replace(one, encrypted=one.plain * (1 - lost / 100)))
    found = enclave.fit(made)
    assert found.transition == pytest.approx(known.transition, rel=1e-3)
    assert found.value == pytest.approx(known.value, rel=1e-3)


def test_both_parameters_are_needed() -> None:
    """Without either, some workload cannot be met, whatever the other is."""
    figures = enclave.published()
    for tenths in range(1, 400):
        for costs in (Costs(tenths / 10, 0.0), Costs(0.0, tenths / 10)):
            assert max(map(abs, enclave.errors(costs, figures))) > POINTS


def test_the_page_says_what_the_model_says() -> None:
    """Scenario 3 included, whose published figures the reference does not have."""
    figures = enclave.published()
    costs = enclave.fit(figures)
    page = PAGE.read_text(encoding="utf-8")
    assert enclave.fitted_table(costs, figures) in page
    assert enclave.prediction_table(costs, figures) in page
    assert f"**{costs.transition:.2f} µs** and **{costs.value:.2f} µs**" in page
    assert {one.table for one in figures} == set(WORKLOADS)

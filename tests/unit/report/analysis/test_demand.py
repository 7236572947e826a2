"""What a narrower interval takes in rounds, blocks and minutes; a loss of TPS as cores."""

import math
from dataclasses import replace

import pytest

from encbench.api.overheadreport import Interval, Row, Saturation
from encbench.core.statistics.intervals import Estimate
from encbench.report.analysis.build import build
from encbench.report.analysis.capacity import capacity
from encbench.report.analysis.demand import MeasuringPace, demand
from encbench.report.document import Report
from encbench.report.document.group import Demand, Finding
from tests.data.report.synthetic import Study, write

ROUNDS = MeasuringPace(rounds=2.0, blocks=1, group=2, round_seconds=9.15, block_seconds=400)
BLOCKS = replace(ROUNDS, rounds=0.0)


def inconclusive(low: float, high: float) -> Finding:
    change = Interval(estimate=(low + high) / 2, low=low, high=high)
    return Finding(
        figure="tps", blocks=1, change=change, change90=change, verdict="Inconclusive", why=""
    )


def spread(deviation: float, units: int, ratio: float = 1.0) -> Estimate:
    error = deviation / math.sqrt(units)
    mean = math.log(ratio)
    return Estimate(n=units, mean=mean, deviation=deviation, units=units, error=error)


def test_in_rounds() -> None:
    # 18 observations for ±1 %, as tests/unit/core/statistics/test_demand.py has it: six more
    # batches of two rounds.
    found = demand(inconclusive(0.0, 0.03), spread(0.02, 12), 0.02, ROUNDS)
    assert found == Demand(half_width=0.01, rounds=12, seconds=109.8)


def test_in_blocks_that_belong_together() -> None:
    found = demand(inconclusive(0.0, 0.03), spread(0.02, 13), 0.02, BLOCKS)
    assert found == Demand(half_width=0.01, blocks=6, seconds=6 * 400)


def test_a_large_loss_needs_a_wider_interval_on_the_log_scale() -> None:
    # At half of TPS ±1 % is ±2 % of the logarithm, so that the spread may be twice as large.
    found = demand(inconclusive(0.48, 0.52), spread(0.04, 12, ratio=0.5), 0.02, ROUNDS)
    assert found is not None
    assert found.rounds == 12


def test_an_interval_that_is_narrow_already_has_to_be_half_as_wide() -> None:
    found = demand(inconclusive(0.015, 0.027), spread(0.01, 12), 0.02, ROUNDS)
    assert found is not None
    assert found.half_width == pytest.approx(0.003)


@pytest.mark.parametrize(
    "finding",
    [
        inconclusive(0.0, 0.03).model_copy(update={"verdict": "Overhead"}),
        inconclusive(0.0, 0.03).model_copy(update={"change": Interval(estimate=0.02)}),
        inconclusive(-0.05, -0.03),
        # The interval alone would say Overhead: luck of placement stands in the way.
        inconclusive(0.03, 0.06).model_copy(
            update={"placement": Interval(estimate=0.045, low=-0.2, high=0.3)}
        ),
    ],
)
def test_no_demand_where_width_is_not_what_stood_in_the_way(finding: Finding) -> None:
    assert demand(finding, spread(0.02, 12), 0.02, ROUNDS) is None


# ------------------------------------------------------------------- of whole reports


def report(study: Study) -> Report:
    index, bucket = write(study)
    return build(index, bucket.__getitem__)


NOISY = Study(concurrency=(16,), noise=0.04, blocks=3, seed=2)


def test_a_sequential_campaign_is_told_in_blocks() -> None:
    group = report(NOISY).groups[0]
    finding = group.comparisons[0].findings[0]
    assert finding.demand is not None
    assert finding.demand.rounds is None
    assert finding.demand.blocks is not None
    assert finding.demand.blocks % 2 == 0, "A and A' take turns"
    # Three trials one after the other, each 45 s of preparation and 60 s of window.
    assert finding.demand.seconds == finding.demand.blocks * 3 * 105


def test_an_interleaved_campaign_is_told_in_rounds() -> None:
    study = replace(NOISY, blocks=1, rounds=10, loss={"tde": 0.03}, seed=1)
    finding = report(study).groups[0].comparisons[0].findings[0]
    assert finding.verdict == "Inconclusive"
    assert finding.demand is not None
    assert finding.demand.blocks is None
    assert finding.demand.rounds is not None
    assert finding.demand.seconds == pytest.approx(finding.demand.rounds * 3 * 3.05, rel=1e-5)


def test_many_interleaved_blocks_are_told_in_blocks() -> None:
    study = replace(NOISY, blocks=6, rounds=10, loss={"tde": 0.03}, seed=1)
    finding = report(study).groups[0].comparisons[0].findings[0]
    assert finding.demand is not None
    assert finding.demand.rounds is None
    # All trials of a block run at the same time.
    assert finding.demand.seconds == (finding.demand.blocks or 0) * 105


def test_one_block_without_rounds_has_no_spread() -> None:
    finding = report(Study(concurrency=(4,), blocks=1)).groups[0].comparisons[0].findings[0]
    assert (finding.verdict, finding.demand) == ("Inconclusive", None)


# ------------------------------------------------------------------- capacity


def row(saturation: Saturation, overhead: Interval | None = None) -> Row:
    return Row(
        instance="small",
        workload="rw",
        concurrency=4,
        arm="tde",
        role="treatment",
        blocks=6,
        verdict="Overhead",
        overhead=overhead,
        saturation=saturation,
    )


LOSS = Interval(estimate=0.07, low=0.048, high=0.09)
BOUND = row("DatabaseBound")


def test_a_loss_as_cores() -> None:
    found = capacity(8.0, BOUND, row("DatabaseBound", LOSS))
    assert found is not None
    assert found.cores == 8
    assert found.needed == pytest.approx(8 / 0.93, rel=1e-5)
    assert found.low == pytest.approx(8 / 0.952, rel=1e-5)
    assert found.high == pytest.approx(8 / 0.91, rel=1e-5)


@pytest.mark.parametrize("other", ["ClientBound", "Both", "Neither", "NotMeasured"])
def test_no_cores_where_another_limit_decided(other: Saturation) -> None:
    assert capacity(8.0, BOUND, row(other, LOSS)) is None
    assert capacity(8.0, row(other), row("DatabaseBound", LOSS)) is None


def test_no_cores_without_a_loss_or_of_a_server_elsewhere() -> None:
    assert capacity(8.0, BOUND, BOUND) is None
    assert capacity(None, BOUND, row("DatabaseBound", LOSS)) is None
    everything = Interval(estimate=0.7, low=0.2, high=1.0)
    assert capacity(8.0, BOUND, row("DatabaseBound", everything)) is None


def test_a_saturated_server_s_loss_is_told_as_cores() -> None:
    found = report(Study(concurrency=(64,)))
    comparison = found.groups[0].comparisons[0]
    assert comparison.capacity is not None
    assert comparison.loss is not None
    assert comparison.capacity.cores == 2
    assert comparison.capacity.needed == pytest.approx(2 / (1 - comparison.loss.estimate), rel=1e-4)
    headline = found.headlines[0]
    assert headline.so.startswith("So for the same TPS 2 cores become 2.1")
    assert headline.so.removeprefix("So f") in headline.text.replace("For the", "for the")

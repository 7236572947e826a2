"""What a narrower interval takes in rounds and blocks; a loss of TPS as cores."""

import itertools
import math
from dataclasses import replace
from typing import Any

import pytest

from encbench.admission.follow_up import follow_up
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Interval, Row, Saturation
from encbench.core.statistics.intervals import Estimate
from encbench.core.statistics.rounds import batches
from encbench.core.statistics.verdict import Obstacle
from encbench.report.analysis.capacity import capacity, more_beside
from encbench.report.analysis.demand import MeasuringPace, demand
from encbench.report.document.group import Demand, Finding
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import GOCRYPTFS, TDE

ROUNDS = MeasuringPace(rounds=24, counted=1, blocks=1, group=2, least=0, block_seconds=400)
"""One block of 24 rounds is observed in twelve batches of two."""
BLOCKS = replace(ROUNDS, rounds=0)


def inconclusive(low: float, high: float, obstacle: Obstacle = "TooWide") -> Finding:
    change = Interval(estimate=(low + high) / 2, low=low, high=high)
    return Finding(
        figure="tps", blocks=1, change=change, verdict="Inconclusive", obstacle=obstacle, why=""
    )


def spread(deviation: float, units: int, ratio: float = 1.0) -> Estimate:
    error = deviation / math.sqrt(units)
    mean = math.log(ratio)
    return Estimate(n=units, mean=mean, deviation=deviation, units=units, error=error)


def test_in_rounds() -> None:
    # Two blocks are observed in 16 batches, less a mean each: t(0.975; 14) = 2.145. The error is
    # 0.02 / √12 · √(24 / 37) then, so that 37 rounds in all reach ±0.997 %, and 36 ±1.011 %.
    found = demand(inconclusive(0.0, 0.03), spread(0.02, 12), 0.02, ROUNDS)
    # A follow-up measures them in a whole block.
    assert found == Demand(half_width=0.01, rounds=13, seconds=400)


@pytest.mark.parametrize(
    ("blocks", "rounds"), [(1, 10), (1, 48), (2, 20), (3, 12), (4, 30), (5, 6), (5, 60)]
)
@pytest.mark.parametrize("error", [0.008, 0.02, 0.05])
def test_a_follow_up_of_so_many_rounds_has_that_half_width(
    blocks: int, rounds: int, error: float
) -> None:
    """Made as `extend` makes it: of whole blocks, and pooled with the first campaign."""

    def measured(after: int, campaigns: int) -> Estimate:
        units = after * len(batches(rounds, after))
        found = spread(error * math.sqrt(blocks * units / after), units)
        return replace(found, campaigns=campaigns)

    finding = inconclusive(0.0, 0.04).model_copy(update={"blocks": blocks})
    pace = replace(ROUNDS, rounds=rounds, counted=blocks)
    asked = demand(finding, measured(blocks, 1), 0.02, pace)
    assert asked is not None and asked.rounds is not None
    reached = measured(blocks + math.ceil(asked.rounds / rounds), 2).half_width()
    assert reached is not None
    assert reached <= asked.half_width == 0.01


@pytest.mark.parametrize(
    ("blocks", "lacking"), [(n, 0) for n in range(1, 6)] + [(1, 1), (4, 1), (1, 4), (2, 2), (3, 2)]
)
@pytest.mark.parametrize("rounds", [2, 4, 6, 10, 12, 24, 30, 60])
@pytest.mark.parametrize("error", [0.0055, 0.006, 0.008, 0.0105, 0.012])
def test_no_smaller_number_of_rounds_would_do(
    blocks: int, lacking: int, rounds: int, error: float
) -> None:
    """Five blocks may be observed in 20 batches, and six in six blocks.

    Those that lack the figure count among them.
    """

    def suffices(count: int) -> bool:
        after = math.ceil(count / rounds)
        units = after * len(batches(rounds, after + lacking))
        found = spread(error * math.sqrt(blocks * rounds * units / count), units)
        half = replace(found, campaigns=2).half_width()
        return units > 2 and half is not None and half <= 0.01

    finding = inconclusive(0.0, 0.04).model_copy(update={"blocks": blocks})
    units = blocks * len(batches(rounds, blocks + lacking))
    before = spread(error * math.sqrt(units), units)
    pace = replace(ROUNDS, rounds=rounds, counted=blocks + lacking)
    asked = demand(finding, before, 0.02, pace)
    have = blocks * rounds
    more = next(count for count in itertools.count() if suffices(have + count))
    assert (asked and asked.rounds) == (more or None)


@pytest.mark.parametrize("blocks", [3, 4, 6, 9])
@pytest.mark.parametrize("campaigns", [1, 2])
@pytest.mark.parametrize("deviation", [0.02, 0.025, 0.03, 0.05])
@pytest.mark.parametrize("group", [1, 2])
def test_a_follow_up_of_so_many_blocks_has_that_half_width(
    blocks: int, campaigns: int, deviation: float, group: int
) -> None:
    before = replace(spread(deviation, blocks), campaigns=campaigns)
    asked = demand(inconclusive(0.0, 0.04), before, 0.02, replace(BLOCKS, group=group))
    assert asked is not None and asked.blocks is not None

    def half_width(more: int) -> float:
        after = replace(spread(deviation, blocks + more), campaigns=campaigns + 1)
        half = after.half_width()
        assert half is not None
        return half

    assert half_width(asked.blocks) <= asked.half_width == 0.01
    assert half_width(asked.blocks - group) > 0.01, "one group less would not do"


def test_sets_of_testbeds_take_all_of_their_blocks() -> None:
    pace = replace(BLOCKS, blocks=3, group=3)
    asked = demand(inconclusive(0.0, 0.04), spread(0.02, 6), 0.02, pace)
    alone = demand(inconclusive(0.0, 0.04), spread(0.02, 6), 0.02, replace(BLOCKS, group=1))
    assert alone is not None and alone.blocks is not None
    more = 3 * alone.blocks
    assert asked == Demand(half_width=0.01, blocks=more, seconds=more * 400)


@pytest.mark.parametrize(("even", "blocks"), [(None, 12), (5.5, 13), (4.5, 13)])
def test_units_of_unequal_size_cost_degrees_of_freedom(even: float | None, blocks: int) -> None:
    found = replace(spread(0.02, 6), even_units=even)
    asked = demand(inconclusive(0.0, 0.04), found, 0.02, replace(BLOCKS, group=1))
    assert asked is not None
    assert asked.blocks == blocks


def test_a_figure_that_slices_lack_takes_blocks() -> None:
    latency = inconclusive(0.0, 0.03).model_copy(update={"figure": "latencyP95"})
    found = demand(latency, spread(0.02, 13), 0.02, ROUNDS)
    assert found == Demand(half_width=0.01, blocks=6, seconds=6 * 400)


def test_in_blocks_that_belong_together() -> None:
    found = demand(inconclusive(0.0, 0.03), spread(0.02, 13), 0.02, BLOCKS)
    assert found == Demand(half_width=0.01, blocks=6, seconds=6 * 400)


def test_a_large_loss_needs_a_wider_interval_on_the_log_scale() -> None:
    # At half of TPS ±1 % is ±2 % of the logarithm, so that the spread may be twice as large.
    found = demand(inconclusive(0.48, 0.52), spread(0.04, 12, ratio=0.5), 0.02, ROUNDS)
    assert found is not None
    assert found.rounds == 13


def test_an_interval_that_is_narrow_already_has_to_be_half_as_wide() -> None:
    found = demand(inconclusive(0.015, 0.027), spread(0.01, 12), 0.02, ROUNDS)
    assert found is not None
    assert found.half_width == pytest.approx(0.003)


@pytest.mark.parametrize("obstacle", ["Placement", "CarryOver", "BetterThanBaseline"])
def test_no_demand_where_width_is_not_what_stood_in_the_way(obstacle: Obstacle) -> None:
    assert demand(inconclusive(0.03, 0.06, obstacle), spread(0.02, 12), 0.02, ROUNDS) is None


@pytest.mark.parametrize(
    "more",
    [
        {"verdict": "Overhead", "obstacle": None},
        {"change": Interval(estimate=0.02), "obstacle": "NoInterval"},
    ],
)
def test_no_demand_with_a_verdict_or_without_an_interval(more: dict[str, object]) -> None:
    found = inconclusive(0.0, 0.03).model_copy(update=more)
    assert demand(found, spread(0.02, 12), 0.02, ROUNDS) is None


def test_what_the_correction_took_a_narrower_interval_may_give_back() -> None:
    assert demand(inconclusive(0.025, 0.045, "Correction"), spread(0.02, 12), 0.02, ROUNDS)


# ------------------------------------------------------------------- of whole reports


NOISY = Study(concurrency=(16,), noise=0.04, blocks=3, seed=2)


def test_a_sequential_campaign_is_told_in_blocks() -> None:
    group = report_of(NOISY).groups[0]
    finding = group.comparisons[0].findings[0]
    assert finding.demand is not None
    assert finding.demand.rounds is None
    assert finding.demand.blocks is not None
    assert finding.demand.blocks % 2 == 0, "A and A' take turns"
    # Three trials, each begun 150 s after the one before it.
    assert finding.demand.seconds == finding.demand.blocks * 3 * 150


def test_what_is_advised_is_what_extend_accepts() -> None:
    """A follow-up with sets of testbeds has at least four of them, however little is missing."""
    study = replace(NOISY, noise=0.02, loss={"tde": 0.03}, blocks=12, per_testbed=3, seed=1)
    report = report_of(study)
    finding = report.groups[0].comparisons[0].findings[0]
    assert finding.demand is not None
    assert finding.demand.blocks == 12
    assert finding.demand.seconds == 12 * 3 * 150
    more = follow_up("demo", "uid", report.spec, report.resolved, finding.demand.blocks)
    assert more.blocks.min == 12
    with pytest.raises(ValueError, match="with perTestbed"):
        follow_up("demo", "uid", report.spec, report.resolved, finding.demand.blocks - 1)


def test_an_interleaved_campaign_is_told_in_rounds() -> None:
    study = replace(NOISY, blocks=1, rounds=10, loss={"tde": 0.03}, seed=1)
    finding = report_of(study).groups[0].comparisons[0].findings[0]
    assert finding.verdict == "Inconclusive"
    assert finding.demand is not None
    assert finding.demand.blocks is None
    assert finding.demand.rounds is not None
    # In this study, though in no other, the trials of a block begin one after the other.
    assert finding.demand.seconds == math.ceil(finding.demand.rounds / 10) * (2 * 150 + 105)


def test_a_block_without_the_figure_counts_among_those_of_a_batch() -> None:
    """One block more would be the sixth, of which five have the figure: too few for the width."""
    without = frozenset({(4, 3, "tde")})
    study = Study(rounds=20, blocks=5, concurrency=(4,), seed=5, noise=0.03, loss={"tde": 0.03})
    comparison = report_of(replace(study, without_cpu=without)).groups[0].comparisons[0]
    finding = comparison.finding("cpuPerTransaction")
    assert finding is not None
    assert finding.blocks == 4
    assert finding.demand is not None
    assert (finding.demand.rounds or 0) > 20


def test_many_interleaved_blocks_are_told_in_blocks() -> None:
    study = replace(NOISY, blocks=6, rounds=10, loss={"tde": 0.03}, seed=1)
    finding = report_of(study).groups[0].comparisons[0].findings[0]
    assert finding.demand is not None
    assert finding.demand.rounds is None
    assert finding.demand.seconds == (finding.demand.blocks or 0) * 3 * 150


def test_another_condition_takes_none_of_the_minutes() -> None:
    alone = report_of(NOISY).groups[0]
    beside = report_of(replace(NOISY, concurrency=(4, 16))).groups[1]
    demands = [group.comparisons[0].findings[0].demand for group in (alone, beside)]
    assert demands[0] is not None
    assert demands[0] == demands[1]


def test_one_block_without_rounds_has_no_spread() -> None:
    finding = report_of(Study(concurrency=(4,), blocks=1)).groups[0].comparisons[0].findings[0]
    assert (finding.verdict, finding.demand) == ("Inconclusive", None)


# ------------------------------------------------------------------- capacity


def row(saturation: Saturation, overhead: Interval | None = None, arm: str = "tde") -> Row:
    return Row(
        instance="small",
        workload="rw",
        concurrency=4,
        arm=arm,
        role="treatment",
        blocks=6,
        verdict="Overhead",
        overhead=overhead,
        saturation=saturation,
    )


LOSS = Interval(estimate=0.07, low=0.048, high=0.09)
BOUND = row("DatabaseBound", arm="plain")


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


@pytest.mark.parametrize("arm", ["plain", "tde"])
def test_no_cores_where_another_limit_was_near_as_well(arm: str) -> None:
    """More cores of the server would only move the limit to the proxy or the file system."""
    treated = row("DatabaseBound", LOSS)
    assert capacity(8.0, BOUND, treated, near={arm: ("ProxyBound",)}) is None
    assert capacity(8.0, BOUND, treated, near={"another": ("ProxyBound",)}) is not None


PROXY = {"columns": {"method": "confidential", "ratio": 0, "resources": {"cpu": "2"}}}


@pytest.mark.parametrize(
    ("plain", "treated", "expected"),
    [
        ({}, {}, None),
        ({}, PROXY, 2.0),
        (PROXY, {**PROXY, **TDE}, None),
        (PROXY, {}, None),
        ({}, GOCRYPTFS, 0.25),
        (PROXY, {**PROXY, **GOCRYPTFS}, 0.25),
    ],
)
def test_cores_beside_the_server(
    plain: dict[str, Any], treated: dict[str, Any], expected: float | None
) -> None:
    modes = (EncryptionModeSpec.model_validate(mode) for mode in (plain, treated))
    assert more_beside(*modes) == expected


def test_no_cores_without_a_loss_or_of_a_server_elsewhere() -> None:
    assert capacity(8.0, BOUND, BOUND) is None
    assert capacity(None, BOUND, row("DatabaseBound", LOSS)) is None
    everything = Interval(estimate=0.7, low=0.2, high=1.0)
    assert capacity(8.0, BOUND, row("DatabaseBound", everything)) is None


def test_a_saturated_server_s_loss_is_told_as_cores() -> None:
    found = report_of(Study(concurrency=(64,)))
    comparison = found.groups[0].comparisons[0]
    assert comparison.capacity is not None
    assert comparison.loss is not None
    assert comparison.capacity.cores == 2
    assert comparison.capacity.needed == pytest.approx(2 / (1 - comparison.loss.estimate), rel=1e-4)
    headline = found.headlines[0]
    assert headline.so.startswith("So for the same TPS 2 cores become 2.1")
    assert headline.so.removeprefix("So f") in headline.text.replace("For the", "for the")

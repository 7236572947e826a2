"""How many blocks a pilot asks for."""

import math

import pytest

from encbench.core.statistics import intervals
from encbench.core.statistics.intervals import Estimate
from encbench.core.statistics.precision import Plan, plan_blocks
from tests.unit.core.statistics.moments import from_moments


def pilot(deviation: float, blocks: int = 6, mean: float = -0.05) -> Estimate:
    return from_moments(blocks, mean, deviation)


def test_it_is_steins_number() -> None:
    # t(0.975; 5) = 2.5706; (2.5706 · 0.03 / 0.02)² = 14.87
    found = plan_blocks({"tde": pilot(0.03)}, target=0.02, cap=30)
    assert (found.planned, found.wanted, found.capped) == (15, 15, False)
    assert found.half_width == pytest.approx(2.5706 * 0.03 / math.sqrt(6), rel=1e-4)


@pytest.mark.parametrize(("deviation", "expected"), [(0.001, 6), (0.019, 6), (0.0195, 7)])
def test_the_pilot_may_be_enough(deviation: float, expected: int) -> None:
    found = plan_blocks({"tde": pilot(deviation)}, target=0.02, cap=30)
    assert (found.planned, found.capped) == (expected, False)


def test_no_spread_at_all_asks_for_nothing_more() -> None:
    assert plan_blocks({"tde": pilot(0.0)}, 0.02, 30).planned == 6


def test_the_cap_holds_and_is_said() -> None:
    found = plan_blocks({"tde": pilot(0.10)}, target=0.02, cap=30)
    assert (found.planned, found.wanted, found.capped) == (30, 166, True)
    wild = plan_blocks({"tde": pilot(500.0)}, target=0.001, cap=30)
    assert (wild.planned, wild.wanted) == (30, 1_000_000)
    narrow = plan_blocks({"tde": pilot(0.10)}, target=1e-160, cap=30)
    assert (narrow.planned, narrow.wanted) == (30, 1_000_000)


@pytest.mark.parametrize(
    ("deviation", "pilots", "cap", "planned", "wanted", "capped"),
    [
        (0.03, 6, 30, 16, 15, False),
        (0.0501, 30, 30, 30, 30, False),
        (0.06, 30, 30, 30, 38, True),
        (0.04, 6, 26, 26, 27, True),
        (0.039, 6, 26, 26, 26, False),
    ],
)
def test_what_whole_sets_of_testbeds_add_is_not_what_the_target_requires(
    deviation: float, pilots: int, cap: int, planned: int, wanted: int, capped: bool
) -> None:
    found = plan_blocks({"tde": pilot(deviation, pilots)}, target=0.02, cap=cap, group=4)
    assert (found.planned, found.wanted, found.capped) == (planned, wanted, capped)


def test_a_cap_below_the_pilot_takes_nothing_back() -> None:
    assert plan_blocks({"tde": pilot(0.10)}, 0.02, cap=4).planned == 6


def test_the_widest_arm_decides_control_included() -> None:
    arms = {"tde": pilot(0.03), "control": pilot(0.04), "tls": pilot(0.01)}
    found = plan_blocks(arms, 0.02, 100)
    assert (found.arm, found.spread) == ("control", 0.04)
    assert found.planned == plan_blocks({"control": pilot(0.04)}, 0.02, 100).planned == 27


def test_only_the_spread_is_looked_at_never_the_mean() -> None:
    plans = {plan_blocks({"tde": pilot(0.03, mean=m)}, 0.02, 30) for m in (-0.5, -0.05, 0.0, 0.3)}
    assert len(plans) == 1


def test_with_sets_of_testbeds_their_spread_decides() -> None:
    # The blocks of one set agree: six blocks say no more than the three sets do.
    ratios = [0.03, 0.03, -0.03, -0.03, 0.0, 0.0]
    figures = [math.exp(d) for d in ratios]
    apart = intervals.estimate([1.0] * 6, figures)
    sets = intervals.estimate([1.0] * 6, figures, [1, 1, 2, 2, 3, 3])
    assert apart is not None and sets is not None
    assert plan_blocks({"tde": apart}, 0.02, 1000).planned == 12
    # t(0.975; 2) · 0.03 / √3 = 0.07452; 6 · (0.07452 / 0.02)² = 83.3
    assert plan_blocks({"tde": sets}, 0.02, 1000).planned == 84


def test_a_pilot_without_an_interval_gives_the_cap() -> None:
    one = intervals.estimate([1.0], [1.1])
    assert one is not None
    found = plan_blocks({"tde": one}, 0.02, 30)
    assert found == Plan(planned=30)
    assert found.capped

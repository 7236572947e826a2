"""The verdict rule: its three answers, its correction for several modes, its two directions."""

import math
from dataclasses import replace

import numpy as np
import pytest

from encbench.core.statistics import intervals
from encbench.core.statistics.intervals import Bounds, Estimate, Sense
from encbench.core.statistics.verdict import Judgement, judge, noise_floor
from tests.unit.core.statistics.moments import from_moments


def case(loss: float, half: float) -> Estimate:
    """Nine blocks whose 95 % interval on the log scale is ±half about the given loss."""
    deviation = half * 3 / intervals.t_quantile(0.975, 8)
    return from_moments(n=9, mean=math.log1p(-loss), deviation=deviation)


def alone(one: Estimate, margin: float, sense: Sense = "loss") -> Judgement:
    return judge({"mode": one}, margin, sense)["mode"]


def lucky(one: Estimate, luck: float) -> Estimate:
    """On one set of testbeds, whose luck has that standard error."""
    return replace(one, luck=luck)


def test_a_claim_holds_in_spite_of_what_arms_leave_behind() -> None:
    """The p-value is that of a mean which is so much nearer to the limit."""
    costly, none = case(0.10, 0.01), case(0.0, 0.01)
    for one, said in ((costly, "Overhead"), (none, "Equivalent")):
        assert alone(one, 0.05).verdict == said
        assert alone(replace(one, carried=0.02), 0.05).verdict == said
        assert alone(replace(one, carried=0.06), 0.05).verdict == "Inconclusive"
    nearer = replace(costly, mean=costly.mean + 0.02)
    shifted = alone(replace(costly, carried=0.02), 0.05)
    assert shifted.overhead_p == pytest.approx(alone(nearer, 0.05).overhead_p)


def test_noise_floor_is_the_bound_furthest_from_zero() -> None:
    control = from_moments(n=4, mean=-0.01, deviation=0.005)
    bounds = control.change_bounds("loss")
    assert bounds is not None
    assert noise_floor(control) == max(abs(bounds.low), abs(bounds.high)) == bounds.high
    assert Bounds(-0.3, 0.1).largest == 0.3


def test_noise_floor_is_the_larger_of_its_readings() -> None:
    by_arm, by_testbed = case(0.0, 0.02), case(0.03, 0.02)
    assert noise_floor(by_arm, by_testbed) == noise_floor(by_testbed)
    assert noise_floor(by_testbed, by_arm) == noise_floor(by_testbed)


def test_without_an_interval_there_is_no_noise_floor() -> None:
    one_block = intervals.estimate([100.0], [90.0])
    assert noise_floor(one_block) is None
    assert noise_floor(None) is None
    assert noise_floor(case(0.0, 0.02), None) is None


@pytest.mark.parametrize(
    ("loss", "half", "expected"),
    [
        (0.10, 0.02, "Overhead"),
        (0.10, 0.06, "Inconclusive"),  # the interval reaches below the margin
        (0.01, 0.02, "Equivalent"),
        (-0.01, 0.02, "Equivalent"),
        (0.01, 0.037, "Equivalent"),
        (0.01, 0.045, "Inconclusive"),  # the 90 % interval would lie inside
        (-0.10, 0.02, "Inconclusive"),  # a gain is no overhead, and not equivalent either
    ],
)
def test_verdict(loss: float, half: float, expected: str) -> None:
    found = alone(case(loss, half), margin=0.05)
    assert found.verdict == expected
    # The same change told as an increase of something of which less is better.
    mirrored = from_moments(n=9, mean=math.log1p(loss), deviation=half * 3 / 2.306004)
    assert alone(mirrored, 0.05, "increase").verdict == expected


@pytest.mark.parametrize(
    ("loss", "luck", "expected"),
    [
        (0.15, 0.015, "Overhead"),  # t(0.95; 1) = 6.31: the placement interval is ±9.5 %
        (0.15, 0.018, "Inconclusive"),  # ±11.4 %
        (0.0, 0.007, "Equivalent"),  # ±4.4 %
        (0.0, 0.009, "Inconclusive"),  # ±5.7 %
        (0.5, 0.0, "Overhead"),
        (0.5, 30.0, "Inconclusive"),
    ],
)
def test_luck_of_one_set_of_testbeds_has_to_leave_the_verdict(
    loss: float, luck: float, expected: str
) -> None:
    assert alone(lucky(case(loss, 0.02), luck), 0.05).verdict == expected


@pytest.mark.parametrize("sense", ["loss", "increase"])
def test_tests_and_intervals_agree(sense: Sense) -> None:
    draw = np.random.default_rng(3)
    seen = set()
    for _ in range(800):
        one = from_moments(7, draw.normal(0, 0.08), draw.uniform(0.001, 0.06))
        margin = draw.uniform(0.01, 0.08)
        if draw.random() < 0.5:
            one = lucky(one, draw.uniform(0, 0.01))
        paired = one.change_bounds(sense)
        assert paired is not None
        by_luck = one.placement_bounds(sense) or paired
        low, high = min(paired.low, by_luck.low), max(paired.high, by_luck.high)
        expected = "Inconclusive"
        if low > margin:
            expected = "Overhead"
        elif -margin < low and high < margin:
            expected = "Equivalent"
        found = alone(one, margin, sense)
        assert found.verdict == expected
        seen.add((expected, one.luck is None))
    assert len(seen) == 6


def test_p_values_agree_with_scipy() -> None:
    from scipy.stats import ttest_1samp

    ratios = [-0.09, -0.11, -0.08, -0.10, -0.13, -0.07]
    one = intervals.estimate([1.0] * 6, [math.exp(d) for d in ratios])
    assert one is not None
    found = alone(one, margin=0.06)
    peer = ttest_1samp(ratios, math.log1p(-0.06))
    assert found.overhead_p == pytest.approx(peer.pvalue)
    peer = ttest_1samp(ratios, math.log1p(-0.12), alternative="greater")
    assert alone(one, margin=0.12).equivalent_p == pytest.approx(2 * peer.pvalue)


COSTLY, NONE = case(0.10, 0.01), case(0.0, 0.01)
WEAK = case(0.073, 0.022)
"""An overhead by itself, at p = 0.038, but not beside another mode."""


@pytest.mark.parametrize(
    ("one", "obstacle"),
    [
        (Estimate(n=1, mean=-0.1, deviation=None, units=1, error=None), "NoInterval"),
        (case(0.07, 0.04), "TooWide"),
        (case(-0.04, 0.05), "TooWide"),
        (case(-0.04, 0.02), "BetterThanBaseline"),
        (case(-0.10, 0.02), "BetterThanBaseline"),
        (lucky(COSTLY, 0.03), "Placement"),
        (lucky(NONE, 0.03), "Placement"),
        (replace(COSTLY, carried=0.06), "CarryOver"),
        (replace(NONE, carried=0.06), "CarryOver"),
        (replace(lucky(COSTLY, 0.005), carried=0.03), "CarryOver"),
        # Several at once: the first one is told.
        (replace(case(0.07, 0.04), carried=0.06, luck=0.03), "TooWide"),
        (replace(lucky(COSTLY, 0.03), carried=0.06), "Placement"),
        # That a cost is ruled out is a claim as well: 15 points from the margin, luck of ±19 %.
        (lucky(case(-0.10, 0.02), 0.03), "Placement"),
        (lucky(case(-0.10, 0.02), 0.01), "BetterThanBaseline"),
        (replace(case(-0.10, 0.02), carried=0.2), "CarryOver"),
        (replace(case(-0.10, 0.02), carried=0.05), "BetterThanBaseline"),
    ],
)
def test_what_stood_in_the_way(one: Estimate, obstacle: str) -> None:
    for found in (alone(one, 0.05), judge({"mode": one, "other": WEAK}, 0.05)["mode"]):
        assert (found.verdict, found.obstacle) == ("Inconclusive", obstacle)


@pytest.mark.parametrize("one", [WEAK, lucky(WEAK, 0.001), case(0.005, 0.044)])
def test_only_what_others_take_away_is_laid_on_the_correction(one: Estimate) -> None:
    assert alone(one, 0.05).obstacle is None
    beside = judge({"mode": one, "other": case(0.05, 0.05)}, 0.05)["mode"]
    twice = judge({"mode": one}, 0.05, looks=2)["mode"]
    for found in (beside, twice):
        assert (found.verdict, found.obstacle) == ("Inconclusive", "Correction")


@pytest.mark.parametrize("sense", ["loss", "increase"])
def test_a_cost_is_ruled_out_only_beside_the_other_claims(sense: Sense) -> None:
    """The placement interval just leaves the margin alone, and does not for one of two modes."""
    faster = case(-0.10, 0.02) if sense == "loss" else case(0.10, 0.02)
    one = lucky(faster, 0.0225 if sense == "loss" else 0.024)
    assert alone(one, 0.05, sense).obstacle == "BetterThanBaseline"
    beside = judge({"mode": one, "other": lucky(case(0.0, 0.3), 0.03)}, 0.05, sense)["mode"]
    twice = judge({"mode": one}, 0.05, sense, looks=2)["mode"]
    for found in (beside, twice):
        assert (found.verdict, found.obstacle) == ("Inconclusive", "Correction")


def test_a_cost_of_just_the_margin_is_seldom_ruled_out() -> None:
    """Three modes on one testbed each, whose luck is 1.5 %."""
    draw, margin, wrong = np.random.default_rng(8), 0.01, 0
    for _ in range(400):
        first, second = draw.normal(0, 0.015, 2)
        luck = math.sqrt(3 / 4) * abs(first - second)
        means = draw.normal(math.log1p(-margin) - (first + second) / 2, 0.015, 3)
        modes = {
            str(number): lucky(from_moments(6, float(mean), 0.01), luck)
            for number, mean in enumerate(means)
        }
        judged = judge(modes, margin).values()
        wrong += any(one.obstacle == "BetterThanBaseline" for one in judged)
    assert wrong / 400 < 0.05


def test_a_carry_over_that_leaves_the_claim_is_no_obstacle() -> None:
    """By itself the mode has a verdict in spite of it, and loses it to Holm's correction."""
    one = replace(WEAK, carried=0.0005)
    p = alone(one, 0.05).overhead_p
    assert p is not None and 0.025 < p < 0.05
    found = judge({"mode": one, "other": replace(case(0.05, 0.05), carried=0.0005)}, 0.05)["mode"]
    assert found.overhead_p == pytest.approx(2 * p)
    assert (found.verdict, found.obstacle) == ("Inconclusive", "Correction")


def test_several_modes_are_corrected_for_their_number() -> None:
    strong, weak = case(0.15, 0.02), case(0.073, 0.022)
    assert alone(weak, 0.05).verdict == "Overhead"
    two = judge({"weak": weak, "strong": strong}, 0.05)
    assert two["strong"].verdict == "Overhead"
    assert two["weak"].verdict == "Overhead", "the last of Holm's steps is not corrected"
    other = judge({"weak": weak, "none": case(0.05, 0.05)}, 0.05)
    assert other["weak"].verdict == "Inconclusive"
    before, after = alone(weak, 0.05).overhead_p, other["weak"].overhead_p
    assert before is not None and after == pytest.approx(2 * before)


def test_equivalence_is_corrected_by_itself() -> None:
    near = case(0.005, 0.044)
    assert alone(near, 0.05).verdict == "Equivalent"
    found = judge({"near": near, "far": case(0.3, 0.02)}, 0.05)
    assert found["near"].verdict == "Inconclusive"
    assert found["far"].verdict == "Overhead"


def test_a_mode_without_an_interval_does_not_count_as_a_claim() -> None:
    one_block = intervals.estimate([100.0], [90.0])
    assert one_block is not None
    found = judge({"one": one_block, "weak": case(0.073, 0.022)}, 0.05)
    assert found["one"] == Judgement("Inconclusive", None, None, "NoInterval")
    assert found["weak"].verdict == "Overhead"


def test_a_margin_beyond_everything_admits_no_overhead() -> None:
    assert alone(case(0.9, 0.02), margin=1.7).overhead_p == 1.0


@pytest.mark.parametrize("loss", [-0.1, 0.0, 0.1])
def test_equal_figures_in_every_block_are_no_evidence(loss: float) -> None:
    """At three transactions a second and two blocks both arms may count alike by chance."""
    clock = [0.0002, -0.0001, 0.0, 0.0002, -0.0002, 0.0001]
    counts = [30 * (1 - loss) / (10 + late) for late in clock]
    for found in (
        from_moments(6, math.log1p(-loss), 0.0),
        intervals.estimate([3.0] * 6, counts),
        intervals.estimate([3.0, 2.9, 3.1], [3.0 * (1 - loss), 2.9 * (1 - loss), 3.1 * (1 - loss)]),
    ):
        assert found is not None
        judged = alone(found, 0.05)
        assert (judged.verdict, judged.obstacle) == ("Inconclusive", "NoSpread")


def test_each_look_is_held_to_its_part_of_the_error() -> None:
    found = case(0.08, 0.02)
    once, twice = (judge({"mode": found}, 0.05, looks=looks)["mode"] for looks in (1, 2))
    assert once.overhead_p is not None
    assert twice.overhead_p == pytest.approx(2 * once.overhead_p)
    bounds = found.change_bounds("loss", 0.975)
    assert bounds is not None
    for margin, verdict in ((bounds.low - 1e-4, "Overhead"), (bounds.low + 1e-4, "Inconclusive")):
        assert judge({"mode": found}, margin, looks=2)["mode"].verdict == verdict

"""Intervals against published, hand-computed and independently computed examples."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from encbench.core.statistics import intervals
from encbench.core.statistics.intervals import Estimate, estimate


def rates(seed: int, blocks: int = 8, ratio: float = 0.93) -> tuple[list[float], list[float]]:
    """Two arms of a campaign in which the treatment runs at `ratio` of the baseline."""
    generator = np.random.default_rng(seed)
    machine = generator.normal(0, 0.10, blocks)
    baseline = 400 * np.exp(machine + generator.normal(0, 0.02, blocks))
    treatment = 400 * ratio * np.exp(machine + generator.normal(0, 0.02, blocks))
    return baseline.tolist(), treatment.tolist()


def of(
    baseline: list[float], treatment: list[float], units: Sequence[Hashable] | None = None
) -> Estimate:
    found = estimate(baseline, treatment, units)
    assert found is not None
    return found


def test_three_blocks_by_hand() -> None:
    # d = ln 0.9, ln 10/11, ln 8/9; mean -0.1061512, s 0.0112573, t(0.975; 2) = 4.3026527
    found = of([100, 110, 90], [90, 100, 80])
    assert found.change("loss") == pytest.approx(0.100711, abs=1e-6)
    bounds = found.change_bounds("loss")
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx((0.075208, 0.125511), abs=2e-6)


def test_the_paired_example_of_jain() -> None:
    # Jain 1991, example 13.4: differences of six workloads, 90 % interval (-7.75, 7.11)
    differences = [-13.7, 13.1, -2.8, -1.1, -3.0, 5.6]
    bounds = of([1.0] * 6, [math.exp(d) for d in differences]).bounds(0.90)
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx((-7.75, 7.11), abs=0.01)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.90, 0.95])
def test_agrees_with_scipy(seed: int, level: float) -> None:
    from scipy.stats import ttest_rel

    baseline, treatment = rates(seed)
    peer = ttest_rel(np.log(treatment), np.log(baseline)).confidence_interval(level)
    bounds = of(baseline, treatment).bounds(level)
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx((peer.low, peer.high), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_swapping_the_arms_turns_the_ratio_over(seed: int) -> None:
    baseline, treatment = rates(seed)
    one, other = of(baseline, treatment), of(treatment, baseline)
    assert (1 - one.change("loss")) * (1 - other.change("loss")) == pytest.approx(1)
    a, b = one.change_bounds("loss"), other.change_bounds("loss")
    assert a is not None and b is not None
    assert (1 - a.low) * (1 - b.high) == pytest.approx(1)
    assert (1 - a.high) * (1 - b.low) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(5))
def test_unit_and_speed_of_the_machine_do_not_matter(seed: int) -> None:
    baseline, treatment = rates(seed)
    factors = np.random.default_rng(seed + 100).uniform(0.1, 10, len(baseline))
    plain = of(baseline, treatment)
    scaled = of((factors * baseline).tolist(), (factors * treatment).tolist())
    assert scaled.mean == pytest.approx(plain.mean)
    assert scaled.deviation == pytest.approx(plain.deviation)


def test_increase_is_the_ratio_less_one() -> None:
    found = of([2.0, 2.0, 2.0], [2.2, 2.3, 2.1])
    assert found.change("increase") == pytest.approx((1.1 * 1.15 * 1.05) ** (1 / 3) - 1)
    bounds = found.change_bounds("increase")
    assert bounds is not None
    assert bounds.low < found.change("increase") < bounds.high


def test_the_estimate_is_the_ratio_of_geometric_means() -> None:
    baseline, treatment = rates(3)
    ratio = intervals.geometric_mean(treatment) / intervals.geometric_mean(baseline)
    assert 1 - of(baseline, treatment).change("loss") == pytest.approx(ratio)


def test_one_block_has_an_estimate_and_no_interval() -> None:
    found = of([100.0], [90.0])
    assert found.change("loss") == pytest.approx(0.1)
    assert found.bounds() is None
    assert found.change_bounds("loss") is None
    assert found.change_bounds("increase") is None


def test_no_block_has_no_estimate() -> None:
    assert estimate([], []) is None


@pytest.mark.parametrize("figure", [0.0, -1.0, math.nan, math.inf])
def test_a_figure_without_a_logarithm_is_refused(figure: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        estimate([1.0], [figure])


def test_arms_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="longer"):
        estimate([1.0], [1.0, 2.0])


def test_blocks_on_one_set_of_testbeds_are_one_unit() -> None:
    # Two blocks on each of three sets: with sets of equal size the error is that of their means.
    ratios = [0.02, 0.04, -0.05, -0.01, 0.08, 0.10]
    found = of([1.0] * 6, [math.exp(d) for d in ratios], [1, 1, 2, 2, 3, 3])
    means = [0.03, -0.03, 0.09]
    assert found.units == 3
    assert found.degrees == 2
    assert found.mean == pytest.approx(sum(means) / 3)
    assert found.error == pytest.approx(np.std(means, ddof=1) / math.sqrt(3))
    bounds = found.bounds()
    assert bounds is not None
    assert bounds.high - found.mean == pytest.approx(4.30265 * 0.0346410, rel=1e-4)


def test_units_of_one_block_each_change_nothing() -> None:
    baseline, treatment = rates(1)
    assert of(baseline, treatment, list("abcdefgh")) == of(baseline, treatment)


def test_sets_of_unequal_size_keep_the_mean_of_all_blocks() -> None:
    # By hand: mean 0.02; sums of d - mean by set are 0.03, 0.00, -0.03; 3/2 · 0.0018 / 25.
    ratios = [0.05, 0.01, 0.03, 0.0, 0.01]
    found = of([1.0] * 5, [math.exp(d) for d in ratios], [1, 2, 2, 3, 3])
    assert found.mean == pytest.approx(0.02)
    assert found.error == pytest.approx(math.sqrt(1.5 * 0.0018 / 25))
    assert found.degrees == pytest.approx(25 / 9 - 1)


def test_a_set_of_few_blocks_counts_for_less_than_a_full_one() -> None:
    """Where luck is all the noise; as five full sets, these would cover in 92 %."""
    sizes = (10, 10, 10, 9, 1)
    units = [number for number, size in enumerate(sizes) for _ in range(size)]
    draw, hits = np.random.default_rng(1), 0
    for _ in range(1500):
        luck, noise = draw.normal(0, 0.015, len(sizes)), draw.normal(0, 0.001, len(units))
        found = intervals.of_ratios((luck[units] + noise).tolist(), units)
        bounds = found.bounds() if found else None
        assert bounds is not None
        hits += bounds.low <= 0 <= bounds.high
    assert hits / 1500 > 0.93


def test_sets_that_weigh_almost_as_one_leave_one_degree() -> None:
    found = intervals.of_ratios([0.01 * n for n in range(11)], units=[0] * 10 + [1])
    assert found is not None and found.degrees == 1


def test_one_set_of_testbeds_has_no_interval() -> None:
    found = of([100.0, 101.0], [90.0, 95.0], [1, 1])
    assert found.deviation is not None
    assert found.bounds() is None
    assert found.half_width() is None


def test_both_arms_of_the_baseline_count_alike() -> None:
    assert intervals.both([100.0, 50.0], [121.0, 200.0]) == pytest.approx([110.0, 100.0])


def test_the_placement_interval_is_that_of_one_difference() -> None:
    # t(0.95; 1) = 6.3138
    found = replace(of([100.0, 100.0], [91.0, 89.0]), luck=0.01)
    bounds = found.placement_bounds("loss")
    assert bounds is not None
    assert math.log(1 - bounds.low) - math.log(1 - bounds.high) == pytest.approx(2 * 0.063138, 1e-4)
    assert bounds.low < found.change("loss") < bounds.high
    assert of([100.0, 100.0], [91.0, 89.0]).placement_bounds("loss") is None
    assert replace(found, luck=1e6).placement_bounds("increase") is not None, "stays finite"


def test_luck_of_two_campaigns_has_two_degrees_of_freedom() -> None:
    # t(0.95; 2) = 2.9200
    found = intervals.of_ratios([-0.1, -0.1, -0.1, -0.1], campaigns=[0, 0, 1, 1])
    assert found is not None
    bounds = replace(found, luck=0.01).placement_bounds("loss")
    assert bounds is not None
    assert math.log(1 - bounds.low) - math.log(1 - bounds.high) == pytest.approx(2 * 0.029200, 1e-4)


# ------------------------------------------------------------------------------ follow-ups


def test_pooled_blocks_spread_around_each_campaigns_own_mean() -> None:
    """Two groups with one variance, as in an analysis of variance by hand."""
    days = [-0.10, -0.12, -0.11], [0.01, -0.01, 0.02, 0.00]
    found = intervals.of_ratios([*days[0], *days[1]], campaigns=[0, 0, 0, 1, 1, 1, 1])
    assert found is not None
    squares = 0.0002 + 0.0005
    assert found.mean == pytest.approx(-0.31 / 7)
    assert found.degrees == 5
    assert found.error == pytest.approx(math.sqrt(squares / 5 / 7))
    assert found.deviation == pytest.approx(math.sqrt(squares / 5))


def test_pooled_sets_of_testbeds_are_clusters_around_their_campaigns_mean() -> None:
    ratios = [0.02, 0.04, 0.00, -0.02, 0.31, 0.33, 0.29, 0.27]
    found = intervals.of_ratios(ratios, units=[1, 1, 2, 2, 3, 3, 4, 4], campaigns=[0] * 4 + [1] * 4)
    assert found is not None
    sums = [0.04, -0.04, 0.04, -0.04]
    assert found.degrees == 2
    assert found.error == pytest.approx(math.sqrt(4 / 2 * sum(s * s for s in sums)) / 8)


def test_a_campaign_each_with_one_block_gives_no_interval() -> None:
    found = intervals.of_ratios([0.1, 0.3], campaigns=[0, 1])
    assert found is not None
    assert (found.error, found.deviation, found.bounds()) == (None, None, None)

"""The statistics against published, hand-computed and independently computed examples."""

import math

import numpy as np
import pytest

from encbench.core import statistics
from encbench.core.statistics import Bounds, Estimate, estimate


def rates(seed: int, blocks: int = 8, ratio: float = 0.93) -> tuple[list[float], list[float]]:
    """Two arms of a campaign in which the treatment runs at `ratio` of the baseline."""
    generator = np.random.default_rng(seed)
    machine = generator.normal(0, 0.10, blocks)
    baseline = 400 * np.exp(machine + generator.normal(0, 0.02, blocks))
    treatment = 400 * ratio * np.exp(machine + generator.normal(0, 0.02, blocks))
    return baseline.tolist(), treatment.tolist()


def of(baseline: list[float], treatment: list[float]) -> Estimate:
    found = estimate(baseline, treatment)
    assert found is not None
    return found


def test_three_blocks_by_hand() -> None:
    # d = ln 0.9, ln 10/11, ln 8/9; mean -0.1061512, s 0.0112573, t(0.975; 2) = 4.3026527
    found = of([100, 110, 90], [90, 100, 80])
    assert found.loss == pytest.approx(0.100711, abs=1e-6)
    bounds = found.loss_bounds()
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
    assert (1 - one.loss) * (1 - other.loss) == pytest.approx(1)
    a, b = one.loss_bounds(), other.loss_bounds()
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
    assert found.increase == pytest.approx((1.1 * 1.15 * 1.05) ** (1 / 3) - 1)
    bounds = found.increase_bounds()
    assert bounds is not None
    assert bounds.low < found.increase < bounds.high


def test_the_estimate_is_the_ratio_of_geometric_means() -> None:
    baseline, treatment = rates(3)
    ratio = statistics.geometric_mean(treatment) / statistics.geometric_mean(baseline)
    assert 1 - of(baseline, treatment).loss == pytest.approx(ratio)


def test_one_block_has_an_estimate_and_no_interval() -> None:
    found = of([100.0], [90.0])
    assert found.loss == pytest.approx(0.1)
    assert found.bounds() is None
    assert found.loss_bounds() is None
    assert found.increase_bounds() is None
    assert statistics.noise_floor(found) is None
    assert statistics.verdict(found, 0.01, 0.05) == "Inconclusive"


def test_no_block_has_no_estimate() -> None:
    assert estimate([], []) is None
    assert statistics.noise_floor(None) is None


@pytest.mark.parametrize("figure", [0.0, -1.0, math.nan, math.inf])
def test_a_figure_without_a_logarithm_is_refused(figure: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        estimate([1.0], [figure])


def test_arms_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="1 baseline figures for 2"):
        estimate([1.0], [1.0, 2.0])


def test_noise_floor_is_the_bound_furthest_from_zero() -> None:
    control = Estimate(n=4, mean=-0.01, deviation=0.005)
    bounds = control.loss_bounds()
    assert bounds is not None
    assert statistics.noise_floor(control) == max(abs(bounds.low), abs(bounds.high)) == bounds.high
    assert Bounds(-0.3, 0.1).largest == 0.3


def case(loss: float, half: float) -> Estimate:
    """Nine blocks whose 95 % interval on the log scale is ±half about the given loss."""
    deviation = half * 3 / statistics.t_quantile(0.975, 8)
    return Estimate(n=9, mean=math.log1p(-loss), deviation=deviation)


@pytest.mark.parametrize(
    ("loss", "half", "floor", "expected"),
    [
        (0.10, 0.02, 0.02, "Overhead"),
        (0.10, 0.02, 0.09, "Inconclusive"),  # the noise floor reaches above the lower bound
        (0.10, 0.06, 0.02, "Inconclusive"),  # the interval reaches below the margin
        (0.10, 0.02, None, "Inconclusive"),  # nothing is known of the noise
        (0.01, 0.02, 0.02, "Equivalent"),
        (-0.01, 0.02, 0.02, "Equivalent"),
        (0.01, 0.045, 0.02, "Equivalent"),  # the 95 % interval leaves the margin, the 90 % one not
        (0.01, 0.06, 0.02, "Inconclusive"),
        (-0.10, 0.02, 0.02, "Inconclusive"),  # a gain is no overhead, and not equivalent either
    ],
)
def test_verdict(loss: float, half: float, floor: float | None, expected: str) -> None:
    assert statistics.verdict(case(loss, half), floor, margin=0.05) == expected


def test_false_overhead_is_rare_without_an_effect() -> None:
    # Not the calibration of the rule, only a guard against a gross slip of sign or level.
    alarms = 0
    for seed in range(200):
        baseline, treatment = rates(seed, blocks=6, ratio=1.0)
        _, control = rates(seed + 1000, blocks=6, ratio=1.0)
        floor = statistics.noise_floor(estimate(baseline, control))
        alarms += statistics.verdict(of(baseline, treatment), floor, 0.01) == "Overhead"
    assert alarms <= 5

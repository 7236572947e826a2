"""How many observations a narrower interval takes, against tables of Student's t."""

import math

import pytest

from encbench.core.statistics.demand import MOST, observations
from encbench.core.statistics.intervals import Estimate, of_ratios


def spread(deviation: float, units: int) -> Estimate:
    """An estimate of that many observations with that standard deviation."""
    error = deviation / math.sqrt(units)
    return Estimate(n=units, mean=-0.05, deviation=deviation, units=units, error=error)


def test_by_the_tables() -> None:
    # t(0.975; 17) = 2.110 and t(0.975; 16) = 2.120: 2.110 · 0.02 / √18 = 0.00995, which 17 miss
    # with 2.120 · 0.02 / √17 = 0.01028.
    assert observations(spread(0.02, 12), 0.01) == 18


def test_few_observations_do_not_call_for_too_many_more() -> None:
    # By the t of two observations, 12.71, it would be 646 in place of 18.
    assert observations(spread(0.02, 2), 0.01) == 18


def test_what_is_narrow_enough_needs_no_more() -> None:
    assert observations(spread(0.02, 30), 0.01) == 30


def test_the_number_is_the_smallest_that_does() -> None:
    for deviation in (0.004, 0.03, 0.2):
        found = observations(spread(deviation, 5), 0.01)
        assert found is not None
        assert (spread(deviation, found).half_width() or 1) <= 0.01
        assert found == 5 or (spread(deviation, found - 1).half_width() or 0) > 0.01


@pytest.mark.parametrize("target", [0.0, -0.1, 1e-9])
def test_no_number_reaches_every_target(target: float) -> None:
    assert observations(spread(0.2, 5), target) is None


def test_without_a_spread_there_is_no_number() -> None:
    one = of_ratios([0.1])
    assert one is not None
    assert observations(one, 0.01) is None


def test_the_most_is_far_above_any_campaign() -> None:
    found = observations(spread(1.0, 5), 0.005)
    assert found is not None
    assert found < MOST

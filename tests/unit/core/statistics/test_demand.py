"""How many observations a narrower interval takes, against tables of Student's t."""

import math
from dataclasses import replace

import pytest

from encbench.core.statistics.demand import MOST, in_all
from encbench.core.statistics.intervals import Estimate, of_ratios


def spread(deviation: float, units: int) -> Estimate:
    """An estimate of that many observations with that standard deviation."""
    error = deviation / math.sqrt(units)
    return Estimate(n=units, mean=-0.05, deviation=deviation, units=units, error=error)


def observations(found: Estimate, target: float) -> int | None:
    """Around one mean."""
    return in_all(found, found.units, target, lambda count: count - 1)


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


def test_each_campaign_s_mean_takes_a_degree_of_freedom() -> None:
    # t(0.975; 15) = 2.131: 2.131 · 0.02 / √18 = 0.01005, so it takes one more.
    three = replace(spread(0.02, 12), campaigns=3)
    assert in_all(three, 12, 0.01, lambda count: count - three.campaigns) == 19


def test_where_degrees_stay_only_the_error_shrinks() -> None:
    # t(0.975; 10) = 2.228: (2.228 · 0.02 / 0.01)² = 19.86.
    assert in_all(spread(0.02, 12), 12, 0.01, lambda _: 10) == 20
    # Counted in rounds, of which an observation has eight: 158.8.
    assert in_all(spread(0.02, 12), 96, 0.01, lambda _: 10) == 159


@pytest.mark.parametrize(("least", "needed"), [(13, 18), (18, 18), (30, 30)])
def test_fewer_than_are_asked_for_are_not_looked_at(least: int, needed: int) -> None:
    found = spread(0.02, 12)
    assert in_all(found, 12, 0.01, lambda count: count - 1, least) == needed


def test_an_interval_needs_a_degree_of_freedom() -> None:
    assert in_all(spread(0.001, 2), 2, 0.01, lambda count: count - 2) == 3


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

"""Changes of level: found where they are, and rarely where there is none."""

import math
import random
from itertools import permutations
from statistics import median

import numpy as np
import pytest
from scipy.stats import rankdata

from encbench.core.statistics.changes import LEVEL, _drawn, _gains, _split, course, needed


def noise(count: int, seed: int = 1, level: float = 0.0) -> list[float]:
    drawn = random.Random(seed)
    return [level + drawn.gauss(0, 1) for _ in range(count)]


def test_a_step_is_found_at_its_place_with_its_levels() -> None:
    values = [*noise(10), *noise(8, 2, 5.0)]
    found = course(values)
    (change,) = found.changes
    assert change.place == 10
    assert (change.before, change.after) == (median(values[:10]), median(values[10:]))
    assert found.p == change.p <= 0.001


def test_both_steps_of_a_bump_are_found() -> None:
    found = course([*noise(10), *noise(10, 2, 6.0), *noise(10, 3)])
    assert [change.place for change in found.changes] == [10, 20]
    first, second = found.changes
    assert first.after == second.before > max(first.before, second.after) + 4


def test_parts_before_and_after_a_change_share_its_level() -> None:
    """By itself this part would change: two of 70 orders split it so well."""
    part = [0.01, 0.02, 0.03, 0.04, 9.01, 9.02, 9.03, 9.04]
    assert [change.place for change in course(part).changes] == [4]
    for values, place in (([*noise(10, 3, -100), *part], 10), ([*part, *noise(10, 3, 100)], 8)):
        assert [change.place for change in course(values).changes] == [place]


@pytest.mark.parametrize("place", [0, 7, 14])
def test_one_strange_campaign_is_no_level(place: int) -> None:
    values = noise(15)
    values[place] += 12
    assert not course(values).changes


def test_equal_values_never_change() -> None:
    assert course([0.5] * 12).p == 1.0


def test_too_few_values_give_no_answer() -> None:
    assert needed() == 8
    assert course([0.0] * 3 + [9.0] * 4).p is None
    p = course([0.01, 0.02, 0.03, 0.04, 9.01, 9.02, 9.03, 9.04]).p
    assert p == pytest.approx(2 / math.comb(8, 4))


@pytest.mark.parametrize("level", [LEVEL, 0.025, 0.01, LEVEL / 600, LEVEL / 6, LEVEL / 23])
def test_with_as_many_as_needed_a_change_can_be_shown(level: float) -> None:
    count = needed(level)
    values = [number / 1000 + (number >= count // 2) for number in range(count)]
    assert course(values, level).changes
    assert course(values[1:], level).p is None


@pytest.mark.parametrize("ties", [False, True])
def test_all_orders_of_a_short_series_are_counted(ties: bool) -> None:
    values = [3.0, 1.0, 2.0, 2.5, 7.0, 5.0, 6.0, 4.0]
    if ties:
        values = [min(value, 5.0) for value in values]
    series = rankdata(values)
    every = np.array([*permutations(series)])
    best = _gains(every).max(axis=-1)
    expected = np.mean(best >= _gains(series).max() * (1 - 1e-9))
    assert course(values).p == pytest.approx(expected)


def test_p_values_of_long_series_go_on_from_those_of_short_ones() -> None:
    values = [*noise(9), *noise(9, 2, 1.7)]
    _, p = _split(values, LEVEL)
    assert 0.01 < p < 0.2
    assert _drawn(rankdata(values), LEVEL) == pytest.approx(p, abs=0.015)


def test_a_series_that_never_changes_is_rarely_said_to() -> None:
    """Of 120 series about six at 5 %; more than 14 would happen once in 1,000 times."""
    drawn = random.Random(11)
    skewed = [[drawn.expovariate(1) for _ in range(14)] for _ in range(120)]
    assert 1 <= sum(bool(course(values).changes) for values in skewed) <= 14


def test_equal_series_give_equal_answers() -> None:
    assert course(noise(20)) == course(noise(20))

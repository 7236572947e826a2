"""Observations from rounds: units, autocorrelation, carry-over."""

import math
import random
from collections.abc import Sequence
from statistics import fmean

import numpy as np
import pytest

from encbench.core.statistics.intervals import Estimate, of_ratios
from encbench.core.statistics.rounds import (
    Amounts,
    batches,
    carry_over,
    common_spread,
    lag_one,
    overall,
)
from encbench.core.timetable import timetable

A, A2, T = 0, 1, 2


def amounts(tps: float, seconds: float = 2.5) -> Amounts:
    return Amounts(tps * seconds, seconds)


def simulated(
    blocks: int,
    rounds: int,
    cost: float,
    *,
    carry: float = 0.0,
    noise: float = 0.02,
    seed: int = 1,
    arms: int = 3,
) -> tuple[list[list[list[Amounts]]], list[Sequence[int]]]:
    """Blocks on a machine that drifts by far more than the cost, and the order of their slots.

    Every arm but the baseline's two has that cost, and slows the next slot by the carry-over.
    """
    draw = random.Random(seed)
    found: list[list[list[Amounts]]] = []
    orders: list[Sequence[int]] = []
    speed = 0.0
    for number in range(blocks):
        turns = timetable(rounds=rounds, arms=arms, seed=seed + number)
        block = []
        for one in range(rounds):
            speed = 0.98 * speed + draw.gauss(0, 0.05)
            slots = [amounts(1.0)] * arms
            for place in range(arms):
                slot = arms * one + place
                log = speed + draw.gauss(0, noise) - (cost if turns[slot] >= T else 0.0)
                log += carry if slot and turns[slot - 1] >= T else 0.0
                slots[turns[slot]] = amounts(500 * math.exp(log))
            block.append(slots)
        found.append(block)
        orders.append(turns)
    return found, orders


def test_batches_cover_the_block_in_order() -> None:
    assert batches(20, 6) == [range(20)]
    assert batches(20, 1) == [range(n, n + 2) for n in range(0, 20, 2)]
    assert [len(batch) for batch in batches(100, 1)] == [5] * 20
    assert [len(batch) for batch in batches(20, 3)] == [3, 3, 4, 3, 3, 4]
    assert batches(3, 1) == [range(3)]


def compare(blocks: list[list[list[Amounts]]], arm: int) -> Estimate:
    """An arm against the mean of A and A', unit by unit."""
    found = []
    for block in blocks:
        for batch in batches(len(block), len(blocks)):
            logs = [math.log(overall([block[n][own] for n in batch]) or 0) for own in (arm, A, A2)]
            found.append(logs[0] - (logs[1] + logs[2]) / 2)
    estimate = of_ratios(found)
    assert estimate is not None
    return estimate


def test_a_figure_over_rounds_is_that_of_their_sums() -> None:
    assert overall([amounts(100), amounts(25)]) == pytest.approx(62.5)
    assert overall([amounts(100), amounts(0)]) == pytest.approx(50)
    assert overall([amounts(100), Amounts(50, 0.5)]) == pytest.approx(100)
    assert overall([amounts(0), amounts(0)]) is None


def test_few_transactions_in_a_slot_leave_a_large_cost_as_it_is() -> None:
    """A mean of logarithms would have it at 51 % with 30 transactions in a slot, 15 of the mode."""
    draw = np.random.default_rng(4)
    counts = draw.poisson([30, 30, 15], (2000, 20, 3))
    blocks = [[[Amounts(count, 2.5) for count in one] for one in block] for block in counts]
    assert -math.expm1(compare(blocks, T).mean) == pytest.approx(0.5, abs=0.004)


def test_one_block_finds_a_cost_far_below_the_drift() -> None:
    found = compare(simulated(1, 40, 0.05)[0], T)
    half = found.half_width()
    assert found.units == 20
    assert half is not None
    assert half < 0.02
    assert abs(found.mean + 0.05) < half


@pytest.mark.parametrize(("blocks", "rounds"), [(1, 30), (3, 20), (8, 12)])
def test_intervals_cover(blocks: int, rounds: int) -> None:
    hits = 0
    for seed in range(300):
        found = compare(simulated(blocks, rounds, 0.05, seed=1000 * seed)[0], T)
        bounds = found.bounds()
        assert bounds is not None
        hits += bounds.low <= -0.05 <= bounds.high
    assert 0.91 <= hits / 300 <= 0.985


def test_neighbours_that_resemble_each_other_are_noticed() -> None:
    draw = random.Random(3)
    white = [[draw.gauss(0, 1) for _ in range(60)]]
    found = lag_one(white)
    assert found is not None
    assert not found.matters
    value, slow = 0.0, []
    for _ in range(60):
        value = 0.8 * value + draw.gauss(0, 1)
        slow.append(value)
    found = lag_one([slow[:30], slow[30:]])
    assert found is not None
    assert found.matters
    assert (found.pairs, lag_one([[1.0, 2.0]]), lag_one([[1.0] * 9])) == (58, None, None)


@pytest.mark.parametrize("arms", [3, 6])
@pytest.mark.parametrize("blocks", [1, 6])
def test_what_an_arm_leaves_behind_is_found_as_large_as_it_is(blocks: int, arms: int) -> None:
    """All of it, however many arms there are; in both kinds of units."""
    seeds = range(0, 1000, 50)
    found = [
        carry_over(*simulated(blocks, 240 // blocks, 0.05, carry=-0.1, seed=n, arms=arms), (A, A2))
        for n in seeds
    ]
    known = [one for one in found if one is not None]
    assert len(known) == len(seeds)
    assert fmean(one.mean for one in known) == pytest.approx(-0.1, abs=0.006)
    bounds = [one.bounds() for one in known]
    assert sum(it is not None and it.low <= -0.1 <= it.high for it in bounds) >= 17


def test_without_carry_over_none_is_found() -> None:
    blocks, orders = simulated(6, 40, 0.05)
    none = carry_over(blocks, orders, (A, A2))
    assert none is not None
    assert none.half_width() is not None
    assert abs(none.mean) < 2 * (none.half_width() or 0.0)


def test_the_first_slot_of_a_block_comes_after_none() -> None:
    """The last slot of the block, by the same index less one, is no predecessor."""
    one = [amounts(100), amounts(90), amounts(100)]
    assert carry_over([[one]], [(A, T, A2)], (A, A2)) is None


def test_a_slot_after_the_same_arm_s_own_is_no_counterpart() -> None:
    """Of two rounds only the first compares a slot after T with one after the other arm."""
    rounds = [[amounts(100)] * 3, [amounts(100), amounts(90), amounts(50)]]
    found = carry_over([rounds], [(T, A2, A, A, T, A2)], (A, A2))
    assert found is not None and found.mean == 0


def test_carry_over_of_one_set_of_testbeds_is_one_observation() -> None:
    """In blocks, and in the batches of few blocks; also where two campaigns are pooled."""
    for blocks, sets, campaigns, units in (
        (6, (1, 1, 2, 2, 3, 3), None, 3),
        (4, (1, 1, 2, 2), None, 2),
        (6, (1, 1, 2, 2, 3, 3), (0, 0, 1, 1, 1, 1), 3),
    ):
        found = carry_over(*simulated(blocks, 40, 0.05), (A, A2), campaigns, sets)
        alone = carry_over(*simulated(blocks, 40, 0.05), (A, A2), campaigns)
        assert found is not None and alone is not None
        assert (found.units, found.mean) == (units, alone.mean)
        assert (found.n, found.campaigns) == (alone.n, alone.campaigns)
        assert alone.units == alone.n > found.units


def test_a_common_spread_leaves_out_what_each_value_has_alone() -> None:
    draw = random.Random(1)
    series = []
    for level in range(40):
        common = [level + draw.gauss(0, 0.08) for _ in range(25)]
        series.append([(one + draw.gauss(0, 0.1), one + draw.gauss(0, 0.02)) for one in common])
    assert common_spread(series) == pytest.approx(0.08, rel=0.05)
    apart = [[(draw.gauss(0, 0.1), draw.gauss(0, 0.1)) for _ in range(25)] for _ in range(40)]
    found = common_spread(apart)
    assert found is not None
    assert found < 0.03
    assert common_spread([[(0.0, 1.0), (1.0, 0.0)] * 6]) == 0.0, "they go against each other"


def test_a_common_spread_of_few_pairs_is_not_told() -> None:
    assert common_spread([[(0.0, 0.0), (1.0, 1.0)]] * 5) is None
    assert common_spread([[(0.0, 0.0), (1.0, 1.0)]] * 6) == pytest.approx(math.sqrt(0.5))
    assert common_spread([]) is None


def test_a_common_spread_rests_on_pairs_and_not_on_series() -> None:
    """One degree of freedom with a variance of 0.5, beside ten with none."""
    short, long = [(0.0, 0.0), (1.0, 1.0)], [(0.0, 0.0)] * 11
    assert common_spread([short, long]) == pytest.approx(math.sqrt(0.5 / 11))

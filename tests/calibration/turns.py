"""Simulated campaigns of interleaved blocks: the product's timetable, batches and verdicts.

Only what an arm counts in its slots is made up. The machine is that of the measurements behind
docs/design/0011-interleaved-blocks.md: its speed wanders within seconds and within minutes, and may
switch between two levels; a slot has noise of its own. A treatment may leave work behind that slows
whichever arm has the next slot (`carry`).
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from encbench.core.statistics import verdict
from encbench.core.statistics.intervals import of_ratios
from encbench.core.statistics.rounds import Amounts, batches, carry_over, lag_one, noticed, overall
from encbench.core.timetable import GUARD, timetable
from encbench.report.analysis.pairs import LUCK
from tests.calibration.machine import Array, at_the_faster_speed

ARMS = 3
"""A, A' and one treatment."""
SEEDS = 300
"""Different timetables; to draw one takes longer than to simulate its block."""
COUNTED = 2.5
"""Seconds of a slot."""
BETWEEN_BLOCKS = 10
"""Slots that a block's proofs and warm-up take."""


@dataclass(frozen=True)
class SlotNoise:
    """What the machine does to ln TPS; standard deviations."""

    own: float = 0.03
    """Of a slot."""
    short: float = 0.08
    short_seconds: float = 15.0
    """How long it is remembered."""
    slow: float = 0.05
    slow_seconds: float = 600.0
    speeds: float = 1.0
    """How much faster the faster of two speeds is that the machine switches between."""
    placement: float = 0.0
    """Of a testbed's luck."""
    treated: float = 1.0
    """A treatment's own noise, as a multiple of a plain arm's."""


@dataclass(frozen=True)
class Interleaved:
    """What a user writes, and what the mode does."""

    blocks: int = 1
    rounds: int = 40
    rebuilt: bool = False
    """`perTestbed: 1`."""
    margin: float = 0.05
    carry: float = 0.0
    """By how much a slot is slower where the treatment ran before it."""

    @property
    def slots(self) -> int:
        """Of a block."""
        return self.rounds * ARMS


@dataclass(frozen=True)
class TurnsOutcome:
    """Shares and means over many campaigns of a mode that costs nothing."""

    campaigns: int
    coverage: float
    """Of the 95 % intervals: how many contain the true cost."""
    half_width: float
    wrong_overhead: float
    """An `Overhead` if the mode costs just the margin."""
    wrong_equivalent: float
    """The same of an `Equivalent`."""
    carried: float
    """Carry-over was noticed: its interval leaves out 0."""
    correlated: float
    """Neighbouring units were found to depend on each other."""


@cache
def _table(design: Interleaved, seed: int) -> tuple[int, ...]:
    return timetable(rounds=design.rounds, arms=ARMS, seed=seed)


def run_turns(noise: SlotNoise, design: Interleaved, campaigns: int, seed: int) -> TurnsOutcome:
    """That many campaigns."""
    draw = np.random.default_rng(seed)
    machine = _machine(draw, noise, design, campaigns)
    luck = noise.placement * draw.normal(size=(campaigns, design.blocks, ARMS))
    if not design.rebuilt:
        luck[:] = luck[:, :1]
    judged = [_judged(draw, noise, design, n, machine[n], luck[n]) for n in range(campaigns)]
    return TurnsOutcome(campaigns, *map(float, np.mean(judged, axis=0)))


def _machine(
    draw: np.random.Generator, noise: SlotNoise, design: Interleaved, campaigns: int
) -> Array:
    """The machine's ln speed, campaigns x blocks x slots."""
    period = 3.0 + GUARD
    length = design.slots + BETWEEN_BLOCKS
    shape = (campaigns, design.blocks * length)
    level = _remembered(draw, shape, period / noise.short_seconds) * noise.short
    level += _remembered(draw, shape, period / noise.slow_seconds) * noise.slow
    if noise.speeds > 1:
        level += np.log(noise.speeds) * at_the_faster_speed(draw, shape, period / 60)
    found: Array = level.reshape(campaigns, design.blocks, length)[:, :, : design.slots]
    return found


def _remembered(draw: np.random.Generator, shape: tuple[int, int], step: float) -> Array:
    """An AR(1) process with a standard deviation of 1; `step` is a slot in units of its memory."""
    rho = math.exp(-step)
    found = draw.normal(size=shape)
    for slot in range(1, shape[1]):
        found[:, slot] = rho * found[:, slot - 1] + math.sqrt(1 - rho**2) * found[:, slot]
    return found


def _judged(
    draw: np.random.Generator,
    noise: SlotNoise,
    design: Interleaved,
    campaign: int,
    machine: Array,
    luck: Array,
) -> tuple[float, ...]:
    """One campaign: the shares and means of `TurnsOutcome`, in its order."""
    ratios: list[list[float]] = []
    found, orders, by_testbed = [], [], []
    for block in range(design.blocks):
        turns = np.array(_table(design, (campaign * design.blocks + block) % SEEDS))
        # A and A' take turns on their testbeds.
        swapped = (campaign + block) % 2 == 1
        testbed = np.array([1, 0, 2] if swapped else [0, 1, 2])[turns]
        treated = turns == ARMS - 1
        own = noise.own * np.where(treated, noise.treated, 1.0) * draw.normal(size=design.slots)
        logs = machine[block] + luck[block][testbed] + own
        logs[1:] -= design.carry * treated[:-1]
        rounds = _rounds(logs, turns)
        found.append(rounds)
        orders.append(turns.tolist())
        ratios.append([])
        for batch in batches(design.rounds, design.blocks):
            first, again, mode = (_log(rounds, batch, arm) for arm in range(ARMS))
            ratios[-1].append(mode - (first + again) / 2)
            by_testbed.append(first - again if swapped else again - first)
    luck_seen = None if design.rebuilt else LUCK * abs(float(np.mean(by_testbed)))
    correlation = lag_one(ratios)
    units = range(design.blocks) if design.rebuilt else None
    carried = noticed(carry_over(found, orders, (0, 1), units=units))
    return (
        *_held(design, ratios, luck_seen, carried),
        carried > 0,
        correlation is not None and correlation.matters,
    )


def _rounds(logs: Array, turns: NDArray[np.int64]) -> list[list[Amounts]]:
    """What each arm counted in each round, in the order of the arms."""
    places = np.argsort(turns.reshape(-1, ARMS), axis=1)
    by_arm = np.take_along_axis(np.exp(logs).reshape(-1, ARMS), places, axis=1)
    return [[Amounts(COUNTED * rate, COUNTED) for rate in row] for row in by_arm.tolist()]


def _log(rounds: list[list[Amounts]], batch: range, arm: int) -> float:
    figure = overall([rounds[number][arm] for number in batch])
    assert figure is not None
    return math.log(figure)


def _held(
    design: Interleaved, ratios: list[list[float]], luck: float | None, carried: float
) -> tuple[bool, float, bool, bool]:
    """Whether the interval covers, its half-width, and the verdicts if the mode cost the margin."""
    flat = [(block, n, ratio) for block, own in enumerate(ratios) for n, ratio in enumerate(own)]
    units = [block if design.rebuilt else (block, n) for block, n, _ in flat]
    one = of_ratios([ratio for *_, ratio in flat], units)
    assert one is not None
    half = one.half_width()
    assert half is not None
    marginal = replace(one, mean=one.mean + math.log1p(-design.margin), luck=luck, carried=carried)
    said = verdict.judge({"mode": marginal}, design.margin)["mode"].verdict
    return abs(one.mean) <= half, half, said == "Overhead", said == "Equivalent"

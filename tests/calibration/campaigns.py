"""Simulated campaigns: the product's own plan and its own verdicts on a simulated machine's noise.

The order of trials and the testbeds they run on are `core.plan`'s, the number of blocks, intervals
and verdicts `core.statistics`'; only what a trial measures is made up. Beside them stands the naive
estimator on the same draws: all runs of one arm, then all of the other, compared by their
per-second samples as if these were independent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from encbench.api.campaign import Blocks, CampaignSpec
from encbench.api.testbed import Arm
from encbench.core import plan
from encbench.core.plan import Cell, LoadLevel
from encbench.core.statistics import intervals, verdict
from encbench.core.statistics.intervals import Sense, of_ratios, t_quantile
from encbench.core.statistics.precision import plan_blocks
from encbench.report.analysis.pairs import LUCK, interval
from encbench.report.compare.difference import Delta, Says, difference, luck_explains
from encbench.report.figures import TPS
from tests.calibration.machine import SECONDS, Array, Noise, seconds, slots

CONDITION = LoadLevel("rw", 4)
SEEDS = 300
"""Different orders of trials; to draw one takes longer than to simulate its campaign."""


@dataclass(frozen=True)
class Design:
    """What a user writes, as far as it matters here."""

    modes: int = 1
    pilot: int = 6
    cap: int = 30
    target: float | None = 0.02
    margin: float = 0.05
    per_testbed: int = 0
    cost: float = 0.0
    """What each mode truly costs."""
    sense: Sense = "loss"
    """A fixed rate is judged by CPU per transaction, whose cost is an increase."""

    @cached_property
    def blocks(self) -> Blocks:
        """As the campaign has it; asked for in every campaign."""
        return Blocks(min=self.pilot, max=self.cap, per_testbed=self.per_testbed)

    @property
    def most(self) -> int:
        """Blocks to simulate."""
        return self.pilot if self.target is None else self.cap

    def log(self, cost: float) -> float:
        """The log-ratio of a mode that costs that much."""
        return float(np.log1p(-cost if self.sense == "loss" else cost))


@dataclass(frozen=True)
class Outcome:
    """What came of many campaigns; shares and means over them."""

    campaigns: int
    cv: float
    """Between repeats of one arm, as drawn."""
    coverage: float
    """Of the 95 % intervals of the modes' cost: how many contain it."""
    half_width: float
    """Of these intervals, on the log scale."""
    blocks: float
    capped: float
    """Cut off by blocks.max."""
    overhead: float
    """An `Overhead` of any of the modes."""
    equivalent: float
    """An `Equivalent` of every mode."""
    wrong_overhead: float
    """An `Overhead` of any of the modes, if they cost just the margin; the worst case."""
    wrong_equivalent: float
    """The same of an `Equivalent`."""
    overhead_by_interval: float
    """The lower bound of any of the modes above zero: a verdict with neither margin nor placement,
    nor correction for their number."""
    naive_coverage: float
    naive_overhead: float
    """The naive interval's lower bound above the margin."""


def _spec(modes: int) -> CampaignSpec:
    names = [f"mode{n}" for n in range(1, modes + 1)]
    entry = {"instanceRefs": ["small"], "modeRefs": names, "workloadRefs": ["rw"]}
    return CampaignSpec.model_validate({"matrix": [entry], "baselineModeRef": "plain"})


@cache
def _cell(modes: int) -> Cell:
    arms = plan.arms(_spec(modes).matrix[0], "plain")
    return Cell("c0000000", "small", arms, (CONDITION,))


@cache
def _orders(modes: int, campaigns: int, blocks: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """By campaign and block: each arm's place, and whether baseline and control are swapped.

    Swapped they sit on each other's testbed. A campaign's number is its seed, up to `SEEDS`.
    """
    if campaigns > SEEDS:
        places, swapped = _orders(modes, SEEDS, blocks)
        again = np.arange(campaigns) % SEEDS
        return places[again], swapped[again]
    cell = _cell(modes)
    places = np.empty((campaigns, blocks, len(cell.arms)), dtype=np.int64)
    swapped = np.empty((campaigns, blocks), dtype=np.bool_)
    index = {arm.name: n for n, arm in enumerate(cell.arms)}
    first = cell.arms[0]
    for seed in range(campaigns):
        for block in range(1, blocks + 1):
            for place, arm in enumerate(plan.block_order(seed, cell, CONDITION, block)):
                places[seed, block - 1, index[arm.name]] = place
            seat: Arm = plan.seats(seed, cell, CONDITION, block)[first.name]
            swapped[seed, block - 1] = seat.name != first.name
    return places, swapped


def run(noise: Noise, design: Design, campaigns: int, seed: int) -> Outcome:
    """That many campaigns."""
    draw = np.random.default_rng(seed)
    arms, blocks = design.modes + 2, design.most
    machine = slots(draw, noise, campaigns, arms * blocks)
    places, swapped = _orders(design.modes, campaigns, blocks)
    measured = _measured(draw, noise, design, machine, places, swapped)
    ratios, by_testbed = _ratios(measured, swapped)
    judged = [_judge(design, ratios[n], by_testbed[n]) for n in range(campaigns)]
    counts = np.array([one.blocks for one in judged])
    naive = _naive(draw, noise, machine, counts)
    true_log = design.log(design.cost)
    loss_low = -np.expm1(naive.mean + true_log + naive.half)
    return Outcome(
        campaigns=campaigns,
        cv=float(np.expm1(measured[:, :, 0]).std(axis=1, ddof=1).mean()),
        naive_coverage=float((np.abs(naive.mean) <= naive.half).mean()),
        naive_overhead=float((loss_low > design.margin).mean()),
        **{field.name: _mean(judged, field.name) for field in fields(_Judged)},
    )


def _ratios(measured: Array, swapped: NDArray[np.bool_]) -> tuple[Array, Array]:
    """By campaign and block: A' against A, then each mode against both; and by testbed."""
    control = measured[:, :, 1] - measured[:, :, 0]
    modes = measured[:, :, 2:] - measured[:, :, :2].mean(axis=2, keepdims=True)
    ratios = np.concatenate([control[:, :, None], modes], axis=2)
    return ratios, np.where(swapped, -1, 1) * control


def compared(noise: Noise, designs: tuple[Design, Design], campaigns: int, seed: int) -> float:
    """How often two campaigns that share nothing are said to differ, though their costs are one."""
    draw = np.random.default_rng(seed)
    sides = [_side(draw, noise, design, campaigns) for design in designs]
    said = [_says(*both) for both in zip(*sides, strict=True)]
    return float(np.mean([one in ("higher", "lower") for one in said]))


def _side(
    draw: np.random.Generator, noise: Noise, design: Design, campaigns: int
) -> list[intervals.Estimate]:
    """The mode of each campaign."""
    machine = slots(draw, noise, campaigns, 3 * design.pilot)
    places, swapped = _orders(1, campaigns, design.pilot)
    ratios, by_testbed = _ratios(_measured(draw, noise, design, machine, places, swapped), swapped)
    shifted = ratios[:, :, 1] + design.log(design.cost)
    return [
        _with_luck(design, _estimate(design, own, design.pilot), beds)
        for own, beds in zip(shifted, by_testbed, strict=True)
    ]


def _says(first: intervals.Estimate, second: intervals.Estimate) -> Says:
    a, b = interval(first, "loss"), interval(second, "loss")
    lucks = [
        [] if estimate.luck is None else [estimate.luck * (1 - change.estimate)]
        for estimate, change in ((first, a), (second, b))
    ]
    return Delta(TPS, a, b, difference(a, b), luck_explains(*lucks)).says


def order_of(design: Design, seed: int, blocks: int) -> list[tuple[int, str, str]]:
    """Block, arm and testbed of each trial as `_orders` has them, for a test to compare."""
    places, swapped = _orders(design.modes, seed + 1, blocks)
    arms = _cell(design.modes).arms
    found = []
    for block in range(blocks):
        for n in np.argsort(places[seed, block]):
            seat = n if n > 1 or not swapped[seed, block] else 1 - n
            found.append((block + 1, arms[n].name, arms[seat].name))
    return found


def planned_order(design: Design, seed: int, blocks: int) -> list[tuple[int, str, str]]:
    """The same as the planner gives it, one trial after the other."""
    cell = _cell(design.modes)
    spec = _spec(design.modes).model_copy(
        update={"seed": seed, "blocks": Blocks(min=blocks, max=blocks)}
    )
    past: list[plan.Past] = []
    found = []
    while (planned := plan.next_trial(spec, cell, past).next_trial) is not None:
        found.append((planned.block, planned.arm.name, planned.seat.name))
        attempt = plan.Past(cell.name, CONDITION, planned.block, planned.arm.name, "Succeeded")
        past.append(attempt)
    return found


def _mean(judged: "Sequence[_Judged]", field: str) -> float:
    return float(np.mean([getattr(one, field) for one in judged]))


def _measured(
    draw: np.random.Generator,
    noise: Noise,
    design: Design,
    machine: Array,
    places: NDArray[np.int64],
    swapped: NDArray[np.bool_],
) -> Array:
    """By campaign, block and arm, ln TPS: the noise of the arm's slot and that of its testbed."""
    campaigns, blocks, arms = places.shape
    slot = np.arange(blocks)[None, :, None] * arms + places
    found = np.take_along_axis(machine, slot.reshape(campaigns, -1), axis=1).reshape(slot.shape)
    sets = [plan.generation(design.blocks, block) - 1 for block in range(1, blocks + 1)]
    luck = noise.placement * draw.normal(size=(campaigns, max(sets) + 1, arms))
    rate = noise.ageing * draw.normal(1, 0.1, size=(campaigns, max(sets) + 1, arms))
    used = np.array([sets[:block].count(sets[block]) for block in range(blocks)])
    on_testbed = luck[:, sets, :] - rate[:, sets, :] * used[None, :, None]
    first, second = on_testbed[:, :, 0].copy(), on_testbed[:, :, 1].copy()
    on_testbed[:, :, 0] = np.where(swapped, second, first)
    on_testbed[:, :, 1] = np.where(swapped, first, second)
    own = (noise.treated**2 - 1) ** 0.5 * noise.cv * draw.normal(size=(campaigns, blocks, arms))
    own[:, :, :2] = 0
    return np.asarray(found + on_testbed + own)


@dataclass(frozen=True)
class _Judged:
    """One campaign; the fields are those of `Outcome`."""

    blocks: int
    capped: bool
    coverage: float
    half_width: float
    overhead: bool
    equivalent: bool
    wrong_overhead: bool
    wrong_equivalent: bool
    overhead_by_interval: bool


def _judge(design: Design, ratios: Array, by_testbed: Array) -> _Judged:
    """One campaign. `ratios` are blocks x comparisons of modes that cost nothing, A' first."""
    names = ["control", *(f"mode{n}" for n in range(1, design.modes + 1))]
    blocks, capped = design.pilot, False
    if design.target is not None:
        pilots = {name: _estimate(design, ratios[:, n], blocks) for n, name in enumerate(names)}
        if not design.per_testbed:
            pilots["control"] = _estimate(design, by_testbed, blocks)
        planned = plan_blocks(pilots, design.target, design.cap, plan.group(design.blocks))
        blocks, capped = planned.planned, planned.capped
    found = {
        name: _with_luck(design, _estimate(design, ratios[:, n], blocks), by_testbed[:blocks])
        for n, name in enumerate(names[1:], 1)
    }
    free = [one.change_bounds(design.sense) for one in found.values()]
    halves = [one.half_width() or 0.0 for one in found.values()]
    real, marginal = (
        {name: replace(one, mean=one.mean + design.log(cost)) for name, one in found.items()}
        for cost in (design.cost, design.margin)
    )
    verdicts = _verdicts(real, design.margin, design.sense)
    bounds = [one.change_bounds(design.sense) for one in real.values()]
    return _Judged(
        blocks=blocks,
        capped=capped,
        coverage=float(np.mean([b is not None and b.low <= design.cost <= b.high for b in bounds])),
        half_width=float(np.mean(halves)),
        overhead="Overhead" in verdicts,
        equivalent=set(verdicts) == {"Equivalent"},
        wrong_overhead="Overhead" in _verdicts(marginal, design.margin, design.sense),
        wrong_equivalent="Equivalent" in _verdicts(marginal, design.margin, design.sense),
        overhead_by_interval=any(b is not None and b.low > 0 for b in free),
    )


def _verdicts(found: Mapping[str, intervals.Estimate], margin: float, sense: Sense) -> list[str]:
    return [one.verdict for one in verdict.judge(found, margin, sense).values()]


def _with_luck(design: Design, one: intervals.Estimate, by_testbed: Array) -> intervals.Estimate:
    """With what is known about the luck of a set of testbeds that is kept."""
    if design.per_testbed:
        return one
    return replace(one, luck=LUCK * abs(float(by_testbed.mean())))


def _estimate(design: Design, ratios: Array, blocks: int) -> intervals.Estimate:
    units: Sequence[int] = [plan.unit(design.blocks, block) for block in range(1, blocks + 1)]
    found = of_ratios(ratios[:blocks].tolist(), units)
    assert found is not None
    return found


@dataclass(frozen=True)
class _Naive:
    mean: Array
    """ln ratio of the second half of the runs to the first, of modes that cost nothing."""
    half: Array
    """Of its interval."""


def _naive(
    draw: np.random.Generator, noise: Noise, machine: Array, runs: NDArray[np.int64]
) -> _Naive:
    """As many runs of each arm, one arm after the other, and Welch's interval of their seconds."""
    samples = seconds(draw, noise, machine)
    sums, squares = samples.sum(axis=2).cumsum(axis=1), (samples**2).sum(axis=2).cumsum(axis=1)
    row = np.arange(len(runs))

    def moments(first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Array, Array]:
        def between(totals: Array) -> Array:
            before = np.where(first > 0, totals[row, np.maximum(first - 1, 0)], 0.0)
            return np.asarray(totals[row, last - 1] - before)

        n = (last - first) * SECONDS
        mean = between(sums) / n
        return mean, (between(squares) / n - mean**2) / (n - 1)

    zero = np.zeros_like(runs)
    one, one_error = moments(zero, runs)
    other, other_error = moments(runs, 2 * runs)
    quantile = t_quantile(0.975, int(2 * SECONDS * runs.min() - 2))
    return _Naive(mean=other - one, half=quantile * np.sqrt(one_error + other_error))

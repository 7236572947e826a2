"""Observations from the rounds of interleaved blocks.

A round gives every arm one slot, so that what rounds compare is seconds apart. d = ln T -
(ln A + ln A') / 2 of figures over the same rounds leaves the machine's drift out. Single rounds are
not independent, because the machine's speed and the server's background work last for longer. With
`ENOUGH_BLOCKS` blocks or more a block is therefore the unit of observation. With fewer the units
are batches of consecutive rounds (Conway, "Some tactical problems in digital simulation",
Management Science 10(1), 1963; Law, Simulation Modeling and Analysis, 5th ed. 2015, section 9.5.3),
whose lag-1 autocorrelation is reported.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from statistics import covariance, fmean

from encbench.core.statistics.intervals import Estimate, of_ratios

ENOUGH_BLOCKS = 6
"""Blocks from which on the block is the unit."""
MOST_BATCHES = 20
"""Batches over all blocks: more would be shorter, and depend on each other."""
SHORTEST_BATCH = 2
"""Rounds."""
LAG_ONE_LEVEL = 1.645
"""One-sided 5 % of the normal distribution, by which a positive autocorrelation is noticed."""
ENOUGH_PAIRS = 12
"""For a spread: a demo that is cut short has fewer."""


@dataclass(frozen=True)
class Amounts:
    """One arm's slot: the share of two sums, such as transactions and seconds."""

    top: float
    bottom: float


Round = Sequence[Amounts]
"""One slot of each arm, in the order of the arms."""


def batches(rounds: int, blocks: int) -> list[range]:
    """The batches of a block of that many rounds, one of `blocks`; the whole block if enough."""
    if blocks >= ENOUGH_BLOCKS or rounds < 2 * SHORTEST_BATCH:
        return [range(rounds)]
    length = max(SHORTEST_BATCH, math.ceil(rounds * blocks / MOST_BATCHES))
    count = max(1, rounds // length)
    edges = [number * rounds // count for number in range(count + 1)]
    return [range(start, end) for start, end in pairwise(edges)]


def overall(slots: Sequence[Amounts]) -> float | None:
    """An arm's figure over some rounds, as over a window: the sums' share; None without amounts.

    The machine's drift is in the sums of all arms alike, because they share the rounds. A mean of
    the slots' logarithms would be biased: with n transactions in a slot, E ln n is about 1/(2n)
    below the logarithm of what was to be expected, so a mode that halves TPS would lose 1/(2n)
    more.
    """
    top, bottom = math.fsum(slot.top for slot in slots), math.fsum(slot.bottom for slot in slots)
    return top / bottom if top > 0 and bottom > 0 else None


def _positive(slot: Amounts) -> bool:
    return slot.top > 0 and slot.bottom > 0


def _log(slot: Amounts) -> float:
    return math.log(slot.top / slot.bottom)


@dataclass(frozen=True)
class Autocorrelation:
    """Of neighbouring observations."""

    value: float
    """Lag 1, from -1 to 1."""
    pairs: int

    @property
    def matters(self) -> bool:
        """Whether it is positive beyond chance, so that an interval would be too narrow."""
        return self.value * math.sqrt(self.pairs) > LAG_ONE_LEVEL


def lag_one(series: Sequence[Sequence[float]]) -> Autocorrelation | None:
    """Over several series with a common mean; None with fewer than four pairs of neighbours."""
    everything = [value for one in series for value in one]
    pairs = [pair for one in series for pair in pairwise(one)]
    if len(pairs) < 4:
        return None
    mean = fmean(everything)
    spread = math.fsum((value - mean) ** 2 for value in everything)
    if spread == 0:
        return None
    shared = math.fsum((a - mean) * (b - mean) for a, b in pairs)
    return Autocorrelation(shared / spread * len(everything) / len(pairs), len(pairs))


def common_spread(series: Sequence[Sequence[tuple[float, float]]]) -> float | None:
    """Standard deviation, within each series, of what the two values of a pair have in common.

    Each value has noise of its own as well, so the variance of the common part is their covariance.
    Every series has at least two pairs; None with fewer than `ENOUGH_PAIRS` in all.
    """
    if sum(map(len, series)) < ENOUGH_PAIRS:
        return None
    free = [len(pairs) - 1 for pairs in series]
    within = [covariance(*zip(*pairs, strict=True)) for pairs in series]
    shared = math.fsum(map(mul, free, within)) / sum(free)
    return math.sqrt(max(shared, 0.0))


def carry_over(
    blocks: Sequence[Sequence[Round]],
    orders: Sequence[Sequence[int]],
    same: Sequence[int],
    campaigns: Sequence[Hashable] | None = None,
    units: Sequence[Hashable] | None = None,
) -> Estimate | None:
    """How much a slot's figure changes, on the log scale, where another mode ran before it.

    `orders` are the blocks' turns, slot by slot; `same` are the arms of the baseline mode, A and
    A'. Of each round in which one of them follows a treatment and the other one follows its
    counterpart: c = ln (after the treatment) - ln (after the counterpart), which leaves the
    machine's drift out. Observations are as above, each the mean of its rounds; `campaigns` and
    `units` name the campaign and the unit of each block, as in `intervals.estimate`. None where no
    observation has such a round.
    """
    found: list[float] = []
    of: list[int] = []
    for number, (block, order) in enumerate(zip(blocks, orders, strict=True)):
        for part in batches(len(block), len(blocks)):
            ratio = _after_another(block, order, part, same)
            if ratio is not None:
                found.append(ratio)
                of.append(number)
    return of_ratios(
        found,
        units=units and [units[number] for number in of],
        campaigns=campaigns and [campaigns[number] for number in of],
    )


def noticed(found: Estimate | None) -> float:
    """The largest carry-over that its interval allows, on the log scale; 0 where that has zero."""
    bounds = found.bounds() if found else None
    if bounds is None or bounds.low <= 0 <= bounds.high:
        return 0.0
    return bounds.largest


def _after_another(
    block: Sequence[Round], order: Sequence[int], part: range, same: Sequence[int]
) -> float | None:
    arms = len(block[0])
    found: list[float] = []
    for number in part:
        if not all(_positive(slot) for slot in block[number]):
            continue
        # By whether a treatment ran before; the two arms of the baseline at most.
        after: dict[bool, float] = {}
        for slot in range(max(1, number * arms), (number + 1) * arms):
            arm, before = order[slot], order[slot - 1]
            if arm in same and before != arm:
                after[before not in same] = _log(block[number][arm])
        if len(after) == 2:
            found.append(after[True] - after[False])
    return fmean(found) if found else None

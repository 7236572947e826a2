"""Observations from the rounds of interleaved blocks.

A round gives every arm one slot, so a round's comparison is of figures that are seconds apart:
d = ln T - (ln A + ln A') / 2, which leaves the machine's drift out. Rounds of one block are not
independent, because the machine's speed and the server's background work last for longer than a
round. With `ENOUGH_BLOCKS` blocks or more the mean of a block is therefore the unit of observation.
With fewer the units are means of batches of consecutive rounds (Conway, "Some tactical problems in
digital simulation", Management Science 10(1), 1963; Law, Simulation Modeling and Analysis, 5th ed.
2015, section 9.5.3), whose lag-1 autocorrelation is reported.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from encbench.core.statistics.intervals import Estimate, of_ratios

ENOUGH_BLOCKS = 6
"""Blocks from which on the block is the unit."""
MOST_BATCHES = 20
"""Batches over all blocks: more would be shorter, and depend on each other."""
SHORTEST_BATCH = 2
"""Rounds."""
LAG_ONE_LEVEL = 1.645
"""One-sided 5 % of the normal distribution, by which a positive autocorrelation is noticed."""


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


def log_ratio(rounds: Sequence[Round], arm: int, baselines: Sequence[int]) -> float | None:
    """The mean of d over some rounds; None where a sum over them is not positive.

    Where a slot of one round had no transaction, d is that of the sums over all of them.
    """
    if all(_positive(slot) for one in rounds for slot in (one[arm], *(one[b] for b in baselines))):
        return fmean(
            _log(one[arm]) - fmean(_log(one[baseline]) for baseline in baselines) for one in rounds
        )
    sums = [
        Amounts(math.fsum(one[n].top for one in rounds), math.fsum(one[n].bottom for one in rounds))
        for n in (arm, *baselines)
    ]
    if not all(map(_positive, sums)):
        return None
    return _log(sums[0]) - fmean(map(_log, sums[1:]))


def _positive(slot: Amounts) -> bool:
    return slot.top > 0 and slot.bottom > 0


def _log(slot: Amounts) -> float:
    return math.log(slot.top / slot.bottom)


def compare(
    blocks: Sequence[Sequence[Round]], arm: int, baselines: Sequence[int]
) -> Estimate | None:
    """One arm against the baselines over all blocks, by units; None without a single unit."""
    found = units(blocks, arm, baselines)
    return of_ratios(found) if found else None


def units(blocks: Sequence[Sequence[Round]], arm: int, baselines: Sequence[int]) -> list[float]:
    """The log-ratios of all units, in order."""
    ratios = [
        log_ratio([block[n] for n in batch], arm, baselines)
        for block in blocks
        for batch in batches(len(block), len(blocks))
    ]
    return [ratio for ratio in ratios if ratio is not None]


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


def carry_over(
    blocks: Sequence[Sequence[Round]], orders: Sequence[Sequence[int]], same: Sequence[int]
) -> Estimate | None:
    """How much a slot's figure changes, on the log scale, where another mode ran before it.

    `orders` are the blocks' turns, slot by slot; `same` are the arms of the baseline mode, whose
    slots are compared: those after a treatment with those after each other. Units are as above.
    None where no unit has both kinds.
    """
    found: list[float] = []
    for block, order in zip(blocks, orders, strict=True):
        for part in batches(len(block), len(blocks)):
            ratio = _after_another(block, order, part, same)
            if ratio is not None:
                found.append(ratio)
    return of_ratios(found) if found else None


def _after_another(
    block: Sequence[Round], order: Sequence[int], part: range, same: Sequence[int]
) -> float | None:
    arms = len(block[0])
    after: dict[bool, list[float]] = {True: [], False: []}
    for number in part:
        if not all(_positive(slot) for slot in block[number]):
            continue
        middle = fmean(_log(block[number][arm]) for arm in same)
        for place in range(arms):
            slot = number * arms + place
            arm = order[slot]
            if arm in same and slot > 0 and order[slot - 1] != arm:
                after[order[slot - 1] not in same].append(_log(block[number][arm]) - middle)
    if not after[True] or not after[False]:
        return None
    return fmean(after[True]) - fmean(after[False])

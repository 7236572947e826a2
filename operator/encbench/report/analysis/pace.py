"""How long a block takes, by when the blocks of its cell began.

A trial begins during the warm-up of the trial before it, so trials overlap and the sum of their
times is too large. A cell runs one block after the other: what a block takes is the time until the
cell's next one begins, under whichever condition. The first block takes a little less, because no
trial was before it; the last one is counted until its last window ends, which is a little more. The
median passes over both, and over a block during which the campaign was suspended.

While a campaign runs, `reconcile.campaign.pace` goes by the time between two loads instead.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from encbench.api.conditions import parse_time
from encbench.report.analysis.pairs import Blocks
from encbench.report.document.trial import TrialView


@dataclass(frozen=True)
class _Begun:
    """A block of any condition of the cell."""

    at: float
    trials: tuple[TrialView, ...]

    @property
    def generation(self) -> int:
        """The set of testbeds that it ran on."""
        return self.trials[0].generation


@dataclass(frozen=True)
class BlockTime:
    """The time that a block took."""

    block: _Begun
    seconds: float
    anew: bool
    """Testbeds were built anew after it."""

    def is_of(self, names: set[str]) -> bool:
        """Whether its trials have these names."""
        return any(trial.name in names for trial in self.block.trials)


def block_seconds(blocks: Blocks, in_cell: Sequence[BlockTime], per_testbed: int) -> float:
    """What one more of a condition's valid blocks takes; 0 where no time is known.

    `in_cell` are those of all its cell's conditions. A block has its share of the time in which
    testbeds are built anew, as if no other condition ran on them.
    """
    names = {trial.name for by_arm in blocks.values() for trial in by_arm.values()}
    own = [one for one in in_cell if one.is_of(names)]
    kept = [one.seconds for one in own if not one.anew]
    if not kept:
        return median(one.seconds for one in own) if own else 0.0
    rebuilt = [one.seconds for one in in_cell if one.anew]
    if not per_testbed or not rebuilt:
        return median(kept)
    usual = median(one.seconds for one in in_cell if not one.anew)
    return median(kept) + max(0.0, median(rebuilt) - usual) / per_testbed


def block_times(in_cell: Iterable[TrialView]) -> list[BlockTime]:
    """Of all blocks of a cell, from its trials in one campaign: between two nothing is measured."""
    blocks = sorted(_begun(in_cell), key=lambda block: block.at)
    found = [
        BlockTime(block, after.at - block.at, block.generation != after.generation)
        for block, after in pairwise(blocks)
    ]
    for last in blocks[-1:]:
        ends = [trial.window.end for trial in last.trials if trial.window is not None]
        if ends:
            found.append(BlockTime(last, max(ends) - last.at, anew=False))
    return found


def _begun(in_cell: Iterable[TrialView]) -> Iterator[_Begun]:
    found: dict[tuple[str, int, int], list[TrialView]] = {}
    for trial in in_cell:
        place = (trial.workload, trial.concurrency, trial.block)
        found.setdefault(place, []).append(trial)
    for trials in found.values():
        known = [at for trial in trials if (at := _begin(trial)) is not None]
        if known:
            yield _Begun(min(known), tuple(trials))


def _begin(trial: TrialView) -> float | None:
    if trial.start_time is not None:
        return parse_time(trial.start_time).timestamp()
    return None if trial.window is None else trial.window.start

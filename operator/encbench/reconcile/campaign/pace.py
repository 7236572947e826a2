"""What lies between two trials, as those so far show it: their load is known, and the rest is not.

The end of a campaign and `kubectl encbench plan` go by the same medians, so that one long pause
does not spoil them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from encbench.api.campaign import CampaignSpec
from encbench.core.plan import generation, is_interleaved
from encbench.reconcile.campaign.ledger import Begun, condition_of
from encbench.reconcile.objects import Trial

DEAD_TIME = 5.0
"""Seconds between two loads that are assumed until some have been seen."""


class Gap(NamedTuple):
    """From the end of a load, as planned, to the next one's begin in its cell."""

    cell: str
    seconds: float
    in_turns: bool
    """Whether an interleaved block ends it."""
    is_pause: bool
    """Whether new testbeds were built in it."""
    restores: bool
    """Whether the data were restored in it."""


def gaps(starts: Sequence[Begun], spec: CampaignSpec) -> Iterator[Gap]:
    """Those between the trials of one cell, in their order."""
    openers = {start.block: start.place for start in reversed(starts)}
    for earlier, later in pairwise(starts):
        one, other = (generation(spec.blocks, start.block) for start in (earlier, later))
        yield Gap(
            cell=later.place[0],
            seconds=later.at - earlier.at - earlier.seconds,
            in_turns=is_interleaved(spec.blocks, later.block),
            is_pause=one != other,
            restores=spec.reset == "block" and openers[later.block] == later.place,
        )


def restores(trial: Trial, starts: Sequence[Begun], spec: CampaignSpec) -> bool:
    """Whether a trial that follows these of its cell has the data restored first."""
    own = condition_of(trial)
    places = (start.place for start in starts if start.block == trial.spec.block)
    return spec.reset == "block" and all(place == own for place in places)


class Between:
    """The medians of all gaps, and of each cell's own where it has some."""

    def __init__(self, found: Iterable[Gap]) -> None:
        self.pauses: list[Gap] = []
        known = defaultdict[tuple[str, bool, bool], list[float]](list)
        for gap in found:
            if gap.is_pause:
                self.pauses.append(gap)
                continue
            for cell in (gap.cell, ""):
                known[cell, gap.in_turns, gap.restores].append(gap.seconds)
        self._medians = {key: max(0.0, median(seconds)) for key, seconds in known.items()}

    def _median(self, cell: str, in_turns: bool, restores: bool, otherwise: float) -> float:
        of_all = self._medians.get(("", in_turns, restores), otherwise)
        return self._medians.get((cell, in_turns, restores), of_all)

    def usual(self, cell: str, *, in_turns: bool) -> float:
        """Seconds before a trial of that cell or, with `in_turns`, before an interleaved block."""
        return self._median(cell, in_turns, False, DEAD_TIME)

    def has_seen(self, *, in_turns: bool) -> bool:
        """Whether that is a median, and not assumed."""
        return ("", in_turns, False) in self._medians

    def restoring(self, cell: str, *, in_turns: bool) -> float:
        """Seconds that `reset: block` adds to that for the first condition of each block number."""
        usual = self.usual(cell, in_turns=in_turns)
        return max(0.0, self._median(cell, in_turns, True, usual) - usual)

    def _expected(self, gap: Gap) -> float:
        """Seconds that it would last without new testbeds."""
        usual, more = (of(gap.cell, in_turns=gap.in_turns) for of in (self.usual, self.restoring))
        return usual + more if gap.restores else usual

    @property
    def anew(self) -> float | None:
        """Seconds that new testbeds add to that; None if none have been built between trials."""
        added = [one.seconds - self._expected(one) for one in self.pauses]
        return max(0.0, median(added)) if added else None

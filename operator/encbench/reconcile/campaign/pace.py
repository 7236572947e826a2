"""What lies between two trials, as those so far show it: their load is known, and the rest is not.

The end of a campaign and `kubectl encbench plan` go by the same medians, so that one long pause
does not spoil them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from encbench.api.campaign import Blocks
from encbench.core.plan import generation, is_interleaved
from encbench.reconcile.campaign.ledger import Begun

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


def gaps(starts: Sequence[Begun], blocks: Blocks) -> Iterator[Gap]:
    """Those between the trials of one cell, in their order."""
    for earlier, later in pairwise(starts):
        one, other = (generation(blocks, start.block) for start in (earlier, later))
        yield Gap(
            cell=later.place[0],
            seconds=later.at - earlier.at - earlier.seconds,
            in_turns=is_interleaved(blocks, later.block),
            is_pause=one != other,
        )


class Between:
    """The medians of all gaps, and of each cell's own where it has some."""

    def __init__(self, found: Iterable[Gap]) -> None:
        self.pauses: list[Gap] = []
        usual = defaultdict[tuple[str, bool], list[float]](list)
        for gap in found:
            if gap.is_pause:
                self.pauses.append(gap)
                continue
            for cell in (gap.cell, ""):
                usual[cell, gap.in_turns].append(gap.seconds)
        self._usual = {key: max(0.0, median(seconds)) for key, seconds in usual.items()}

    def usual(self, cell: str, *, in_turns: bool) -> float:
        """Seconds before a trial of that cell or, with `in_turns`, before an interleaved block."""
        return self._usual.get((cell, in_turns), self._usual.get(("", in_turns), DEAD_TIME))

    @property
    def anew(self) -> float | None:
        """Seconds that new testbeds add to that; None if none have been built between trials."""
        added = [one.seconds - self.usual(one.cell, in_turns=one.in_turns) for one in self.pauses]
        return max(0.0, median(added)) if added else None

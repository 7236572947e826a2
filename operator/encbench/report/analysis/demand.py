"""What a narrower interval would take in rounds or blocks, and in minutes.

More is measured as a follow-up measures it (`kubectl encbench extend`): in whole blocks of the same
plan, pooled with those that there are. The spread is then taken around one more mean, that of the
follow-up. Rounds of few blocks come in batches, whose number is limited, and from six blocks on
each block is one observation (`core.statistics.rounds`). One block more may therefore have fewer
observations, and each number of few blocks is tried by itself. Blocks that lack the figure count
there with the others, and those of a follow-up are assumed to have it. The spread of the rounds
themselves is assumed to stay, and batches to be independent whatever their length.
"""

import math
from dataclasses import dataclass

from encbench.core.statistics.demand import in_all
from encbench.core.statistics.intervals import Estimate
from encbench.core.statistics.rounding import rounded
from encbench.core.statistics.rounds import ENOUGH_BLOCKS, batches
from encbench.core.statistics.verdict import Obstacle
from encbench.report.analysis.rounds import AMOUNTS
from encbench.report.document.group import Demand, Finding
from encbench.report.figures import JUDGED

NARROWER: tuple[Obstacle, ...] = ("TooWide", "Correction")
"""Obstacles to a verdict that a narrower interval may remove."""


@dataclass(frozen=True)
class MeasuringPace:
    """What is added to a condition's observations, and what it takes."""

    rounds: int
    """Of a block, where batches of them are the observations of a figure of slices; else 0."""
    counted: int
    """Blocks of the condition, of which some may lack a figure."""
    blocks: int
    """Of one observation elsewhere: a set of testbeds has several."""
    group: int
    """Blocks that belong together."""
    least: int
    """Blocks without which a follow-up is not accepted."""
    block_seconds: float


def demand(finding: Finding, found: Estimate, margin: float, pace: MeasuringPace) -> Demand | None:
    """For a figure without a verdict; None where more of the same would not help, or is unknown.

    The wanted half-width is half the margin, because that separates a cost of nothing from one of
    twice the margin. An interval that is as narrow already would have to be half as wide.
    """
    change = finding.change
    if finding.obstacle not in NARROWER or change is None:
        return None
    if change.low is None or change.high is None:
        return None
    half = (change.high - change.low) / 2
    target = margin / 2 if half > margin / 2 else half / 2
    # On the log scale the same change is larger, the more an arm loses.
    log_target = target / math.exp(found.mean)
    if pace.rounds and JUDGED[finding.figure].field in AMOUNTS:
        rounds = _more_rounds(found, finding.blocks, pace, log_target)
        if not rounds:
            return None
        seconds = rounded(math.ceil(rounds / pace.rounds) * pace.block_seconds)
        return Demand(half_width=rounded(target), rounds=rounds, seconds=seconds)
    units = _more_units(found, log_target)
    if not units:
        return None
    blocks = max(pace.least, pace.group * math.ceil(units * pace.blocks / pace.group))
    seconds = rounded(blocks * pace.block_seconds)
    return Demand(half_width=rounded(target), blocks=blocks, seconds=seconds)


def _more_rounds(found: Estimate, blocks: int, pace: MeasuringPace, target: float) -> int | None:
    """How many rounds more than those of so many blocks that have the figure."""
    each, have, lost = pace.rounds, blocks * pace.rounds, found.campaigns + 1
    lacking = pace.counted - blocks
    enough = ENOUGH_BLOCKS - lacking

    def in_few(after: int) -> int | None:
        degrees = after * len(batches(each, after + lacking)) - lost
        needed = in_all(found, have, target, lambda _: degrees, least=(after - 1) * each + 1)
        return needed if needed is not None and needed <= after * each else None

    def in_many() -> int | None:
        least = (enough - 1) * each + 1
        return in_all(found, have, target, lambda rounds: math.ceil(rounds / each) - lost, least)

    few = (in_few(after) for after in range(blocks, enough))
    needed = next(filter(None, few), None) or in_many()
    return None if needed is None else needed - have


def _more_units(found: Estimate, target: float) -> int | None:
    lost = math.ceil(found.units - (found.even_units or found.units))
    needed = in_all(found, found.units, target, lambda units: units - lost - found.campaigns - 1)
    return None if needed is None else needed - found.units

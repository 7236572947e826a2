"""What a narrower interval would take in rounds or blocks, and in minutes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from encbench.api.conditions import parse_time
from encbench.core.statistics.demand import observations
from encbench.core.statistics.intervals import Estimate
from encbench.report.analysis.views import rounded
from encbench.report.document.group import Demand, Finding
from encbench.report.document.trial import TrialView
from encbench.report.words.judgement import JudgementReason, reason

NARROWER = (JudgementReason.TOO_WIDE, JudgementReason.CORRECTION)
"""Obstacles to a verdict that a narrower interval may remove."""


@dataclass(frozen=True)
class MeasuringPace:
    """What one more observation takes: some rounds of a block, or whole blocks."""

    rounds: float
    """Of a block, where batches of rounds are the observations; else 0."""
    blocks: int
    """Where blocks are."""
    group: int
    """Blocks that belong together."""
    round_seconds: float
    block_seconds: float


def demand(finding: Finding, found: Estimate, margin: float, pace: MeasuringPace) -> Demand | None:
    """For a figure without a verdict; None where more of the same would not help, or is unknown.

    The wanted half-width is half the margin, because that separates a cost of nothing from one of
    twice the margin. An interval that is as narrow already would have to be half as wide.
    """
    change = finding.change
    if change is None or finding.verdict != "Inconclusive":
        return None
    if change.low is None or change.high is None or reason(finding, margin) not in NARROWER:
        return None
    half = (change.high - change.low) / 2
    target = margin / 2 if half > margin / 2 else half / 2
    # On the log scale the same change is larger, the more an arm loses.
    needed = observations(found, target / math.exp(found.mean))
    if needed is None or needed <= found.units:
        return None
    more = needed - found.units
    if pace.rounds:
        rounds = math.ceil(more * pace.rounds)
        seconds = rounded(rounds * pace.round_seconds)
        return Demand(half_width=rounded(target), rounds=rounds, seconds=seconds)
    blocks = pace.group * math.ceil(more * pace.blocks / pace.group)
    seconds = rounded(blocks * pace.block_seconds)
    return Demand(half_width=rounded(target), blocks=blocks, seconds=seconds)


def block_seconds(blocks: Mapping[int, Mapping[str, TrialView]], *, at_once: bool) -> float:
    """How long a block takes, from the creation of its trials until their windows end.

    The trials of a block run one after the other, or `at_once`.
    """
    lasted = []
    for by_arm in blocks.values():
        own = [seconds for trial in by_arm.values() if (seconds := _lasted(trial)) is not None]
        if own:
            lasted.append(max(own) if at_once else sum(own))
    return median(lasted) if lasted else 0.0


def _lasted(trial: TrialView) -> float | None:
    if trial.window is None:
        return None
    begun = parse_time(trial.start_time).timestamp() if trial.start_time else trial.window.start
    return trial.window.end - begun

"""Percentiles of latency beyond the one that is judged, from each trial's histogram.

As everywhere, the trial is the unit: each trial has its percentiles, and the report shows their
geometric mean over the valid blocks. It does not add up histograms of several trials, because the
slowest trial alone would then fill the tail.
"""

from collections.abc import Mapping

from encbench.core.statistics.histogram import Histogram, percentile
from encbench.core.statistics.interrupted import is_known
from encbench.core.statistics.intervals import geometric_mean
from encbench.core.statistics.rounding import rounded
from encbench.report.document.group import Distribution, Group
from encbench.report.document.trial import TrialView

PERCENTILES = ("50", "75", "90", "95", "99", "99.9", "99.99")
BEYOND = 10
"""Transactions that must lie beyond a percentile; fewer are a matter of chance."""


def percentiles(histogram: Histogram, missing: float = 0.0) -> dict[str, float]:
    """Each percentile in ms with enough transactions beyond it.

    `missing` is the share of transactions that the histogram lacks, all of them slow ones.
    """
    total = sum(count for _, count in histogram)
    return {
        name: percentile(histogram, float(name))
        for name in PERCENTILES
        if total * (1 - float(name) / 100) >= BEYOND and is_known(float(name), missing)
    }


def distributions(group: Group, trials: Mapping[str, TrialView]) -> tuple[Distribution, ...]:
    """Of each arm, over all blocks that count; `trials` is by name.

    They have the percentiles that every trial has. No block is left out for a trial without any:
    stalls take percentiles away, and so does a small number of transactions, so that the other
    blocks are the fast ones.
    """
    blocks = [
        {trials[name].arm: trials[name].latency_percentiles_ms for name in block.trials}
        for block in group.blocks
        if block.counted and not block.solo
    ]
    shared = [p for p in PERCENTILES if all(p in own for block in blocks for own in block.values())]
    if not blocks or not shared:
        return ()
    return tuple(
        Distribution(
            arm=arm.name,
            blocks=len(blocks),
            percentiles_ms={
                p: rounded(geometric_mean([block[arm.name][p] for block in blocks])) for p in shared
            },
        )
        for arm in group.arms
    )

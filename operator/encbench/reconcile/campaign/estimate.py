"""When a campaign will end: what is left, at the pace so far."""

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from encbench.api.campaign import Blocks, Interleave, Resolved
from encbench.api.conditions import format_time, parse_time
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import block_of
from encbench.reconcile.objects import Trial
from encbench.tools.turns import arm_seconds, load_seconds

DEAD_TIME = 5.0
"""Seconds between two measured windows that are assumed until some have been seen."""

COARSE, COARSE_SHARE = 10.0, 0.05
"""Seconds, and share of the time that is left, by which the end that is shown may be wrong."""

LONGEST = 1000 * 365 * 86_400
"""Seconds beyond which no date is shown: a plan may have windows that last centuries."""


def estimate(
    seen: CampaignSeen, left: Mapping[str, int], resolved: Resolved, blocks: Blocks
) -> str | None:
    """RFC 3339 time of the end, or None while no testbed is ready and no pace known, or too far.

    `left` are the trials that each cell still has to start, the first of them as `blocks` has it.
    The pace is the median time from one trial's start to that of the cell's next one, so that one
    long pause does not spoil it; of the last ones only, because counting all of them would take
    ever longer. Cells whose testbeds are ready are expected to go on side by side, and no more than
    these.
    """
    trials, interleave = seen.trials.values(), blocks.interleave
    ready = {bed.spec.cell for bed in seen.testbeds.values() if bed.status.ready_time}
    active = {trial.spec.cell for trial in trials if trial.status.outcome is None}
    cells = [cell for cell in left if left[cell] or cell in active]
    starts = {cell: _starts(cell, seen) for cell in left}
    gaps = [later - earlier for own in starts.values() for earlier, later in pairwise(own)]
    if not cells or not (ready or gaps):
        return None
    arms = _arms(seen) if interleave is not None and not trials else 1
    together = max(seen.ledger.together, _together(trials), arms)
    expected = _expected(resolved, trials, interleave, together)
    pace = median(gaps) if gaps else expected
    # The median has it already where every block, or every second one, waits for new testbeds.
    if blocks.per_testbed > 2 or (blocks.per_testbed and not gaps):
        pace += _preparation(seen) / blocks.per_testbed
    # Nothing is made anew after a cell's last block.
    spared = max(0.0, pace - expected) if blocks.per_testbed == 1 else 0.0
    unended = (trial for trial in trials if trial.status.outcome is None)
    starting = {trial.spec.cell for trial in unended if trial.status.start_time is None}
    needs = []
    for cell in cells:
        seconds = left[cell] / together * pace
        if cell in starting:
            seconds += pace
        elif starts[cell]:
            seconds += max(0.0, pace - (seen.now.timestamp() - starts[cell][-1]))
        needs.append(max(0.0, seconds - spared))
    total = makespan(needs, max(1, len(ready.intersection(cells))))
    if total > LONGEST:
        return None
    return format_time(seen.now + timedelta(seconds=total))


def makespan(needs: Iterable[float], lanes: int) -> float:
    """Seconds until all are done, if each is begun in its order as soon as a lane is free."""
    ends = [0.0] * lanes
    for seconds in needs:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def _starts(cell: str, seen: CampaignSeen) -> list[float]:
    """When the cell's last trials began, in their order; those of one block count as one here."""
    begun = {
        block_of(trial): parse_time(trial.status.start_time).timestamp()
        for trial in seen.trials.values()
        if trial.status.start_time and trial.spec.cell == cell
    }
    return sorted([*seen.ledger.starts(cell), *begun.values()])


def steady(shown: str | None, found: str | None, now: datetime) -> str | None:
    """The end that is shown already, unless it has become wrong by more than people care about.

    An estimate moves with every look at it, and each write of it would cause the next look.
    """
    if shown is None or found is None:
        return found
    end = parse_time(found)
    left = (end - now).total_seconds()
    off = abs((end - parse_time(shown)).total_seconds())
    return shown if off <= max(COARSE, COARSE_SHARE * left) else found


def _together(trials: Iterable[Trial]) -> int:
    """How many trials run at the same time."""
    return max((len(t.spec.turns.trials) for t in trials if t.spec.turns is not None), default=1)


def _arms(seen: CampaignSeen) -> int:
    """Of the cell with the most: each has a testbed."""
    return max(Counter(bed.spec.cell for bed in seen.testbeds.values()).values(), default=1)


def _preparation(seen: CampaignSeen) -> float:
    """Seconds that the slowest of the testbeds took until it was ready."""
    return max(
        (
            parse_time(bed.status.ready_time).timestamp() - parse_time(bed.created).timestamp()
            for bed in seen.testbeds.values()
            if bed.status.ready_time
        ),
        default=0.0,
    )


def _expected(
    resolved: Resolved, trials: Iterable[Trial], interleave: Interleave | None, arms: int
) -> float:
    """From one trial's start to the next one's, or from one interleaved block's."""
    known = [load_seconds(trial.spec) for trial in trials]
    if known:
        return max(known) + DEAD_TIME
    loads = [workload.load for workload in resolved.workloads.values()]
    if interleave is not None:
        turns = arms * arm_seconds(interleave)
        return max(load.warmup_seconds for load in loads) + turns + DEAD_TIME
    return max(load.warmup_seconds + load.duration_seconds for load in loads) + DEAD_TIME

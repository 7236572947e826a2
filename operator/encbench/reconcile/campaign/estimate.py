"""When a campaign will end: what is left, at the pace so far."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from encbench.api.campaign import Resolved
from encbench.api.conditions import format_time, parse_time
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import block_of
from encbench.reconcile.objects import Trial
from encbench.tools.turns import load_seconds

DEAD_TIME = 5.0
"""Seconds between two measured windows that are assumed until some have been seen."""

COARSE, COARSE_SHARE = 10.0, 0.05
"""Seconds, and share of the time that is left, by which the end that is shown may be wrong."""

LONGEST = 1000 * 365 * 86_400
"""Seconds beyond which no date is shown: a plan may have windows that last centuries."""


def estimate(seen: CampaignSeen, remaining: int, resolved: Resolved) -> str | None:
    """RFC 3339 time of the end, or None while no testbed is ready, or too far away.

    The pace is the median time from one trial's start to the next one's, so that one long pause
    does not spoil it; of the last ones only, because counting all of them would take ever longer.
    """
    ready = any(testbed.status.ready_time for testbed in seen.testbeds.values())
    trials = seen.trials.values()
    active = sum(1 for trial in trials if trial.status.outcome is None)
    if not ready or not remaining + active:
        return None
    # Trials of an interleaved block begin together, and count as one here.
    begun = {
        block_of(trial): parse_time(trial.status.start_time).timestamp()
        for trial in trials
        if trial.status.start_time
    }
    starts = sorted([*seen.ledger.starts(), *begun.values()])
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    pace = median(gaps) if gaps else _expected(resolved, trials)
    seconds = remaining / max(seen.ledger.together, _together(trials)) * pace
    if active and starts:
        seconds += max(0.0, pace - (seen.now.timestamp() - starts[-1]))
    if seconds > LONGEST:
        return None
    return format_time(seen.now + timedelta(seconds=seconds))


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


def _expected(resolved: Resolved, trials: Iterable[Trial]) -> float:
    known = [load_seconds(trial.spec) for trial in trials]
    if known:
        return max(known) + DEAD_TIME
    loads = [workload.load for workload in resolved.workloads.values()]
    longest = max(load.warmup_seconds + load.duration_seconds for load in loads)
    return longest + DEAD_TIME

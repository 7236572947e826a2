"""When a campaign will end: what is left, at the pace so far."""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from encbench.api.campaign import Blocks, Interleave, Resolved
from encbench.api.conditions import format_time, parse_time
from encbench.core.plan import Cell, CellState, generation, is_interleaved
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import Begun, block_of
from encbench.reconcile.objects import Trial
from encbench.tools.gathering import gather_alone
from encbench.tools.turns import arm_seconds, load_seconds

DEAD_TIME = 5.0
"""Seconds between two measured windows that are assumed until some have been seen."""

COARSE, COARSE_SHARE = 10.0, 0.05
"""Seconds, and share of the time that is left, by which the end that is shown may be wrong."""

LONGEST = 1000 * 365 * 86_400
"""Seconds beyond which no date is shown: a plan may have windows that last centuries."""


def estimate(
    seen: CampaignSeen,
    left: Mapping[str, CellState],
    cells: Sequence[Cell],
    resolved: Resolved,
    blocks: Blocks,
) -> str | None:
    """RFC 3339 time of the end, or None while no testbed is ready and no pace known, or too far.

    `left` is what each cell still has to start, the first of it as `blocks` has it.
    The pace is the median time from one trial's start to that of the cell's next one on the same
    testbeds, so that one long pause does not spoil it; of the last ones only, because counting all
    of them would take ever longer. Interleaved blocks have a pace of their own, of which each trial
    has its share, so that it holds for cells with more arms or fewer. What new testbeds take is
    counted apart, once for each set that is still to come. Cells whose testbeds are ready are
    expected to go on side by side, and no more than these.
    """
    trials, interleave = seen.trials.values(), blocks.interleave
    ready = {bed.spec.cell for bed in seen.testbeds.values() if bed.status.ready_time}
    active = {trial.spec.cell for trial in trials if trial.status.outcome is None}
    known = [cell for cell in cells if cell.name in left]
    going = [cell for cell in known if left[cell.name].remaining or cell.name in active]
    starts = {cell.name: _starts(cell.name, seen) for cell in known}
    gaps = [gap for cell in known for gap in _gaps(cell, starts[cell.name], blocks)]
    if not going or not (ready or gaps):
        return None
    arms = max(len(cell.arms) for cell in going)
    pace = {False: _pace(gaps, resolved, trials, None, 1)}
    if interleave is not None:
        pace[True] = _pace(gaps, resolved, trials, interleave, arms)
    pauses = [gap.seconds - gap.trials * pace[gap.in_turns] for gap in gaps if gap.is_pause]
    anew = max(0.0, median(pauses)) if pauses else _preparation(seen)
    unended = (trial for trial in trials if trial.status.outcome is None)
    starting = {t.spec.cell: t.spec.block for t in unended if t.status.release_at is None}
    needs = []
    for cell in going:
        own, state = starts[cell.name], left[cell.name]
        newest = starting.get(cell.name) or (own[-1].block if own else 0)
        # A cell that has not begun has its first set, or that one has to be built too.
        serving = generation(blocks, newest) if newest else int(cell.name in ready)
        to_build = anew * sum(one > serving for one in state.sets)
        usual = state.remaining - state.solo
        seconds = usual * pace[interleave is not None] + state.solo * pace[False] + to_build
        in_turns = is_interleaved(blocks, newest)
        takes = pace[in_turns] * (len(cell.arms) if in_turns else 1)
        if own:
            # Beyond its pace the last one's time is that of new testbeds, if any are to come.
            last = (
                pace[False]
                if not is_interleaved(blocks, own[-1].block)
                else pace[True] * len(cell.arms)
            )
            seconds += max(-min(anew, to_build), last - (seen.now.timestamp() - own[-1].at))
        if cell.name in starting:
            seconds += takes
        needs.append(seconds)
    total = makespan(needs, max(1, len(ready.intersection(cell.name for cell in going))))
    if total > LONGEST:
        return None
    return format_time(seen.now + timedelta(seconds=total))


class _Gap(NamedTuple):
    """From the start of a trial, or of an interleaved block, to the next one's in its cell."""

    seconds: float
    in_turns: bool
    """Whether an interleaved block began it."""
    trials: int
    """As many began it."""
    is_pause: bool
    """Whether new testbeds were built in it."""


def _gaps(cell: Cell, starts: Sequence[Begun], blocks: Blocks) -> Iterator[_Gap]:
    for earlier, later in pairwise(starts):
        one, other = (generation(blocks, start.block) for start in (earlier, later))
        in_turns = is_interleaved(blocks, earlier.block)
        trials = len(cell.arms) if in_turns else 1
        yield _Gap(later.at - earlier.at, in_turns, trials, one != other)


def _pace(
    gaps: Iterable[_Gap],
    resolved: Resolved,
    trials: Iterable[Trial],
    interleave: Interleave | None,
    arms: int,
) -> float:
    """Seconds that each sequential trial takes or, with `interleave`, each of such a block."""
    in_turns = interleave is not None
    seen = [
        gap.seconds / gap.trials for gap in gaps if gap.in_turns == in_turns and not gap.is_pause
    ]
    if seen:
        return median(seen)
    alike = [trial for trial in trials if (trial.spec.turns is not None) == in_turns]
    return _expected(resolved, alike, interleave, arms)


def makespan(needs: Iterable[float], lanes: int) -> float:
    """Seconds until all are done, if each is begun in its order as soon as a lane is free."""
    ends = [0.0] * lanes
    for seconds in needs:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def _starts(cell: str, seen: CampaignSeen) -> list[Begun]:
    """How the cell's last trials began, in their order; those of one block count as one here.

    They retire one by one, so that a block may be in the ledger while some are not yet.
    """
    begun = {
        block_of(trial): Begun(trial.status.release_at, trial.spec.block)
        for trial in seen.trials.values()
        if trial.status.release_at is not None
        and trial.spec.cell == cell
        and not seen.found.ledger.has_begun(trial)
    }
    return sorted([*seen.found.ledger.starts(cell), *begun.values()])


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
    """From one trial's start to the next one's, or its share of an interleaved block."""
    known = [
        (load_seconds(trial.spec) + DEAD_TIME)
        / (len(trial.spec.turns.trials) if trial.spec.turns else 1)
        for trial in trials
    ]
    if known:
        return max(known)
    workloads = resolved.workloads.values()
    if interleave is not None:
        turns = arms * arm_seconds(interleave)
        return (max(one.load.warmup_seconds for one in workloads) + turns + DEAD_TIME) / arms
    return DEAD_TIME + max(
        gather_alone(one, max(one.load.concurrency))
        + one.load.warmup_seconds
        + one.load.duration_seconds
        for one in workloads
    )

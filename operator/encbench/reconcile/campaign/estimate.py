"""When a campaign will end: what is left, and what has lain between trials so far."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from encbench.api.campaign import CampaignSpec, Interleave, Resolved
from encbench.api.conditions import format_time, parse_time
from encbench.core.plan import Cell, CellState, Left, generation, is_interleaved
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import Begun, block_of
from encbench.reconcile.campaign.pace import Between, gaps, restores
from encbench.tools.turns import load_seconds, planned_seconds

COARSE, COARSE_SHARE = 10.0, 0.05
"""Seconds, and share of the time that is left, by which the end that is shown may be wrong."""

LONGEST = 1000 * 365 * 86_400
"""Seconds beyond which no date is shown: a plan may have windows that last centuries."""


def estimate(
    seen: CampaignSeen,
    left: Mapping[str, CellState],
    cells: Sequence[Cell],
    resolved: Resolved,
    spec: CampaignSpec,
) -> str | None:
    """RFC 3339 time of the end, or None while no testbed is ready and no pace known, or too far.

    `left` is what each cell still has to start, the first of it as `spec` has it.
    Each trial takes its own load, and what usually lies between two of the last ones. What new
    testbeds take is counted apart, once for each set that is still to come, and so is the time in
    which `reset: block` restores the data. Cells whose testbeds are ready are expected to go on
    side by side, and no more than these.
    """
    trials, blocks = seen.trials.values(), spec.blocks
    ready = {bed.spec.cell for bed in seen.testbeds.values() if bed.status.ready_time}
    unended = [trial for trial in trials if trial.status.outcome is None]
    active = {trial.spec.cell for trial in unended}
    known = [cell for cell in cells if cell.name in left]
    going = [cell for cell in known if left[cell.name].remaining or cell.name in active]
    starts = {cell.name: _starts(cell.name, seen) for cell in known}
    found = [gap for own in starts.values() for gap in gaps(own, spec)]
    if not going or not (ready or found):
        return None
    between = Between(found)
    anew = _preparation(seen) if between.anew is None else between.anew
    # Trials of an interleaved block are released together.
    waiting = {block_of(trial): trial for trial in unended if trial.status.release_at is None}
    needs = []
    for cell in going:
        own, state = starts[cell.name], left[cell.name]
        begun = [trial for trial in waiting.values() if trial.spec.cell == cell.name]
        newest = max((trial.spec.block for trial in begun), default=own[-1].block if own else 0)
        # A cell that has not begun has its first set, or that one has to be built too.
        serving = generation(blocks, newest) if newest else int(cell.name in ready)
        to_build = anew * sum(one > serving for one in state.sets)
        seconds = to_build + _seconds(state.usual, cell, resolved, blocks.interleave, between)
        seconds += _seconds(state.solo, cell, resolved, None, between)
        for trial in begun:
            in_turns = trial.spec.turns is not None
            seconds += load_seconds(trial.spec) + between.usual(cell.name, in_turns=in_turns)
            if restores(trial, own, spec):
                seconds += between.restoring(cell.name, in_turns=in_turns)
        if own:
            last, in_turns = own[-1], is_interleaved(blocks, own[-1].block)
            takes = last.seconds + between.usual(cell.name, in_turns=in_turns)
            # Beyond that the last one's time is that of new testbeds, if any are to come, or data.
            late = min(anew, to_build) + between.restoring(cell.name, in_turns=in_turns)
            seconds += max(-late, takes - (seen.now.timestamp() - last.at))
        needs.append(seconds)
    total = makespan(needs, max(1, len(ready.intersection(cell.name for cell in going))))
    if total > LONGEST:
        return None
    return format_time(seen.now + timedelta(seconds=total))


def _seconds(
    left: Left, cell: Cell, resolved: Resolved, interleave: Interleave | None, between: Between
) -> float:
    """What these trials of the cell take, with what lies between them."""
    arms, in_turns = len(cell.arms), interleave is not None
    dead = between.usual(cell.name, in_turns=in_turns)
    seconds = dead * left.count
    for at, count in left.trials.items():
        workload = resolved.workloads[at.workload_ref]
        seconds += count * planned_seconds(workload, at.concurrency, interleave, arms)
    seconds += left.restored * between.restoring(cell.name, in_turns=in_turns)
    return seconds / arms if in_turns else seconds


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
        block_of(trial): begun
        for trial in seen.trials.values()
        if trial.spec.cell == cell
        and not seen.found.ledger.has_begun(trial)
        and (begun := Begun.of(trial)) is not None
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

"""When a campaign will end: what is left, and what has lain between trials so far."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from encbench.api.campaign import CampaignSpec, Interleave, Resolved
from encbench.api.conditions import find, format_time, parse_time
from encbench.api.lifecycle import SUSPENDED
from encbench.core.plan import Cell, CellState, Left, is_interleaved
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import Begun, block_of
from encbench.reconcile.campaign.pace import Between, gaps, restores
from encbench.reconcile.objects import Campaign, Testbed, Trial
from encbench.tools.turns import load_seconds, planned_seconds

COARSE, COARSE_SHARE = 10.0, 0.05
"""Seconds, and share of the time that is left, by which the end that is shown may be wrong."""

LONGEST = 1000 * 365 * 86_400
"""Seconds beyond which no date is shown: a plan may have windows that last centuries."""


def estimate(
    campaign: Campaign,
    seen: CampaignSeen,
    left: Mapping[str, CellState],
    cells: Sequence[Cell],
    resolved: Resolved,
) -> str | None:
    """RFC 3339 time of the end, or None while no testbed is ready and no pace known, or too far.

    `left` is what each cell still has to start, the first of it as the spec of `campaign` has it.
    Each trial takes its own load, and what usually lies between two of the last ones. What new
    testbeds take is counted apart, once for each set that is still to come, and so is the time in
    which `reset: block` restores the data. Cells that have begun, or have all their testbeds, are
    expected to go on side by side, and no more than these.
    """
    spec = campaign.spec
    sets = {cell.name: _newest_set(cell, seen) for cell in cells}
    unended = [trial for trial in seen.trials.values() if trial.status.outcome is None]
    active = {trial.spec.cell for trial in unended}
    known = [cell for cell in cells if cell.name in left]
    going = [cell for cell in known if left[cell.name].remaining or cell.name in active]
    starts = {cell.name: _starts(cell.name, seen) for cell in known}
    found = [gap for own in starts.values() for gap in gaps(own, spec)]
    is_ready = any(bed.status.ready_time for bed in seen.testbeds.values())
    if not going or not (is_ready or found):
        return None
    between = Between(found)
    firsts = [own[0].at for own in starts.values() if own]
    first = min([*firsts, *filter(None, [seen.found.ledger.first_start])], default=None)
    anew = between.anew
    if anew is None:
        anew = _building(campaign, first, cells, sets, between)
    look = _Look(spec, resolved, between, anew, _waiting(seen, unended), seen.now.timestamp())
    needs = [
        look.seconds(cell, left[cell.name], starts[cell.name], sets[cell.name]) for cell in going
    ]
    lanes = sum(bool(starts[c.name]) or _is_whole(c, sets[c.name]) for c in going)
    total = makespan(needs, max(1, min(lanes, spec.parallelism)))
    if total > LONGEST:
        return None
    return format_time(seen.now + timedelta(seconds=total))


def _waiting(seen: CampaignSeen, unended: Iterable[Trial]) -> list[Trial]:
    """One trial of each block that waits for its start, or each trial that does.

    Those of an interleaved block are released together, and each writes that down by itself.
    """
    trials = seen.trials.values()
    released = {block_of(trial) for trial in trials if trial.status.release_at is not None}
    begun = seen.found.ledger.has_begun
    waiting = {
        block_of(trial): trial
        for trial in unended
        if block_of(trial) not in released and not begun(trial)
    }
    return list(waiting.values())


@dataclass(frozen=True)
class _Look:
    """What one look at a campaign goes by."""

    spec: CampaignSpec
    resolved: Resolved
    between: Between
    anew: float
    """Seconds that a set of new testbeds takes."""
    waiting: Sequence[Trial]
    now: float

    def seconds(
        self, cell: Cell, state: CellState, own: Sequence[Begun], beds: Sequence[Testbed]
    ) -> float:
        """What is left of a cell, whose last trials and newest testbeds these are."""
        between, blocks = self.between, self.spec.blocks
        serving = beds[0].spec.generation if _is_whole(cell, beds) else 0
        to_build = self.anew * sum(one > serving for one in state.sets)
        to_restore = _restoring(state.usual, cell, blocks.interleave, between)
        to_restore += _restoring(state.solo, cell, None, between)
        seconds = _seconds(state.usual, cell, self.resolved, blocks.interleave, between)
        seconds += _seconds(state.solo, cell, self.resolved, None, between)
        for trial in (one for one in self.waiting if one.spec.cell == cell.name):
            in_turns = trial.spec.turns is not None
            seconds += load_seconds(trial.spec) + between.usual(cell.name, in_turns=in_turns)
            if restores(trial, own, self.spec):
                to_restore += between.restoring(cell.name, in_turns=in_turns)
        seconds += to_build + to_restore
        if own:
            # Beyond that the last one's time is that of new testbeds or data, if any are to come.
            in_turns = is_interleaved(blocks, own[-1].block)
            restoring = between.restoring(cell.name, in_turns=in_turns)
            late = min(self.anew, to_build) + min(restoring, to_restore)
            takes = own[-1].seconds + between.usual(cell.name, in_turns=in_turns)
            seconds += max(-late, takes - (self.now - own[-1].at))
        elif beds and not serving:
            seconds -= min(self.anew, self.now - _created(beds))
        return seconds


def _seconds(
    left: Left, cell: Cell, resolved: Resolved, interleave: Interleave | None, between: Between
) -> float:
    """What these trials of the cell take, with what usually lies between them."""
    arms, in_turns = len(cell.arms), interleave is not None
    dead = between.usual(cell.name, in_turns=in_turns)
    seconds = dead * left.count
    for at, count in left.trials.items():
        workload = resolved.workloads[at.workload_ref]
        seconds += count * planned_seconds(workload, at.concurrency, interleave, arms)
    return seconds / arms if in_turns else seconds


def _restoring(left: Left, cell: Cell, interleave: Interleave | None, between: Between) -> float:
    """What restoring the data for them takes; the arms of an interleaved block do so together."""
    in_turns = interleave is not None
    seconds = left.restored * between.restoring(cell.name, in_turns=in_turns)
    return seconds / len(cell.arms) if in_turns else seconds


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


def _newest_set(cell: Cell, seen: CampaignSeen) -> list[Testbed]:
    own = [bed for bed in seen.testbeds.values() if bed.spec.cell == cell.name]
    newest = max((bed.spec.generation for bed in own), default=0)
    return [bed for bed in own if bed.spec.generation == newest]


def _is_whole(cell: Cell, beds: Sequence[Testbed]) -> bool:
    """Whether these are all testbeds of the cell, and each has been ready."""
    return len(beds) == len(cell.arms) and all(bed.status.ready_time for bed in beds)


def _created(beds: Iterable[Testbed]) -> float:
    """When the first of them was, Unix time."""
    return min(parse_time(bed.created).timestamp() for bed in beds)


def _building(
    campaign: Campaign,
    first: float | None,
    cells: Sequence[Cell],
    sets: Mapping[str, list[Testbed]],
    between: Between,
) -> float:
    """Seconds that a set of testbeds takes, going by the first of a cell; 0 if that is not known.

    Once a cell is done its testbeds are gone, and the time until the campaign's first trial, at
    `first` (Unix time), stands for theirs. With `reset: block` the data were restored in it too.
    """
    whole = [_took(sets[cell.name]) for cell in cells if _is_whole(cell, sets[cell.name])]
    if whole:
        return max(whole)
    start = campaign.status.start_time
    if first is not None and start is not None:
        suspended = _suspended_before(campaign, first)
        restored = between.restoring("", in_turns=campaign.spec.blocks.interleave is not None)
        return max(0.0, first - parse_time(start).timestamp() - suspended - restored)
    in_a_row = campaign.spec.residency == "OnDemand"
    some = {cell: [bed for bed in sets[cell.name] if bed.status.ready_time] for cell in cells}
    return max(
        (
            _took(beds) * (len(cell.arms) / len(beds) if in_a_row else 1)
            for cell, beds in some.items()
            if beds
        ),
        default=0.0,
    )


def _suspended_before(campaign: Campaign, first: float) -> float:
    """Seconds for which it was suspended before its first trial, unless it was so later as well."""
    last = find(campaign.status.conditions, SUSPENDED)
    if last is None or parse_time(last.last_transition_time).timestamp() > first:
        return 0.0
    return campaign.status.suspended_seconds or 0


def _took(beds: Sequence[Testbed]) -> float:
    """Seconds until the last of them that is ready was; 0 if none is."""
    ready = [parse_time(bed.status.ready_time) for bed in beds if bed.status.ready_time]
    return max(ready).timestamp() - _created(beds) if ready else 0.0

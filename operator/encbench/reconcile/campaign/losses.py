"""Sets of testbeds that were lost, mostly with a node: the cell goes on with another set; pure.

A database whose node is gone does not come back where its volume is bound to that node. Its testbed
fails after `stepDeadlines.provision`, loaded or not. One whose load lost a pod fails at once. All
testbeds of the cell are then built anew, wherever the scheduler finds room, because the arms of a
block are compared on one set only. A cell may lose as many sets as it has `blocks.maxReplacements`,
so that a database that always fails ends it; all cells together lose no more than the status takes.

A testbed that is deleted after trials ran on it costs its set as well, however many its cell has
lost, or ends the cell where the status takes no more. Under its own name it would come back as
another database, and its proof would replace the one that those trials rest on.
"""

from collections.abc import Callable, Sequence
from itertools import chain

from encbench.api.campaign import MAX_LOST_SETS, Blocks, LostSet
from encbench.api.conditions import find, format_time
from encbench.api.lifecycle import (
    FAILED,
    LOAD_DISRUPTED,
    NODE_LOST,
    NOT_READY,
    NOT_STARTED,
    POD_ENDED,
    UNSCHEDULABLE,
)
from encbench.core.plan import Cell, CellState, PlannedTrial, block_name
from encbench.reconcile.campaign import children
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.ledger import line
from encbench.reconcile.objects import Campaign, Testbed

DISRUPTED = (LOAD_DISRUPTED, NOT_READY)
"""Reasons of testbeds whose database has answered once."""
GONE = (NODE_LOST, UNSCHEDULABLE, POD_ENDED, NOT_STARTED)
"""The same of those that were ready once and will not be again."""

Planned = Callable[[Cell, Sequence[LostSet]], CellState]
"""How far a cell is if these sets are lost."""


def known(
    campaign: Campaign, seen: CampaignSeen, cells: Sequence[Cell], planned: Planned
) -> list[LostSet]:
    """All sets that are lost so far; what this pass has found comes last."""
    lost = list(campaign.status.lost_sets)
    for cell in cells:
        deleted = None
        if seen.found.gone and len(lost) < MAX_LOST_SETS:
            deleted = _deleted(campaign, cell, seen, planned(cell, lost).next_trial)
        if deleted is not None:
            lost.append(deleted)
            continue
        bed = _first(cell, seen, lost)
        has_left = _has_left(cell.name, lost, campaign.spec.blocks)
        if bed is None or not has_left or len(lost) >= MAX_LOST_SETS:
            continue
        one = _lost(bed, planned(cell, lost).next_trial, seen)
        # A cell that is done, or has no replacement left, is not built anew.
        if planned(cell, [*lost, one]).next_trial is not None:
            lost.append(one)
    return lost


def beyond_repair(
    campaign: Campaign,
    seen: CampaignSeen,
    cells: Sequence[Cell],
    lost: Sequence[LostSet],
    planned: Planned,
) -> dict[str, str]:
    """The cells that a deleted testbed ends, because the status takes no further set, and why."""
    if not seen.found.gone or len(lost) < MAX_LOST_SETS:
        return {}
    deleted = (_deleted(campaign, cell, seen, planned(cell, lost).next_trial) for cell in cells)
    return {
        one.cell: f"{one.message}; a campaign may lose {MAX_LOST_SETS} sets of testbeds"
        for one in deleted
        if one is not None
    }


def said(lost: LostSet, blocks: Blocks, *, goes_on: bool) -> str:
    """What a person should know of a set that was lost; `goes_on` is whether its cell does."""
    if not goes_on:
        return f"{lost.message}; no replacement is left for what was under way"[:1000]
    left = ""
    if lost.block:
        left = f"; another block replaces block {block_name(blocks, lost.block)}"
    return f"{lost.message}; the testbeds of its cell are built anew{left}"[:1000]


def beyond_all(bed: Testbed, lost: Sequence[LostSet], blocks: Blocks) -> str:
    """That the campaign's sets are used up, where this alone kept one that failed from another."""
    is_lost = _why(bed) and _has_left(bed.spec.cell, lost, blocks)
    if not is_lost or len(lost) < MAX_LOST_SETS:
        return ""
    return f"; a campaign may lose {MAX_LOST_SETS} sets of testbeds, whatever maxReplacements says"


def _has_left(cell: str, lost: Sequence[LostSet], blocks: Blocks) -> bool:
    """Whether the cell may lose another set."""
    return sum(one.cell == cell for one in lost) < blocks.max_replacements


def is_replaced(bed: Testbed, lost: Sequence[LostSet]) -> bool:
    """Whether its set was given up, and it only waits for its end."""
    return any(one.cell == bed.spec.cell and one.generation >= bed.spec.generation for one in lost)


def _first(cell: Cell, seen: CampaignSeen, lost: Sequence[LostSet]) -> Testbed | None:
    """The first testbed of the cell's set that is lost."""
    own = (bed for bed in seen.testbeds.values() if bed.spec.cell == cell.name)
    return next((bed for bed in own if _why(bed) and not is_replaced(bed, lost)), None)


def _why(bed: Testbed) -> str:
    """Why the testbed is lost; empty if it is not, or would be again."""
    fact = find(bed.status.conditions, FAILED)
    if fact is None or fact.status != "True" or bed.spec.instance.is_external:
        return ""
    was_ready = bed.status.ready_time is not None
    is_lost = fact.reason in DISRUPTED or (was_ready and fact.reason in GONE)
    return fact.message if is_lost else ""


def _deleted(
    campaign: Campaign, cell: Cell, seen: CampaignSeen, planned: PlannedTrial | None
) -> LostSet | None:
    """The set of the next trial, if a testbed of it was deleted after trials had run on it."""
    resolved = campaign.status.resolved
    if resolved is None or planned is None:
        return None
    of, number = children.CellPlan(campaign, resolved, cell), planned.generation
    names = {children.testbed_name(of, arm, number) for arm in cell.arms}
    gone = seen.vanished(names & seen.found.gone)
    if not gone:
        return None
    lost = LostSet(
        cell=cell.name,
        generation=number,
        message=f"testbed {min(gone)} was lost: it was deleted",
        time=format_time(seen.now),
    )
    return _with_block(lost, planned, seen)


def _lost(bed: Testbed, planned: PlannedTrial | None, seen: CampaignSeen) -> LostSet:
    lost = LostSet(
        cell=bed.spec.cell,
        generation=bed.spec.generation,
        message=f"testbed {bed.name} was lost: {_why(bed)}"[:512],
        time=format_time(seen.now),
    )
    return _with_block(lost, planned, seen)


def _with_block(lost: LostSet, planned: PlannedTrial | None, seen: CampaignSeen) -> LostSet:
    """With the block that it leaves unfinished, if that has begun."""
    if planned is None or not _has_begun(planned, seen):
        return lost
    # One block of a cell is under way at a time: that of the next trial.
    level = planned.condition
    left = {"workload": level.workload_ref, "concurrency": level.concurrency}
    return lost.model_copy(update={**left, "block": planned.block})


def _has_begun(planned: PlannedTrial, seen: CampaignSeen) -> bool:
    """Whether there is a trial of the same block."""
    level = planned.condition
    place = (planned.cell, level.workload_ref, level.concurrency)
    trials = chain(seen.found.ledger.lines.values(), map(line, seen.trials.values()))
    return any(one.place == place and one.block == planned.block for one in trials)

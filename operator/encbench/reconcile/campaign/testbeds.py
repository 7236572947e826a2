"""The testbeds that the next trial needs: create what is missing, clear away an earlier set.

A set is built anew only when nothing of the last one is needed any more (its last trial's record
asks the server for its settings), and the old one goes first: side by side they would ask for twice
the memory. If Trials were deleted, the set that is planned may be an earlier one than that.
"""

from dataclasses import dataclass, field

from encbench.api.conditions import Condition, find, is_true
from encbench.api.kinds import TESTBED
from encbench.api.lifecycle import NODE_IN_USE, NOT_READY, PROVISIONED, READY
from encbench.core.plan import Cell, PlannedTrial, building_order
from encbench.reconcile.campaign import children
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.campaign.facts import CampaignSeen, is_archived
from encbench.reconcile.campaign.ground import Surroundings
from encbench.reconcile.effects.effect import (
    CampaignEffect,
    Create,
    Delete,
    IssueAuthority,
    LookForTestbeds,
)
from encbench.reconcile.objects import Testbed
from encbench.text.words import listed


@dataclass(frozen=True)
class TestbedSet:
    """The testbeds of a cell as they are, and what they lack."""

    beds: dict[str, Testbed] = field(default_factory=dict)
    """By the arm that each was built for; complete when there is nothing to do or to wait for."""
    effects: tuple[CampaignEffect, ...] = ()
    waiting: bool = False
    step: str = ""
    """What is being done, in words."""


def testbed_set(
    plan: CellPlan, planned: PlannedTrial, seen: CampaignSeen, around: Surroundings
) -> TestbedSet:
    """What stands between now and that trial."""
    campaign, cell = plan.campaign, plan.cell
    own = [t for t in seen.testbeds.values() if t.spec.cell == cell.name]
    old = [t for t in own if t.spec.generation != planned.generation]
    if old:
        return _clear(cell, old, seen)
    outdated = [bed for bed in own if _has_room_by_now(bed, around)]
    if outdated:
        gone = tuple(Delete.of(bed) for bed in outdated if not bed.deleting)
        return TestbedSet(
            effects=gone, waiting=True, step="placing databases where another cell was"
        )
    if any(bed.deleting for bed in own):
        return TestbedSet(waiting=True, step=_clearing(cell))
    names = {arm.name: children.testbed_name(plan, arm, planned.generation) for arm in cell.arms}
    external = plan.resolved.instances[cell.instance_ref].is_external
    # The baseline's testbed loads the dataset of an external database, where nothing is placed.
    drawn = building_order(campaign.spec.seed, cell, planned.generation)
    order = cell.arms if external else drawn
    missing = [arm for arm in order if names[arm.name] not in seen.testbeds]
    unsure = set() if external else seen.vanished(names.values()) - seen.found.gone
    if unsure:
        # Built again under its name it would be another database, which another proof replaces.
        look = LookForTestbeds(tuple(sorted(unsure)))
        return TestbedSet(effects=(look,), waiting=True, step=f"looking for {listed(look.names)}")
    if missing and (external or campaign.spec.residency == "OnDemand"):
        # One is prepared after the other: their memory does not fit side by side, or they share
        # the dataset that the first has loaded.
        unready = [bed for bed in own if not is_true(bed.status.conditions, READY)]
        if unready:
            return TestbedSet(waiting=True, step=_preparing(unready))
        missing = missing[:1]
    if missing and not own and cell.name in seen.ending:
        return TestbedSet(waiting=True, step=_clearing(cell))
    if missing and not own and around.unplaced:
        return TestbedSet(waiting=True, step=around.unplaced)
    if missing:
        again = f", set {planned.generation}" if planned.generation > 1 else ""
        near = sorted({bed.status.machine.node for bed in own if bed.status.machine})
        new = tuple(
            Create(
                TESTBED,
                children.testbed(plan, arm, planned.generation, near=near, avoid=around.avoid),
            )
            for arm in missing
        )
        return TestbedSet(
            effects=(IssueAuthority(), *new),
            waiting=True,
            step=f"creating the testbeds of {cell.instance_ref}{again}",
        )
    beds = {arm: seen.testbeds[name] for arm, name in names.items()}
    unready = [bed for bed in beds.values() if not is_true(bed.status.conditions, READY)]
    return TestbedSet(beds, waiting=bool(unready), step=_preparing(unready))


def _clear(cell: Cell, old: list[Testbed], seen: CampaignSeen) -> TestbedSet:
    step = _clearing(cell)
    if not all(is_archived(t) for t in seen.trials.values() if t.spec.cell == cell.name):
        return TestbedSet(waiting=True, step=step)
    gone = [bed for bed in old if not bed.deleting]
    return TestbedSet(effects=tuple(map(Delete.of, gone)), waiting=True, step=step)


def _clearing(cell: Cell) -> str:
    return f"clearing away the testbeds of {cell.instance_ref}, to build them anew"


def _has_room_by_now(bed: Testbed, around: Surroundings) -> bool:
    """Whether it waits for other cells on nodes that none of them uses any more."""
    return _waits_for_room(bed) is not None and not set(bed.spec.avoid) <= set(around.avoid)


def _waits_for_room(bed: Testbed) -> Condition | None:
    fact = find(bed.status.conditions, PROVISIONED)
    return fact if fact is not None and fact.reason == NODE_IN_USE else None


def _preparing(waiting: list[Testbed]) -> str:
    lost = [
        fact.message
        for bed in waiting
        if (fact := find(bed.status.conditions, READY)) and fact.reason == NOT_READY
    ]
    lost += [fact.message for bed in waiting if (fact := _waits_for_room(bed))][:1]
    parts = [f"{t.spec.arm.name} ({(t.status.phase or 'Pending').lower()})" for t in waiting]
    return "; ".join(lost) or "preparing testbeds: " + ", ".join(parts)

"""The next step of each cell that is under way: its testbeds, then one trial after the other; pure.

What a cell does follows from the plan and from its own trials. Other cells only make it wait.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from encbench.api.campaign import Blocks, Resolved
from encbench.api.kinds import TESTBED, TRIAL
from encbench.core.plan import Cell, CellState, PlannedTrial, block_name
from encbench.reconcile.campaign import children, placement, testbeds
from encbench.reconcile.campaign.children import CellPlan
from encbench.reconcile.campaign.facts import CampaignSeen, is_archived
from encbench.reconcile.campaign.ground import Surroundings, grounds, surroundings
from encbench.reconcile.campaign.ledger import block_of
from encbench.reconcile.campaign.testbeds import TestbedSet
from encbench.reconcile.effects import effect as do
from encbench.reconcile.objects import Campaign, Trial
from encbench.reconcile.stage import has_begun, holds_the_stage, is_leaving, is_warming_up, waits
from encbench.text.words import plural

EVERY_ARM = "all arms in turns"
MAX_UNARCHIVED = 1
"""Trials of a cell that may still be on their way to the bucket when the next one starts. Their
client pods hold what the next one's need, and would pile up while the store is away."""


@dataclass(frozen=True)
class CellStep:
    """What a cell does next."""

    text: str
    """What is being done, in words."""
    effects: tuple[do.CampaignEffect, ...] = ()
    is_measured: bool = True
    """Whether its trials go on, so that its nodes are not for others."""

    @property
    def places(self) -> bool:
        """Whether databases are about to be placed."""
        return any(isinstance(one, do.Create) and one.kind == TESTBED for one in self.effects)

    @property
    def is_sure(self) -> bool:
        """Whether it is the next step whatever comes of looks at what seems to be gone."""
        return not any(isinstance(one, do.LookForTestbeds) for one in self.effects)


def side_by_side(
    campaign: Campaign,
    resolved: Resolved,
    cells: Sequence[Cell],
    states: Mapping[str, CellState],
    seen: CampaignSeen,
) -> dict[str, CellStep]:
    """The next step of each of these cells, by its name; the first ones come first."""
    steps, places = dict[str, CellStep](), grounds(cells, resolved, seen)
    for number, own in enumerate(places):
        before, after = places[:number], places[number + 1 :]
        measured = [one for one in before if steps[one.cell.name].is_measured]
        placed = [name for name, step in steps.items() if step.places]
        around = surroundings(own, before, after, measured, placed)
        plan = CellPlan(campaign, resolved, own.cell)
        steps[own.cell.name] = _advance(plan, states[own.cell.name], seen, around)
    return steps


def _advance(
    plan: CellPlan, state: CellState, seen: CampaignSeen, around: Surroundings
) -> CellStep:
    """The next step of a cell that is open."""
    cell, planned, blocks = plan.cell, state.next_trial, plan.campaign.spec.blocks
    own = [trial for trial in seen.trials.values() if trial.spec.cell == cell.name]
    running = [trial for trial in own if holds_the_stage(trial)]
    # An interleaved block of which some trials are missing, because the operator ended in between.
    completes = planned is not None and all(_runs_with(trial, planned) for trial in running)
    before = _before(running, planned, seen.now)
    if running and not completes and before is None:
        shown = next((trial for trial in running if not waits(trial)), running[0])
        return CellStep(_describe(shown, blocks))
    if planned is None:
        return CellStep("collecting the last results")
    databases = testbeds.testbed_set(plan, planned, seen, around)
    if databases.waiting:
        return CellStep(databases.step, databases.effects, is_measured=False)
    if before is not None and databases.beds[planned.seat.name].spec.follows_trials:
        # Its database is made ready for it, which must not begin before the stage is free.
        return CellStep(_describe(before, blocks))
    late = {
        block_of(trial)
        for trial in own
        if not is_archived(trial) and not _runs_with(trial, planned)
    }
    if len(late) > MAX_UNARCHIVED:
        return CellStep("waiting for the object store and Prometheus to take the last results")
    if around.shared and _begins_a_block(cell, state.together):
        where = f"node{'s' if len(around.shared) > 1 else ''} {', '.join(around.shared)}"
        return CellStep(f"waits for {where}, until a cell before it is done", is_measured=False)
    new = tuple(_create(plan, one, seen, databases, around, after=before) for one in state.together)
    if before is not None and not is_leaving(before):
        return CellStep(_describe(before, blocks), new)
    condition = planned.condition
    arm = planned.arm.name if planned.turns_seed is None else EVERY_ARM
    name = block_name(blocks, planned.block)
    place = _place(name, condition.workload_ref, condition.concurrency)
    return CellStep(f"{place}: {arm} on {cell.instance_ref}", new)


def _place(block: str, workload: str, concurrency: int) -> str:
    return f"block {block}, {workload} at {plural(concurrency, 'thread')}"


def _create(
    plan: CellPlan,
    planned: PlannedTrial,
    seen: CampaignSeen,
    databases: TestbedSet,
    around: Surroundings,
    *,
    after: Trial | None,
) -> do.Create:
    campaign, bed = plan.campaign, databases.beds[planned.seat.name]
    body = children.trial(
        plan,
        planned,
        bed,
        after=after.name if after else None,
        client_nodes=placement.client_nodes(campaign, seen, planned, plan.resolved, bed),
        avoid=around.avoid,
        machine=placement.machine(campaign, databases.beds.values()),
    )
    return do.Create(TRIAL, body)


def _begins_a_block(cell: Cell, together: Sequence[PlannedTrial]) -> bool:
    """Whether no trial has begun of the block of these, which start together."""
    if together[0].turns_seed is not None:
        return len(together) == len(cell.arms)
    return together[0].order == 1


def _before(running: Sequence[Trial], planned: PlannedTrial | None, now: datetime) -> Trial | None:
    """The trial during whose warm-up or second proof the clients of the planned one may start."""
    if planned is None or planned.turns_seed is not None or len(running) != 1:
        return None
    (before,) = running
    return before if is_leaving(before) or is_warming_up(before, now) else None


def not_begun(trials: Iterable[Trial]) -> list[Trial]:
    """Those that are to start, but for those of an interleaved block that has begun."""
    known = list(trials)
    begun = {block_of(trial) for trial in known if has_begun(trial)}
    return [t for t in known if t.status.outcome is None and block_of(t) not in begun]


def _runs_with(trial: Trial, planned: PlannedTrial) -> bool:
    """Whether both are of the same interleaved block."""
    spec, condition = trial.spec, planned.condition
    return planned.turns_seed is not None and (
        (spec.cell, spec.workload_ref, spec.concurrency, spec.block)
        == (planned.cell, condition.workload_ref, condition.concurrency, planned.block)
    )


def _describe(trial: Trial, blocks: Blocks) -> str:
    spec, name = trial.spec, block_name(blocks, trial.spec.block)
    arm = spec.arm.name if spec.turns is None else EVERY_ARM
    return f"{_place(name, spec.workload_ref, spec.concurrency)}: {arm} on {spec.instance_ref}"

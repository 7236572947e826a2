"""What to do next with a campaign.

Cells are measured one after the other; within a cell its testbeds stand side by side and one trial
runs at a time. The plan is a pure function of the frozen specs and of the outcomes so far, so there
is no cursor to lose.
"""

from encbench.api.campaign import CampaignStatus, Progress, Resolved
from encbench.api.conditions import find, format_time, is_true, parse_time
from encbench.api.kinds import CONFIG_MAP, TRIAL
from encbench.api.lifecycle import ACCEPTED, CAMPAIGN_LIFE, COMPLETE, FAILED, REPORTED, SUSPENDED
from encbench.core import plan
from encbench.core.naming import storage_prefix
from encbench.core.plan import Cell
from encbench.reconcile.campaign import children, cleanup, testbeds
from encbench.reconcile.campaign.estimate import estimate
from encbench.reconcile.campaign.facts import CampaignSeen, holds_the_stage, is_archived, past
from encbench.reconcile.campaign.precision import block_plans, goals
from encbench.reconcile.decision import Decision
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects.effect import (
    Announce,
    CampaignEffect,
    Create,
    Delete,
    Publish,
    SetFinalizers,
)
from encbench.reconcile.objects import Campaign, Trial

RESOLVE_AGAIN = 10.0
"""Seconds between looks at what was missing or wrong."""
RENDER_AGAIN = 5.0
"""Seconds between attempts to render the report."""
SETTLE = 3.0
"""Seconds of a campaign's life in which it is neither accepted nor refused: `kubectl apply -k`
writes it before the parts that it names, which are still missing then, or as they were before."""
IDLE = 15.0
MAX_UNARCHIVED = 1
"""Trials that may still be on their way to the bucket when the next one starts. Their client pods
hold what the next one's need, and would pile up while the store is away."""


CampaignDecision = Decision[CampaignStatus, CampaignEffect]


def decide(campaign: Campaign, seen: CampaignSeen) -> CampaignDecision:
    """The next step; pure."""
    if campaign.deleting:
        return cleanup.decide(campaign, seen)
    if cleanup.FINALIZER not in campaign.finalizers:
        claimed = SetFinalizers((*campaign.finalizers, cleanup.FINALIZER))
        return Decision(campaign.status, (claimed,), requeue=0.0)
    draft = Draft(campaign.status, now=seen.now, generation=campaign.generation)
    if is_true(campaign.status.conditions, COMPLETE) or is_true(campaign.status.conditions, FAILED):
        return _after_the_end(campaign, draft, seen)
    resolved = campaign.status.resolved
    if resolved is None:
        return _accept(campaign, draft, seen)
    return _run(campaign, draft, seen, resolved)


def _decision(
    draft: Draft[CampaignStatus],
    effects: tuple[CampaignEffect, ...] = (),
    *,
    requeue: float | None = None,
) -> CampaignDecision:
    # The API takes no more; names of full length may add up to it.
    phase = CAMPAIGN_LIFE.phase(draft.status.conditions)
    draft.set(phase=phase, step=draft.status.step[:512])
    return Decision(draft.status, effects, requeue)


def _accept(
    campaign: Campaign, draft: Draft[CampaignStatus], seen: CampaignSeen
) -> CampaignDecision:
    found = seen.resolution
    if found is None:
        return _decision(draft, requeue=0.0)
    age = (seen.now - parse_time(campaign.created)).total_seconds()
    if abs(age) < SETTLE:  # Further below zero the clocks disagree, and waiting would take as long.
        draft.set(step="waiting for what is applied with it")
        return _decision(draft, requeue=SETTLE - age)
    if found.problems:
        message = "; ".join(problem.text for problem in found.problems)
        news = (Announce("Refused", message[:1000], warning=True),)
        before = find(campaign.status.conditions, ACCEPTED)
        draft.condition(ACCEPTED, False, found.problems[0].reason, message)
        draft.set(step="waiting for its parts to be corrected")
        told = before is not None and before.message == message[:4096]
        return _decision(draft, () if told else news, requeue=RESOLVE_AGAIN)
    if found.scripts:
        # Before the plan is frozen, which may name only what exists.
        draft.set(step="copying scripts")
        copies = tuple(Create(CONFIG_MAP, body) for body in found.scripts)
        return _decision(draft, copies, requeue=0.0)
    draft.condition(ACCEPTED, True, "Planned", "the plan is frozen")
    draft.set(
        resolved=found.resolved,
        start_time=format_time(seen.now),
        storage_prefix=storage_prefix(campaign.namespace, campaign.name, campaign.uid),
        step="planning",
    )
    news = (Announce("Accepted", "the plan is frozen and the campaign starts"),)
    return _decision(draft, news, requeue=0.0)


def _run(
    campaign: Campaign, draft: Draft[CampaignStatus], seen: CampaignSeen, resolved: Resolved
) -> CampaignDecision:
    cells = plan.cells(campaign.spec, resolved.workloads)
    trials = list(seen.trials.values())
    attempts = [past(trial) for trial in trials]
    plans = block_plans(campaign.spec, cells, trials, draft.status.block_plans)
    draft.set(block_plans=plans)
    states = {
        cell.name: plan.next_trial(campaign.spec, cell, attempts, goals(plans, cell))
        for cell in cells
    }
    broken = {cell.name: message for cell in cells if (message := _broken_testbed(cell, seen))}
    remaining = sum(state.remaining for name, state in states.items() if name not in broken)
    _count(draft, seen, remaining, resolved)
    if _is_late(campaign, draft):
        return _stop(campaign, draft, seen, cells, states, broken)
    open_cells = [
        cell for cell in cells if cell.name not in broken and not _is_done(cell, states, trials)
    ]
    closed = tuple(_clear_closed(cells, open_cells, broken, seen))
    if not open_cells:
        if not all(is_archived(trial) for trial in trials):
            draft.set(step="archiving the last trials")
            return _decision(draft, closed, requeue=IDLE)
        return _report(campaign, draft, seen, cells, states, broken, closed)
    cell = open_cells[0]
    return _measure(campaign, draft, seen, resolved, cell, states[cell.name], closed)


def _is_done(cell: Cell, states: dict[str, plan.CellState], trials: list[Trial]) -> bool:
    if states[cell.name].next_trial is not None:
        return False
    return not any(t.spec.cell == cell.name and t.status.outcome is None for t in trials)


def _broken_testbed(cell: Cell, seen: CampaignSeen) -> str:
    """Why a cell is given up: one of its testbeds failed. Empty when none has."""
    for found in seen.testbeds.values():
        failed = find(found.status.conditions, FAILED)
        if found.spec.cell == cell.name and failed is not None and failed.status == "True":
            return f"testbed {found.name}: {failed.reason}: {failed.message}"
    return ""


def _measure(
    campaign: Campaign,
    draft: Draft[CampaignStatus],
    seen: CampaignSeen,
    resolved: Resolved,
    cell: Cell,
    state: plan.CellState,
    effects: tuple[CampaignEffect, ...],
) -> CampaignDecision:
    running = [t for t in seen.trials.values() if holds_the_stage(t)]
    if campaign.spec.suspend:
        step = "suspended" if not running else "suspended once the running trial is done"
        draft.condition(SUSPENDED, True, "Suspended", "spec.suspend is true")
        draft.set(step=step, estimated_completion_time=None)
        return _decision(draft, effects)
    if draft.is_true(SUSPENDED):
        draft.condition(SUSPENDED, False, "Resumed", "spec.suspend is false")
    planned = state.next_trial
    if running:
        draft.set(step=_describe(running[0]))
        return _decision(draft, effects, requeue=IDLE)
    if planned is None:
        draft.set(step="collecting the last results")
        return _decision(draft, effects, requeue=IDLE)
    stage = testbeds.stage(campaign, resolved, cell, planned, seen)
    if stage.waiting:
        draft.set(step=stage.step)
        return _decision(draft, (*effects, *stage.effects), requeue=IDLE)
    if sum(1 for trial in seen.trials.values() if not is_archived(trial)) > MAX_UNARCHIVED:
        draft.set(step="waiting for the object store and Prometheus to take the last results")
        return _decision(draft, effects, requeue=IDLE)
    body = children.trial(campaign, resolved, planned, stage.beds[planned.seat.name])
    draft.set(
        step=f"block {planned.block}, {planned.condition.workload_ref} at "
        f"{planned.condition.concurrency} threads: {planned.arm.name} on {cell.instance_ref}"
    )
    return _decision(draft, (*effects, Create(TRIAL, body)), requeue=IDLE)


def _describe(trial: Trial) -> str:
    spec = trial.spec
    return (
        f"block {spec.block}, {spec.workload_ref} at {spec.concurrency} threads: "
        f"{spec.arm.name} on {spec.instance_ref}"
    )


def _count(
    draft: Draft[CampaignStatus], seen: CampaignSeen, remaining: int, resolved: Resolved
) -> None:
    outcomes = [trial.status.outcome for trial in seen.trials.values()]
    draft.set(
        progress=Progress(
            planned=len(outcomes) + remaining,
            active=outcomes.count(None),
            succeeded=outcomes.count("Succeeded"),
            invalid=outcomes.count("Invalid"),
            failed=outcomes.count("Failed"),
        ),
        estimated_completion_time=estimate(seen, remaining, resolved),
    )


def _clear_closed(
    cells: tuple[Cell, ...], open_cells: list[Cell], broken: dict[str, str], seen: CampaignSeen
) -> list[Delete]:
    """Testbeds of cells that are done go; those of a failed cell stay to be looked at."""
    kept = {cell.name for cell in open_cells} | set(broken)
    done = {cell.name for cell in cells} - kept
    return [
        Delete.of(testbed)
        for testbed in seen.testbeds.values()
        if testbed.spec.cell in done
        and not testbed.deleting
        and all(is_archived(t) for t in seen.trials.values() if t.spec.cell == testbed.spec.cell)
    ]


def _report(
    campaign: Campaign,
    draft: Draft[CampaignStatus],
    seen: CampaignSeen,
    cells: tuple[Cell, ...],
    states: dict[str, plan.CellState],
    broken: dict[str, str],
    effects: tuple[CampaignEffect, ...],
    *,
    late: bool = False,
) -> CampaignDecision:
    draft.set(step="rendering the report", estimated_completion_time=None)
    if not seen.report_ready:
        message = seen.report_problem or "the report is being rendered"
        draft.condition(REPORTED, False, "Rendering", message)
        publish = Publish(draft.status, seen)
        return _decision(draft, (*effects, publish), requeue=RENDER_AGAIN)
    draft.condition(REPORTED, True, "Rendered", "the report is in the bucket")
    given_up = [
        f"{condition.workload_ref} at {condition.concurrency} threads on {cell.instance_ref}"
        for cell in cells
        for condition in states[cell.name].exhausted
    ]
    draft.set(completion_time=format_time(seen.now), step="done", report_ref=campaign.name)
    if late:
        message = "the campaign took longer than its activeDeadlineSeconds"
        draft.condition(FAILED, True, "DeadlineExceeded", message)
    elif broken:
        draft.condition(FAILED, True, "TestbedFailed", "; ".join(broken.values()))
    elif given_up:
        message = (
            "too many trials were Invalid or Failed (kubectl get trials says why): "
            + ", ".join(given_up)
        )
        draft.condition(FAILED, True, "TooManyInvalidTrials", message)
    else:
        draft.condition(COMPLETE, True, "AllBlocksMeasured", "every planned block is valid")
    ended = next(c for c in draft.status.conditions if c.type in (FAILED, COMPLETE))
    news = Announce(ended.reason, ended.message, warning=ended.type == FAILED)
    return _decision(draft, (*effects, news), requeue=0.0)


def _is_late(campaign: Campaign, draft: Draft[CampaignStatus]) -> bool:
    limit = campaign.spec.active_deadline_seconds
    return limit is not None and draft.age(draft.status.start_time) > limit


def _stop(
    campaign: Campaign,
    draft: Draft[CampaignStatus],
    seen: CampaignSeen,
    cells: tuple[Cell, ...],
    states: dict[str, plan.CellState],
    broken: dict[str, str],
) -> CampaignDecision:
    """An early end: the testbeds go, which ends what runs; what was measured is reported."""
    effects = tuple(
        Delete.of(testbed) for testbed in seen.testbeds.values() if not testbed.deleting
    )
    if not all(is_archived(trial) for trial in seen.trials.values()):
        draft.set(step="stopping, because activeDeadlineSeconds has passed")
        return _decision(draft, effects, requeue=IDLE)
    return _report(campaign, draft, seen, cells, states, broken, effects, late=True)


def _after_the_end(
    campaign: Campaign, draft: Draft[CampaignStatus], seen: CampaignSeen
) -> CampaignDecision:
    """Succeeded trials go after their time to live; the others stay with the campaign."""
    ttl = campaign.spec.ttl_seconds_after_finished
    if ttl is None:
        return _decision(draft)
    left = ttl - draft.age(draft.status.completion_time)
    if left > 0:
        return _decision(draft, requeue=left)
    old = [t for t in seen.trials.values() if t.status.outcome == "Succeeded" and not t.deleting]
    return _decision(draft, tuple(map(Delete.of, old)))

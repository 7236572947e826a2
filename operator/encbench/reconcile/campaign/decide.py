"""What to do next with a campaign.

Cells are measured one after the other, or as many side by side as `parallelism` says. Within a cell
its testbeds stand side by side and one trial runs at a time. The plan is a pure function of the
frozen specs and of the outcomes so far, so there is no cursor to lose.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from encbench.api import lifecycle as life
from encbench.api.campaign import Blocks, LostSet, Progress, Resolved
from encbench.api.conditions import find, format_time, is_true
from encbench.api.kinds import CONFIG_MAP, TRIAL
from encbench.api.scalars import parse_duration
from encbench.core import plan
from encbench.core.naming import storage_prefix
from encbench.core.plan import Cell
from encbench.core.records import MEASURED, CampaignEnd
from encbench.kube import labels
from encbench.reconcile import misfits
from encbench.reconcile.campaign import cleanup, losses
from encbench.reconcile.campaign.advance import CellStep, not_begun, side_by_side
from encbench.reconcile.campaign.children import NAME_DIGITS
from encbench.reconcile.campaign.decision import CampaignDecision, CampaignDraft
from encbench.reconcile.campaign.estimate import estimate, steady
from encbench.reconcile.campaign.facts import (
    CampaignSeen,
    is_archived,
    left_to_live,
    left_to_settle,
)
from encbench.reconcile.campaign.ledger import line
from encbench.reconcile.campaign.precision import block_plans, goals, place_of
from encbench.reconcile.draft import Decision, backoff
from encbench.reconcile.effects import effect as do
from encbench.reconcile.objects import Campaign
from encbench.reconcile.stage import holds_the_stage
from encbench.text.words import plural

RESOLVE_AGAIN, RESOLVE_SELDOM = 10.0, 60.0
"""Seconds between looks at what was missing or wrong: at first, and the longer it has been so the
more, at most. Each reads all that the campaign names."""
RENDER_AGAIN, RENDER_SELDOM = 5.0, 300.0
"""Seconds between attempts to render the report, each of which reads all that the campaign stored:
at first, and the longer it has failed the more, at most."""
IDLE = 15.0
SELDOM = 3600.0
"""Seconds between looks at a campaign that has ended: each look puts another one into the queue,
which keeps it until it is due."""
_FROZEN = "what has to change in a spec needs a new campaign, because this one's are frozen"
"""Trials and testbeds name the field to change, and only what ends with them says so once."""
_RENDERING = {
    "Rendering": "the report is being rendered",
    "RenderingAgain": "the report is being rendered again, because the operator ended meanwhile",
}
_CUT_OFF = (
    "the operator ended twice while it wrote the report: where its container was OOMKilled, raise "
    "the chart's operator.resources.limits.memory"
)
"""What a new process knows of a report at which two others were. One that takes too much memory
would otherwise end one process after the other; the first may have ended for any reason."""


@dataclass(frozen=True)
class Standing:
    """How far the plan of a campaign is."""

    cells: tuple[Cell, ...]
    states: dict[str, plan.CellState]
    """By cell."""
    broken: dict[str, str]
    """Why a cell is given up: one of its testbeds failed."""


def decide(campaign: Campaign, seen: CampaignSeen) -> CampaignDecision:
    """The next step; pure."""
    if campaign.deleting:
        return cleanup.decide(campaign, seen)
    draft = CampaignDraft(campaign, seen)
    draft.note_suspension()
    if draft.is_true(life.COMPLETE) or draft.is_true(life.FAILED):
        return _after_the_end(draft)
    if draft.misfit:
        # Nothing that was counted without it would be right.
        return draft.decide(step="stopped", requeue=misfits.LOOK_AGAIN)
    resolved = campaign.status.resolved
    if resolved is not None:
        return _run(draft, resolved)
    return _accept(draft)


def _accept(draft: CampaignDraft) -> CampaignDecision:
    campaign, found = draft.subject, draft.seen.resolution
    left = left_to_settle(campaign, draft.seen.now, draft.seen.absences)
    if left > 0:
        return draft.decide(step="waiting for what is applied with it", requeue=left)
    if found is None:
        return draft.decide(requeue=0.0)
    if found.problems:
        message = "; ".join(problem.text for problem in found.problems)
        before = draft.fact(life.ACCEPTED)
        told = before is not None and before.message == message[:4096]
        news = [] if told else [do.Announce("Refused", message[:1000], warning=True)]
        draft.condition(life.ACCEPTED, False, found.problems[0].reason, message)
        lasts = before is not None and before.reason == found.problems[0].reason
        if lasts and _is_stale(draft):
            message = f"it was still refused when its activeDeadlineSeconds had passed: {message}"
            return _give_up(draft, "DeadlineExceeded", message, news)
        step = "waiting for its parts to be corrected; its own fields are fixed, so to correct one "
        step += "of those, delete the campaign and apply it again"
        if draft.waits_for_room:
            step = "waiting until other campaigns of its namespace end"
        again = backoff(draft.since(life.ACCEPTED), RESOLVE_AGAIN, RESOLVE_SELDOM)
        return draft.decide(*news, step=step, requeue=again)
    # Before the plan is frozen, which may name only what exists.
    copies = [do.Create(CONFIG_MAP, body) for body in found.scripts]
    if cleanup.FINALIZER not in campaign.finalizers:
        # Not before and not again: one that stays refused has nothing in the bucket, and an
        # operator that leaves for good takes the finalizer off (`farewell`).
        mine = draft.seen.installation
        claimed = do.SetFinalizers(
            (*campaign.finalizers, cleanup.FINALIZER), {labels.OPERATOR: mine} if mine else {}
        )
        if draft.seen.is_refused:
            return draft.decide(claimed, *copies, requeue=0.0)
        # The status stays as it is: another one would make the version old by which it is claimed.
        return Decision(campaign.status, (claimed, *copies), requeue=0.0)
    if copies:
        return draft.decide(*copies, step="copying scripts", requeue=0.0)
    draft.condition(life.ACCEPTED, True, "Planned", "the plan is frozen")
    draft.set(
        resolved=found.resolved,
        extended_index=found.extended_index,
        start_time=format_time(draft.seen.now),
        storage_prefix=storage_prefix(campaign.namespace, campaign.name, campaign.uid),
        name_digits=NAME_DIGITS,
    )
    started = do.Announce("Accepted", "the plan is frozen and the campaign starts")
    return draft.decide(started, step="planning", requeue=0.0)


def _is_stale(draft: CampaignDraft) -> bool:
    """Whether a refused campaign is not to begin any more, whatever is corrected.

    Otherwise those of many nights would all begin at once. What only waits for room has its turn.
    """
    limit, age = draft.spec.active_deadline_seconds, draft.elapsed(draft.subject.created)
    return limit is not None and age > limit and draft.refusal_stands


def _run(draft: CampaignDraft, resolved: Resolved) -> CampaignDecision:
    spec, seen, cells = draft.spec, draft.seen, plan.cells(draft.spec, resolved.workloads)
    trials, ledger = list(seen.trials.values()), seen.found.ledger
    attempts = [line(trial).past for trial in trials]
    fixed = draft.status.block_plans
    tried = chain(ledger.tried(map(place_of, fixed)), map(line, trials))
    outside = {name for name, one in resolved.instances.items() if one.is_external}
    plans = block_plans(spec, cells, tried, fixed, outside)

    def planned(cell: Cell, lost: Sequence[LostSet]) -> plan.CellState:
        return plan.next_trial(spec, cell, attempts, goals(plans, cell), ledger.history, lost)

    before = len(draft.status.lost_sets)
    lost = losses.known(draft.subject, seen, cells, planned)
    states = {cell.name: planned(cell, lost) for cell in cells}
    words = (
        losses.said(one, spec.blocks, goes_on=states[one.cell].next_trial is not None)
        for one in lost[before:]
    )
    news: list[do.CampaignEffect] = [do.Announce("SetLost", one, warning=True) for one in words]
    unended = {trial.spec.cell for trial in trials if trial.status.outcome is None}
    unmeasured = [name for name, state in states.items() if name in unended or _is_open(state)]
    broken = losses.beyond_repair(draft.subject, seen, cells, lost, planned)
    broken |= _broken(unmeasured, seen, lost, spec.blocks)
    standing = Standing(cells, states, broken)
    left = {name: state for name, state in states.items() if name not in standing.broken}
    remaining = sum(state.remaining for state in left.values())
    outcomes = ledger.outcomes + Counter(trial.status.outcome for trial in trials)
    end = estimate(draft.subject, seen, left, cells, resolved)
    draft.set(
        block_plans=plans,
        lost_sets=lost,
        progress=Progress(
            planned=outcomes.total() + remaining,
            active=outcomes[None],
            succeeded=outcomes["Succeeded"],
            invalid=outcomes["Invalid"],
            failed=outcomes["Failed"],
        ),
        estimated_completion_time=steady(draft.status.estimated_completion_time, end, seen.now),
    )
    limit = spec.active_deadline_seconds
    if limit is not None and _age(draft) > limit and not _is_measured(standing, seen):
        return _stop(draft, standing)
    open_cells = [
        cell
        for cell in cells
        if cell.name not in standing.broken
        and (states[cell.name].next_trial is not None or cell.name in unended)
    ]
    closed = [*news, *_clear_closed(standing, open_cells, seen)]
    if not open_cells and all(is_archived(trial) for trial in trials):
        return _report(draft, standing, closed)
    if open_cells:
        return _measure(draft, resolved, standing, open_cells[: spec.parallelism], closed)
    draft.take_back(life.REPORTED)
    return draft.decide(*closed, step="archiving the last trials", requeue=IDLE)


def _age(draft: CampaignDraft) -> float:
    """Seconds that count against `activeDeadlineSeconds`."""
    return draft.elapsed(draft.status.start_time) - draft.suspended


def _is_open(state: plan.CellState) -> bool:
    """Whether a cell lacks a block, even if it has no replacement left for it."""
    return state.next_trial is not None or bool(state.exhausted)


def _is_measured(standing: Standing, seen: CampaignSeen) -> bool:
    """Whether only records are awaited, or the report: no more work is left for a database."""
    has_load = any(holds_the_stage(trial) for trial in seen.trials.values())
    left = (state for name, state in standing.states.items() if name not in standing.broken)
    return not has_load and all(state.next_trial is None for state in left)


def _broken(
    unmeasured: Sequence[str], seen: CampaignSeen, lost: Sequence[LostSet], blocks: Blocks
) -> dict[str, str]:
    """The cells that are given up, and for the first testbed of each that failed, why.

    One that fails once its cell is measured costs nothing.
    """
    found: dict[str, str] = {}
    for testbed in seen.testbeds.values():
        failed = find(testbed.status.conditions, life.FAILED)
        if failed and failed.status == "True" and not losses.is_replaced(testbed, lost):
            why = f"testbed {testbed.name}: {failed.reason}: {failed.message}"
            why += losses.beyond_all(testbed, lost, blocks)
            found.setdefault(testbed.spec.cell, why)
    return {name: found[name] for name in unmeasured if name in found}


def _measure(
    draft: CampaignDraft,
    resolved: Resolved,
    standing: Standing,
    cells: Sequence[Cell],
    effects: Sequence[do.CampaignEffect],
) -> CampaignDecision:
    """Take these cells one step further, each by itself."""
    campaign, seen = draft.subject, draft.seen
    if campaign.spec.suspend:
        # What has not begun may wait for days, and is planned again later.
        put_off = not_begun(seen.trials.values())
        effects = [*effects, *map(do.Delete.of, put_off)]
        going = {one.name for one in put_off}
        left = [t for t in seen.trials.values() if holds_the_stage(t) and t.name not in going]
        trials = "trial is" if len(left) == 1 else "trials are"
        step = f"suspended once the running {trials} done" if left else "suspended"
        draft.set(estimated_completion_time=None)
        draft.take_back(life.REPORTED)
        return draft.decide(*effects, step=step)
    steps = side_by_side(campaign, resolved, cells, standing.states, seen)
    # A report of less may have been announced, and even written, before there was more to measure.
    # That a new process only looks for what an earlier one knew to be gone is no more to measure.
    if any(step.is_sure for step in steps.values()):
        draft.take_back(life.REPORTED)
    wanted = (effect for step in steps.values() for effect in step.effects)
    return draft.decide(*effects, *wanted, step=_said(standing.cells, steps), requeue=IDLE)


def _said(cells: Sequence[Cell], steps: Mapping[str, CellStep]) -> str:
    """The steps in words; of several cells each with its number in the plan."""
    numbers = {cell.name: number for number, cell in enumerate(cells, 1)}
    said = [f"cell {numbers[name]}: {step.text}" for name, step in steps.items()]
    return "; ".join(said) if len(said) > 1 else next(iter(steps.values())).text


def _clear_closed(
    standing: Standing, open_cells: Sequence[Cell], seen: CampaignSeen
) -> list[do.Delete]:
    """Testbeds of cells that are done or given up go, because they hold room.

    Those for which a cell was given up stay to be looked at; `testbed.failed` says how long their
    pods do.
    """
    kept = {cell.name for cell in open_cells}
    kept |= {trial.spec.cell for trial in seen.trials.values() if not is_archived(trial)}
    broken, done = standing.broken, standing.states.keys() - kept
    return [
        do.Delete.of(testbed)
        for testbed in seen.testbeds.values()
        if testbed.spec.cell in done
        and not testbed.deleting
        and not (testbed.spec.cell in broken and is_true(testbed.status.conditions, life.FAILED))
    ]


def _report(
    draft: CampaignDraft,
    standing: Standing,
    effects: Sequence[do.CampaignEffect],
    *,
    late: bool = False,
) -> CampaignDecision:
    seen, end = draft.seen, _end(standing, late=late)
    draft.set(estimated_completion_time=None)
    if seen.verdict is None:
        before = draft.fact(life.REPORTED)
        # Of one that was not announced it is why an earlier one could not be rendered.
        problem = seen.found.problem if before is not None else ""
        is_second = before is not None and before.reason == "RenderingAgain"
        cut_off = is_second and not seen.found.has_begun
        prevents = problem or (_CUT_OFF if cut_off else "")
        was_cut_off = is_second or (before is not None and not seen.found.has_begun)
        reason = "RenderingAgain" if was_cut_off and not problem else "Rendering"
        draft.condition(life.REPORTED, False, reason, problem or _RENDERING[reason])
        if problem:
            draft.hinder(seen.found.reason, f"the report: {problem}")
        waited = draft.since(life.REPORTED)
        is_late = waited > parse_duration(draft.spec.step_deadlines.archive)
        if prevents and is_late and not _awaits_mend(draft):
            message = f"the report could not be written within stepDeadlines.archive: {prevents}"
            return _give_up(draft, "ReportFailed", message, effects)
        again = backoff(waited, RENDER_AGAIN, RENDER_SELDOM)
        publish = do.Publish(draft.status, tuple(seen.lines), seen.now, end)
        return draft.decide(*effects, publish, step="rendering the report", requeue=again)
    draft.condition(life.REPORTED, True, "Rendered", "the report is in the bucket")
    ended, name = format_time(seen.now), draft.subject.name
    draft.set(completion_time=ended, report_ref=name, verdict=seen.verdict)
    kind = life.COMPLETE if end.is_complete else life.FAILED
    draft.condition(kind, True, end.reason, end.message)
    news = do.Announce(end.reason, end.message[:4096], warning=not end.is_complete)
    return draft.decide(*effects, news, step="done", requeue=0.0)


def _awaits_mend(draft: CampaignDraft) -> bool:
    """Whether a fault of ours keeps it from its report: another version may be without it."""
    limit = draft.spec.active_deadline_seconds
    in_time = limit is None or _age(draft) <= limit
    return in_time and draft.seen.found.reason == life.FAULT


def _end(standing: Standing, *, late: bool) -> CampaignEnd:
    """Why a campaign with a report ends."""
    given_up = [
        f"{condition.workload_ref} at {plural(condition.concurrency, 'thread')} on "
        f"{cell.instance_ref}"
        for cell in standing.cells
        for condition in standing.states[cell.name].exhausted
    ]
    if late:
        message = "the campaign took longer than its activeDeadlineSeconds"
        return CampaignEnd(reason="DeadlineExceeded", message=message)
    if standing.broken:
        message = _frozen("; ".join(standing.broken.values()))
        return CampaignEnd(reason="TestbedFailed", message=message)
    if given_up:
        message = "too many trials were Invalid or Failed (kubectl get trials says why): "
        message = _frozen(message + ", ".join(given_up))
        return CampaignEnd(reason="TooManyInvalidTrials", message=message)
    return CampaignEnd(reason=MEASURED, message="every planned block is valid")


def _frozen(why: str) -> str:
    """With what to do about it, which a long list must not push out of a condition's message."""
    return f"{why[: 4096 - len(_FROZEN) - 2]}; {_FROZEN}"


def _give_up(
    draft: CampaignDraft, reason: str, message: str, effects: Sequence[do.CampaignEffect]
) -> CampaignDecision:
    draft.condition(life.FAILED, True, reason, message)
    draft.set(completion_time=format_time(draft.seen.now))
    news = do.Announce(reason, message[:4096], warning=True)
    return draft.decide(*effects, news, step="done, without a report", requeue=0.0)


def _stop(draft: CampaignDraft, standing: Standing) -> CampaignDecision:
    """An early end: the testbeds go, which ends what runs; what was measured is reported.

    The record of a trial that is measured and proven still needs its testbed.
    """
    seen = draft.seen
    open_trials = [trial for trial in seen.trials.values() if trial.status.outcome is None]
    kept = {t.spec.testbed_ref.name for t in open_trials if not holds_the_stage(t)}
    effects = [
        do.Delete.of(bed)
        for bed in seen.testbeds.values()
        if not bed.deleting and bed.name not in kept
    ]
    if not all(is_archived(trial) for trial in seen.trials.values()):
        draft.take_back(life.REPORTED)
        step = "stopping, because activeDeadlineSeconds has passed"
        return draft.decide(*effects, step=step, requeue=IDLE)
    return _report(draft, standing, effects, late=True)


def _after_the_end(draft: CampaignDraft) -> CampaignDecision:
    """Succeeded trials go after their time to live; the others stay with the campaign.

    Nothing is unfinished any more, so the campaign can be deleted even without an operator.
    """
    if cleanup.FINALIZER in draft.subject.finalizers:
        return draft.decide(cleanup.let_go(draft.subject), requeue=0.0)
    left = left_to_live(draft.subject, draft.seen.now)
    if left is None or left > 0:
        return draft.decide(requeue=None if left is None else min(left, SELDOM))
    if draft.is_true(life.CLEARED):
        return draft.decide()
    if draft.seen.is_cleared:
        draft.condition(life.CLEARED, True, "Expired", "none of its succeeded Trials is left")
        return draft.decide()
    space = draft.subject.namespace
    old = [one for one in draft.seen.lines if one.outcome == "Succeeded"]
    gone = (do.Delete(TRIAL, space, one.name, one.uid) for one in old)
    return draft.decide(*gone, requeue=0.0 if old else None)

"""What to do next with a trial: a chain of pure checks over what was seen.

What its phases are and which conditions they follow from stands in `api.lifecycle`. Every end is
written down as `outcome` first and then archived; the trial is over when `Archived` is True.
"""

from dataclasses import replace

from encbench.api.conditions import format_time, is_true
from encbench.api.kinds import JOB
from encbench.api.lifecycle import ARCHIVED, BLOCK_BROKEN, FAILED, MEASURED, RELEASED, STOPPED
from encbench.api.scalars import parse_duration
from encbench.reconcile.effects.effect import Delete, KeepRecovery
from encbench.reconcile.objects import Trial
from encbench.reconcile.stage import holds_the_stage, may_load_on
from encbench.reconcile.trial import decision, solitude
from encbench.reconcile.trial.conclude import conclude
from encbench.reconcile.trial.decision import TrialDecision, TrialDraft
from encbench.reconcile.trial.ended import after_run
from encbench.reconcile.trial.facts import TrialSeen
from encbench.reconcile.trial.running import longest, while_running
from encbench.reconcile.trial.starting import before_release
from encbench.tools.turns import load_seconds


def decide(trial: Trial, seen: TrialSeen) -> TrialDecision:
    """The next step; pure."""
    found = _next(trial, seen)
    return replace(found, effects=(*solitude.effects(trial, seen, found.status), *found.effects))


def _next(trial: Trial, seen: TrialSeen) -> TrialDecision:
    draft, testbed = TrialDraft(trial, seen), seen.testbed
    if trial.status.start_time is None:
        draft.set(start_time=format_time(seen.now))
    if draft.is_true(ARCHIVED):
        return conclude(draft)
    if seen.stopped is not None and seen.stopped.record is not None and not _is_late(draft):
        # First of all: the agent knows it only as long as its pod is there.
        return draft.decide(KeepRecovery(seen.stopped.record), requeue=decision.POLL)
    if trial.status.outcome is not None:
        if may_load_on(trial) and _is_loading(draft):
            return draft.decide(*_stop_clients(draft), requeue=decision.SLOW_POLL)
        if may_load_on(trial):
            draft.condition(MEASURED, False, STOPPED, "no client runs any more")
        if _log_may_still_come(draft):
            return draft.decide(requeue=decision.SLOW_POLL)
        return conclude(draft)
    # Once it has left the stage, all is measured and proven, and only the store is waited for.
    needs_server = holds_the_stage(trial)
    if testbed is None or (testbed.deleting and needs_server):
        return draft.end("Failed", "TestbedGone", "the testbed was deleted")
    if is_true(testbed.status.conditions, FAILED) and needs_server:
        return draft.end("Failed", "TestbedFailed", f"testbed {testbed.name} failed")
    if any(sibling.ended for sibling in seen.siblings):
        return draft.end("Invalid", BLOCK_BROKEN, decision.OTHER_ENDED)
    if not draft.is_true(RELEASED):
        return before_release(draft, testbed)
    if not draft.known(MEASURED):
        return while_running(draft)
    return after_run(draft)


def _is_late(draft: TrialDraft) -> bool:
    """Whether the store has been waited for, since the planned end, for as long as it may be."""
    planned = (draft.status.release_at or 0.0) + load_seconds(draft.spec)
    limit = parse_duration(draft.spec.step_deadlines.archive)
    return draft.seen.now.timestamp() - planned > limit


def _is_loading(draft: TrialDraft) -> bool:
    """Whether a client may still be at work, which on a lost node is not known."""
    seen, released = draft.seen, draft.status.release_at or 0.0
    over = seen.clients_in("finished", "uploaded")
    runs = any(c.pod.container("tool").running for c in seen.clients if c not in over)
    return runs and seen.now.timestamp() - released <= longest(draft.spec)


def _stop_clients(draft: TrialDraft) -> tuple[Delete, ...]:
    """Delete the Job. The grace period of its pods is for storing their logs."""
    trial, job = draft.subject, draft.seen.job
    return () if job is None else (Delete(JOB, trial.namespace, trial.name, job.uid),)


def _log_may_still_come(draft: TrialDraft) -> bool:
    """After a run whose result does not count the raw log is worth a moment's wait."""
    if draft.seen.found.gathered is not None or draft.seen.found.stored is not None:
        return False
    waits = draft.known(MEASURED) and draft.since(MEASURED) < decision.UPLOAD_AFTER_FAILURE
    return waits and bool(draft.seen.clients_in("finished"))

"""What to do next with a trial: a chain of pure checks over what was seen.

What its phases are and which conditions they follow from stands in `api.lifecycle`. Every end is
written down as `outcome` first and then archived; the trial is over when `Archived` is True.
"""

from dataclasses import replace

from encbench.api.conditions import format_time, is_true, parse_time
from encbench.api.kinds import JOB
from encbench.api.lifecycle import ARCHIVED, BLOCK_BROKEN, FAILED, MEASURED, RELEASED, STOPPED
from encbench.api.scalars import parse_duration
from encbench.core.records import RecoveryRecord
from encbench.reconcile.effects.effect import Delete, KeepRecovery
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts, is_cut_off, is_gone
from encbench.reconcile.stage import holds_the_stage, may_load_on
from encbench.reconcile.trial import decision, solitude
from encbench.reconcile.trial.conclude import conclude
from encbench.reconcile.trial.decision import TrialDecision, TrialDraft
from encbench.reconcile.trial.ended import after_run, renew_urls
from encbench.reconcile.trial.facts import TrialSeen
from encbench.reconcile.trial.running import disarm, longest, may_yet_stop, overdue, while_running
from encbench.reconcile.trial.starting import before_release


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
    record = seen.stopped.record if seen.stopped is not None else None
    if record is not None and not _is_late(draft, record):
        # First of all: the agent knows it only as long as its pod is there.
        return draft.decide(KeepRecovery(record), requeue=decision.POLL)
    if trial.status.outcome is not None:
        return _once_ended(draft)
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


def _once_ended(draft: TrialDraft) -> TrialDecision:
    """The next step of a trial whose outcome is known and that has no record yet."""
    if may_load_on(draft.subject):
        loading = _loading(draft)
        if loading:
            stopping = _stop_clients(draft, loading)
            return replace(stopping, effects=(*disarm(draft), *stopping.effects))
        if may_yet_stop(draft):
            draft.note_silence(draft.seen.stop_problem or "")
            return draft.decide(*disarm(draft), requeue=decision.SLOW_POLL)
        draft.condition(MEASURED, False, STOPPED, "no client loads the database any more")
    if _log_may_still_come(draft):
        return draft.decide(*renew_urls(draft), requeue=decision.SLOW_POLL)
    return conclude(draft)


def _is_late(draft: TrialDraft, record: RecoveryRecord) -> bool:
    """Whether the store has been waited for, since it was known, for as long as it may be."""
    deadlines, facts = draft.spec.step_deadlines, record.facts
    if facts is None:
        known = parse_duration(deadlines.recovery)
    else:
        known = facts.stop_seconds + facts.restart_seconds + facts.recovery_seconds
    return overdue(draft) > known + parse_duration(deadlines.archive)


def _loading(draft: TrialDraft) -> list[PodFacts]:
    """The clients that may still be at work.

    One on a node that does not answer may be cut off from us alone, and load a database elsewhere.
    """
    seen, over = draft.seen, draft.seen.clients_in("finished", "uploaded")
    if seen.now.timestamp() > _latest_end(draft):
        return []
    runs = [c.pod for c in seen.clients if c not in over and c.pod.container("tool").running]
    has_server = _may_have_a_server(seen)
    return [pod for pod in runs if has_server or not is_gone(pod, draft.beyond(pod.ends))]


def _latest_end(draft: TrialDraft) -> float:
    """Unix time by which all clients have ended by themselves."""
    released = draft.fact(RELEASED)
    start = draft.status.release_at
    if start is None and released is not None:
        # It had taken back the start that its block had missed, and may have had a later one.
        start = parse_time(released.last_transition_time).timestamp()
        start += parse_duration(draft.spec.step_deadlines.start)
    return (start or 0.0) + longest(draft.spec)


def _may_have_a_server(seen: TrialSeen) -> bool:
    """Whether there is something to load. A database that is stopped is started once more."""
    testbed, database = seen.testbed, seen.database
    if testbed is None or testbed.deleting or is_true(testbed.status.conditions, FAILED):
        return False
    return database is None or not database.is_silent


def _stop_clients(draft: TrialDraft, loading: list[PodFacts]) -> TrialDecision:
    """Delete the Job. The grace period of its pods is for storing their logs."""
    trial, job, end = draft.subject, draft.seen.job, _latest_end(draft)
    orders = () if job is None else (Delete(JOB, trial.namespace, trial.name, job.uid),)
    lost = next((pod for pod in loading if is_cut_off(pod, draft.beyond(pod.ends))), None)
    if lost is None:
        return draft.decide(*orders, requeue=decision.SLOW_POLL)
    draft.note_cut_off(lost, end)
    return draft.decide(*orders, requeue=decision.until(end - draft.seen.now.timestamp()))


def _log_may_still_come(draft: TrialDraft) -> bool:
    """After a run whose result does not count the raw log is worth a moment's wait."""
    if draft.seen.found.gathered is not None or draft.seen.found.stored is not None:
        return False
    # Below zero our clock was set back, and waiting would take as long.
    waits = draft.known(MEASURED) and 0 <= draft.since(MEASURED) < decision.UPLOAD_AFTER_FAILURE
    return waits and bool(draft.seen.clients_in("finished"))

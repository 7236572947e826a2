"""What to do next with a trial: a chain of pure checks over what was seen.

What its phases are and which conditions they follow from stands in `api.lifecycle`. Every end is
written down as `outcome` first and then archived; the trial is over when `Archived` is True.
"""

from encbench.api.conditions import format_time, is_true
from encbench.api.lifecycle import ARCHIVED, FAILED, MEASURED, RELEASED
from encbench.api.trial import TrialStatus
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects.effect import KeepRecovery
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial.conclude import conclude
from encbench.reconcile.trial.decision import (
    POLL,
    SLOW_POLL,
    UPLOAD_AFTER_FAILURE,
    TrialDecision,
    decision,
    end,
)
from encbench.reconcile.trial.ended import after_run
from encbench.reconcile.trial.facts import RunState, TrialSeen
from encbench.reconcile.trial.running import while_running
from encbench.reconcile.trial.starting import before_release


def decide(trial: Trial, seen: TrialSeen) -> TrialDecision:
    """The next step; pure."""
    draft = Draft(trial.status, now=seen.now, generation=trial.generation)
    if trial.status.start_time is None:
        draft.set(start_time=format_time(seen.now))
    if draft.is_true(ARCHIVED):
        return conclude(trial, draft, seen)
    if seen.stopped is not None and seen.stopped.record is not None:
        # First of all: the agent knows it only as long as its pod is there.
        return decision(draft, KeepRecovery(seen.stopped.record), requeue=POLL)
    if trial.status.outcome is not None:
        if _log_may_still_come(draft, seen):
            return decision(draft, requeue=SLOW_POLL)
        return conclude(trial, draft, seen)
    if _end_without_testbed(draft, seen):
        return decision(draft, requeue=0.0)
    if not draft.is_true(RELEASED):
        return before_release(trial, draft, seen)
    if not draft.known(MEASURED):
        return while_running(trial, draft, seen)
    return after_run(trial, draft, seen)


def _log_may_still_come(draft: Draft[TrialStatus], seen: TrialSeen) -> bool:
    """After a run whose result does not count the raw log is worth a moment's wait."""
    if seen.found.gathered is not None or seen.found.stored is not None:
        return False
    uploading = any(c.run and c.run.state is RunState.FINISHED for c in seen.clients)
    return draft.known(MEASURED) and uploading and draft.since(MEASURED) < UPLOAD_AFTER_FAILURE


def _end_without_testbed(draft: Draft[TrialStatus], seen: TrialSeen) -> bool:
    testbed = seen.testbed
    if testbed is None or testbed.deleting:
        end(draft, "Failed", "TestbedGone", "the testbed was deleted")
        return True
    if is_true(testbed.status.conditions, FAILED):
        end(draft, "Failed", "TestbedFailed", f"testbed {testbed.name} failed")
        return True
    return False

"""A trial whose clients have ended: proven again, its tables checked, its log in the bucket."""

from encbench.api.scalars import parse_duration
from encbench.api.trial import Outcome, TrialStatus
from encbench.reconcile import checks
from encbench.reconcile.backoff import backoff
from encbench.reconcile.checks import CONSISTENT, Checked
from encbench.reconcile.draft import Draft
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import recovery
from encbench.reconcile.trial.decision import (
    COLLECTED,
    MEASURED,
    OOM,
    POLL,
    PROVEN_AFTER,
    RECOVERED,
    SLOW_POLL,
    TOOL_FAILED,
    UPLOAD_AFTER_FAILURE,
    Decision,
    decision,
    end,
    is_lost,
    lost_its_pod,
    no_proof,
    set_proof,
)
from encbench.reconcile.trial.facts import RunState, Seen

LAST_SAMPLE = 2.5
"""Seconds until a window's last samples are in Prometheus: one scrape interval and its delay, and
one more because the times of conditions are whole seconds."""


def after_run(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> Decision:
    """The next step of a trial whose clients have ended, or were cut off."""
    if draft.is_false(RECOVERED):
        fact = next(c for c in draft.status.conditions if c.type == RECOVERED)
        outcome: Outcome = "Failed" if fact.reason == recovery.FAILED else "Invalid"
        end(draft, outcome, fact.reason, fact.message)
        return decision(draft, requeue=0.0)
    if not draft.known(PROVEN_AFTER):
        _prove_after(trial, draft, seen)
        wait = backoff(draft.since(MEASURED), POLL, SLOW_POLL)
        return decision(draft, requeue=0.0 if draft.known(PROVEN_AFTER) else wait)
    _note_unchecked(draft, seen)
    if _check_is_open(draft, seen):
        _check(trial, draft, seen)
        wait = backoff(draft.since(PROVEN_AFTER), POLL, SLOW_POLL)
        return decision(draft, requeue=0.0 if draft.known(CONSISTENT) else wait)
    uploaded = [c for c in seen.clients if c.run and c.run.state is RunState.UPLOADED]
    all_there = len(uploaded) == trial.spec.workload.client.replicas
    if draft.is_false(MEASURED):
        if all_there or draft.since(MEASURED) > UPLOAD_AFTER_FAILURE:
            measured = next(c for c in draft.status.conditions if c.type == MEASURED)
            end(draft, "Failed", OOM if measured.reason == OOM else TOOL_FAILED, measured.message)
            return decision(draft, requeue=0.0)
        return decision(draft, requeue=SLOW_POLL)
    if not all_there:
        return _await_upload(trial, draft, seen)
    # By our own clock: the client's may be wrong.
    wait = LAST_SAMPLE - draft.since(MEASURED)
    if wait > 0:
        return decision(draft, requeue=wait)
    return decision(draft, archive=True)


def _prove_after(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> None:
    if seen.proof is not None:
        # The one restart that was intended has its own proof; any other shows here.
        before = draft.status.server_restarted or draft.status.server_started
        after = seen.server_started
        if before is not None and after is not None and abs(after - before) > 1.0:
            killed = seen.database is not None and seen.database.container("server").exit_reason
            reason, message = "Disrupted", "the server restarted while the trial ran"
            if killed == OOM:
                reason, message = OOM, "the server ran out of memory and restarted in the trial"
            draft.condition(PROVEN_AFTER, False, reason, message)
            end(draft, "Invalid", reason, message)
            return
        set_proof(draft, PROVEN_AFTER, seen)
        if not seen.proof.ok:
            end(draft, "Invalid", "ProofFailed", seen.proof.summary)
    elif lost_its_pod(seen):
        draft.condition(PROVEN_AFTER, False, "Disrupted", "the database pod was deleted")
        end(draft, "Invalid", "Disrupted", "the database pod was deleted before the second proof")
    elif draft.since(MEASURED) > parse_duration(trial.spec.step_deadlines.proof):
        draft.condition(PROVEN_AFTER, False, "ProofTimeout", no_proof(seen))
        end(draft, "Invalid", "ProofTimeout", no_proof(seen))


def _check_is_open(draft: Draft[TrialStatus], seen: Seen) -> bool:
    """Whether the dataset's checks stand between this trial and the next one."""
    if seen.testbed is None or checks.due(seen.testbed.spec) is None:
        return False
    return draft.is_true(MEASURED) and not draft.known(CONSISTENT)


def _note_unchecked(draft: Draft[TrialStatus], seen: Seen) -> None:
    """Unknown, so that the next trial does not wait for what will not come."""
    why = checks.not_checked(seen.testbed.spec) if seen.testbed else None
    if why is not None and draft.is_true(MEASURED):
        draft.condition(CONSISTENT, None, "NotChecked", why)


def _check(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> None:
    found = seen.checked
    if found is None and draft.since(PROVEN_AFTER) > parse_duration(
        trial.spec.step_deadlines.proof
    ):
        why = seen.check_problem or "stepDeadlines.proof is too short for them"
        message = f"the consistency queries did not come to an end in time: {why}"
        found = Checked(False, checks.CHECK_TIMEOUT, message)
    if found is not None:
        draft.condition(CONSISTENT, found.ok, found.reason, found.message)
        if not found.ok:
            end(draft, "Invalid", found.reason, found.message)


def _await_upload(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> Decision:
    gone = len(seen.clients) != trial.spec.workload.client.replicas
    if gone or any(is_lost(client) for client in seen.clients):
        # Nothing more will come. What has come in time is in the bucket.
        return decision(draft, archive=True)
    if draft.since(MEASURED) > parse_duration(trial.spec.step_deadlines.archive):
        end(draft, "Failed", "ArchiveTimeout", "the object store did not take the log in time")
        return decision(draft, requeue=0.0)
    refused = tuple(
        c for c in seen.clients if c.run and c.run.state is RunState.FINISHED and c.run.error
    )
    message = next((c.run.error for c in refused if c.run), "the clients upload their logs")
    draft.condition(COLLECTED, False, "Uploading", message)
    # A URL that the store no longer takes is replaced: a second release only renews the URLs.
    return decision(draft, release=refused, requeue=backoff(draft.since(MEASURED), SLOW_POLL))

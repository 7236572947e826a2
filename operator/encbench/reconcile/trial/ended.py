"""A trial whose clients have ended: proven again, its tables checked, its log in the bucket."""

from encbench.api.lifecycle import (
    CHECK_TIMEOUT,
    CHECKING,
    COLLECTED,
    CONSISTENT,
    DISRUPTED,
    MEASURED,
    OOM,
    PROVEN_AFTER,
    RECOVERED,
    RECOVERY_FAILED,
    TOOL_FAILED,
    UNCHECKED,
)
from encbench.api.scalars import parse_duration
from encbench.api.trial import Outcome, TrialStatus
from encbench.reconcile import checks
from encbench.reconcile.backoff import backoff
from encbench.reconcile.checks import Checked
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects.effect import AskChecks, ReleaseClients
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial.conclude import conclude
from encbench.reconcile.trial.decision import (
    POLL,
    SLOW_POLL,
    UPLOAD_AFTER_FAILURE,
    TrialDecision,
    decision,
    end,
    is_lost,
    lost_its_pod,
    no_proof,
    prove,
    set_proof,
)
from encbench.reconcile.trial.facts import RunState, TrialSeen

LAST_SAMPLE = 2.5
"""Seconds until a window's last samples are in Prometheus: one scrape interval and its delay, and
one more because the times of conditions are whole seconds."""


def after_run(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> TrialDecision:
    """The next step of a trial whose clients have ended, or were cut off."""
    if draft.is_false(RECOVERED):
        fact = next(c for c in draft.status.conditions if c.type == RECOVERED)
        outcome: Outcome = "Failed" if fact.reason == RECOVERY_FAILED else "Invalid"
        end(draft, outcome, fact.reason, fact.message)
        return decision(draft, requeue=0.0)
    if not draft.known(PROVEN_AFTER):
        _judge_mode(trial, draft, seen)
    if draft.status.outcome is not None:
        return decision(draft, requeue=0.0)
    if not draft.known(PROVEN_AFTER):
        wait = backoff(draft.since(MEASURED), POLL, SLOW_POLL)
        return decision(draft, *prove(draft, seen, "after"), requeue=wait)
    _note_unchecked(draft, seen)
    if _check_is_open(draft, seen):
        ask = _check(trial, draft, seen)
        if draft.status.outcome is not None:
            return decision(draft, requeue=0.0)
        if not draft.known(CONSISTENT):
            wait = backoff(draft.since(PROVEN_AFTER), POLL, SLOW_POLL)
            return decision(draft, *ask, requeue=wait)
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
    return conclude(trial, draft, seen)


def _judge_mode(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> None:
    """Write down what the second proof found; end a trial that was disrupted before it."""
    made = seen.found.after
    if made is not None:
        # The one restart that was intended has its own proof; any other shows here.
        before = draft.status.server_restarted or draft.status.server_started
        after = made.server_started
        if before is not None and after is not None and abs(after - before) > 1.0:
            killed = seen.database is not None and seen.database.container("server").exit_reason
            reason, message = DISRUPTED, "the server restarted while the trial ran"
            if killed == OOM:
                reason, message = OOM, "the server ran out of memory and restarted in the trial"
            draft.condition(PROVEN_AFTER, False, reason, message)
            end(draft, "Invalid", reason, message)
            return
        set_proof(draft, PROVEN_AFTER, made.proof)
    elif lost_its_pod(seen):
        draft.condition(PROVEN_AFTER, False, DISRUPTED, "the database pod was deleted")
        end(draft, "Invalid", DISRUPTED, "the database pod was deleted before the second proof")
    elif draft.since(MEASURED) > parse_duration(trial.spec.step_deadlines.proof):
        draft.condition(PROVEN_AFTER, False, "ProofTimeout", no_proof(seen))
        end(draft, "Invalid", "ProofTimeout", no_proof(seen))


def _check_is_open(draft: Draft[TrialStatus], seen: TrialSeen) -> bool:
    """Whether the dataset's checks stand between this trial and the next one."""
    if seen.testbed is None or checks.due(seen.testbed.spec) is None:
        return False
    return draft.is_true(MEASURED) and not draft.known(CONSISTENT)


def _note_unchecked(draft: Draft[TrialStatus], seen: TrialSeen) -> None:
    """Unknown, so that the next trial does not wait for what will not come."""
    why = checks.not_checked(seen.testbed.spec) if seen.testbed else None
    if why is not None and draft.is_true(MEASURED):
        draft.condition(CONSISTENT, None, UNCHECKED, why)


def _check(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> tuple[AskChecks, ...]:
    """Write down what the checks came to; until then have the agent make them."""
    found, limit = seen.found.checked, parse_duration(trial.spec.step_deadlines.proof)
    if found is None and draft.since(PROVEN_AFTER) > limit:
        why = seen.found.problem or "stepDeadlines.proof is too short for them"
        message = f"the consistency queries did not come to an end in time: {why}"
        found = Checked(False, CHECK_TIMEOUT, message)
    if found is None:
        draft.condition(CONSISTENT, None, CHECKING, "the agent checks the tables")
        if seen.testbed is None or seen.database is None:
            return ()
        return (AskChecks(seen.testbed, seen.database, trial.uid, loaded=False),)
    draft.condition(CONSISTENT, found.ok, found.reason, found.message)
    if not found.ok:
        end(draft, "Invalid", found.reason, found.message)
    return ()


def _await_upload(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> TrialDecision:
    gone = len(seen.clients) != trial.spec.workload.client.replicas
    if gone or any(is_lost(client) for client in seen.clients):
        # Nothing more will come. What has come in time is in the bucket.
        return conclude(trial, draft, seen)
    if draft.since(MEASURED) > parse_duration(trial.spec.step_deadlines.archive):
        end(draft, "Failed", "ArchiveTimeout", "the object store did not take the log in time")
        return decision(draft, requeue=0.0)
    refused = tuple(
        c for c in seen.clients if c.run and c.run.state is RunState.FINISHED and c.run.error
    )
    message = next((c.run.error for c in refused if c.run), "the clients upload their logs")
    draft.condition(COLLECTED, False, "Uploading", message)
    # A URL that the store no longer takes is replaced: a second release only renews the URLs.
    again = [ReleaseClients(refused, draft.status.release_at or 0.0)] if refused else []
    return decision(draft, *again, requeue=backoff(draft.since(MEASURED), SLOW_POLL))

"""A trial until its clients are told when to start: they wait, and the mode is proven."""

from encbench.api.conditions import find
from encbench.api.scalars import parse_duration
from encbench.api.trial import TrialStatus
from encbench.reconcile import pods
from encbench.reconcile.backoff import backoff
from encbench.reconcile.draft import Draft
from encbench.reconcile.objects import Trial
from encbench.reconcile.starts import serves
from encbench.reconcile.trial.decision import (
    POLL,
    PREPARED,
    PROVEN_BEFORE,
    RELEASED,
    SLOW_POLL,
    START_TOGETHER,
    Decision,
    decision,
    end,
    no_proof,
    set_proof,
)
from encbench.reconcile.trial.facts import RunState, Seen


def before_release(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> Decision:
    """The next step of a trial that has not been released."""
    deadlines = trial.spec.step_deadlines
    waited = draft.age(draft.status.start_time)
    _prove_before(draft, seen, _served(trial, draft, seen), parse_duration(deadlines.proof))
    if draft.status.outcome:
        return decision(draft, requeue=0.0)
    trouble = _check_clients(trial, draft, seen)
    if seen.job is not None and seen.job.failed:
        end(draft, "Failed", *(trouble or ("ClientFailed", "a client pod failed before the start")))
        return decision(draft, requeue=0.0)
    if waited > parse_duration(deadlines.start) and not draft.is_true(PREPARED):
        reason, message = trouble or ("StartTimeout", "the clients were not ready to start in time")
        end(draft, "Failed", reason, message)
        return decision(draft, requeue=0.0)
    if draft.is_true(PREPARED) and draft.is_true(PROVEN_BEFORE):
        draft.set(release_at=seen.now.timestamp() + START_TOGETHER)
        draft.condition(RELEASED, True, "Released", "the clients were told when to start")
        return decision(draft, requeue=0.0)
    if seen.job is None:
        return decision(draft, create_job=True, requeue=0.0)
    return decision(draft, requeue=backoff(waited, POLL, SLOW_POLL))


def _served(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> float:
    """Seconds for which the testbed has been what the trial needs: the proof's deadline is of that.

    Until then the testbed has deadlines of its own, and waits at most for a neighbour's record.
    """
    waited = draft.age(draft.status.start_time)
    testbed = seen.testbed
    if testbed is None or not testbed.spec.follows_trials:
        return waited
    if serves(testbed, trial):
        run = testbed.status.run
        return min(waited, draft.age(run.ready_time)) if run and run.ready_time else waited
    deadlines = trial.spec.step_deadlines
    if waited > parse_duration(deadlines.archive) + parse_duration(deadlines.reset):
        ready = find(testbed.status.conditions, "Ready")
        why = ready.message if ready else "nothing is known of it"
        end(draft, "Failed", "StartTimeout", f"testbed {testbed.name} did not get ready: {why}")
    return 0.0


def _prove_before(draft: Draft[TrialStatus], seen: Seen, waited: float, deadline: float) -> None:
    if draft.is_true(PROVEN_BEFORE):
        return
    if seen.testbed is not None:
        for fact in seen.testbed.status.conditions:
            if fact.type == "Proven" and fact.status == "False":
                end(draft, "Invalid", "ProofFailed", fact.message)
                return
    if seen.proof is not None:
        set_proof(draft, PROVEN_BEFORE, seen)
        draft.set(server_started=seen.server_started)
        if not seen.proof.ok:
            end(draft, "Invalid", "ProofFailed", seen.proof.summary)
    elif waited > deadline:
        end(draft, "Failed", "ProofTimeout", no_proof(seen))


def _check_clients(trial: Trial, draft: Draft[TrialStatus], seen: Seen) -> tuple[str, str] | None:
    """Set `Prepared`; gives back what keeps the clients from starting."""
    wanted = trial.spec.workload.client.replicas
    waiting = [c for c in seen.clients if c.run is not None and c.run.state is RunState.WAITING]
    if len(waiting) == wanted:
        draft.condition(PREPARED, True, "Waiting", f"{wanted} client(s) wait for the start")
        return None
    found = pods.trouble([client.pod for client in seen.clients])
    if found is not None:
        draft.condition(PREPARED, False, found.reason, found.message)
        return found.reason, found.message
    message = f"{len(waiting)} of {wanted} client(s) are ready to start"
    draft.condition(PREPARED, False, "Starting", message)
    return None

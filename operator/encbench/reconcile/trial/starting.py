"""A trial until its clients know when to start: they wait, and the mode is proven."""

from encbench.api.conditions import find, is_true
from encbench.api.lifecycle import (
    PREPARED,
    PROVEN,
    PROVEN_BEFORE,
    READY,
    RECOVERED,
    RELEASED,
    STARTING,
)
from encbench.api.scalars import parse_duration
from encbench.api.trial import TrialStatus
from encbench.reconcile import pods
from encbench.reconcile.backoff import backoff
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects.effect import CreateJob, TrialEffect
from encbench.reconcile.objects import Trial
from encbench.reconcile.starts import serves
from encbench.reconcile.trial.decision import (
    POLL,
    SLOW_POLL,
    START_TOGETHER,
    TrialDecision,
    decision,
    end,
    no_proof,
    prove,
    set_proof,
)
from encbench.reconcile.trial.facts import RunState, TrialSeen


def before_release(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> TrialDecision:
    """The next step of a trial that has not been released."""
    deadlines = trial.spec.step_deadlines
    waited = draft.age(draft.status.start_time)
    _judge_mode(draft, seen, _served(trial, draft, seen), parse_duration(deadlines.proof))
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
        return _release(trial, draft, seen)
    testbed, effects = seen.testbed, list[TrialEffect]()
    if seen.job is None and testbed is not None:
        effects.append(CreateJob(testbed))
    if not draft.known(PROVEN_BEFORE):
        # While the clients' pods start: it would be dead time in front of that or after it.
        proof = prove(draft, seen, "before")
        effects += proof if _is_ready(trial, seen) else ()
    wait = 0.0 if seen.job is None else backoff(waited, POLL, SLOW_POLL)
    return decision(draft, *effects, requeue=wait)


def _is_ready(trial: Trial, seen: TrialSeen) -> bool:
    """Whether the testbed's server runs for this trial."""
    testbed = seen.testbed
    return (
        testbed is not None and is_true(testbed.status.conditions, READY) and serves(testbed, trial)
    )


def _release(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> TrialDecision:
    """Agree on the start. The clients hear of it, and a server is stopped, once this is written."""
    draft.set(release_at=seen.now.timestamp() + START_TOGETHER)
    draft.condition(RELEASED, True, "Released", "the clients know when to start")
    if trial.spec.workload.recovery is not None:
        message = "the server is stopped once the load has run its time"
        draft.condition(RECOVERED, None, "Planned", message)
    return decision(draft, requeue=0.0)


def _served(trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen) -> float:
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
        ready = find(testbed.status.conditions, READY)
        why = ready.message if ready else "nothing is known of it"
        end(draft, "Failed", "StartTimeout", f"testbed {testbed.name} did not get ready: {why}")
    return 0.0


def _judge_mode(draft: Draft[TrialStatus], seen: TrialSeen, waited: float, deadline: float) -> None:
    """Write down what the first proof found; end a trial whose mode is not in force."""
    if draft.is_true(PROVEN_BEFORE):
        return
    if seen.testbed is not None:
        fact = find(seen.testbed.status.conditions, PROVEN)
        if fact is not None and fact.status == "False":
            end(draft, "Invalid", "ProofFailed", fact.message)
            return
    made = seen.found.before
    if made is not None:
        draft.set(server_started=made.server_started)
        set_proof(draft, PROVEN_BEFORE, made.proof)
    elif waited > deadline:
        end(draft, "Failed", "ProofTimeout", no_proof(seen))


def _check_clients(
    trial: Trial, draft: Draft[TrialStatus], seen: TrialSeen
) -> tuple[str, str] | None:
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
    draft.condition(PREPARED, False, STARTING, message)
    return None

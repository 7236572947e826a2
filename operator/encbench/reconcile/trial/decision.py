"""What a stage of a trial has decided, and what all stages say alike."""

from encbench.api.lifecycle import (
    IN_FORCE,
    NOT_IN_FORCE,
    PROVEN_AFTER,
    PROVEN_BEFORE,
    PROVING,
    TRIAL_LIFE,
)
from encbench.api.trial import Outcome, TrialStatus
from encbench.core.evidence import Proof
from encbench.reconcile.decision import Decision
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects.effect import Prove, TrialEffect
from encbench.reconcile.trial.facts import ClientPod, TrialSeen, When

START_TOGETHER = 0.3
"""Seconds between the release and the common start: enough for one HTTP call to each client."""
UPLOAD_AFTER_FAILURE = 60.0
"""Seconds that a failed tool's log has to reach the bucket before the trial ends without it."""
POLL = 0.2
"""Seconds between looks while something is due at any moment."""
SLOW_POLL = 1.0


TrialDecision = Decision[TrialStatus, TrialEffect]


def decision(
    draft: Draft[TrialStatus], *effects: TrialEffect, requeue: float | None = None
) -> TrialDecision:
    """What was decided, with the phase that follows from the conditions."""
    draft.set(phase=TRIAL_LIFE.phase(draft.status.conditions, draft.status.outcome))
    return Decision(draft.status, effects, requeue)


def end(
    draft: Draft[TrialStatus], outcome: Outcome, reason: str | None, message: str | None
) -> None:
    """Write down how the trial ends; a valid one needs no reason."""
    draft.set(outcome=outcome, reason=reason, message=message and message[:4096])


def lost_its_pod(seen: TrialSeen) -> bool:
    """Whether the database is gone; an external one never had a pod."""
    if seen.testbed is not None and seen.testbed.spec.instance.is_external:
        return False
    return seen.database is None or seen.database.deleting


def is_lost(client: ClientPod) -> bool:
    """Whether the recorder ended without having stored everything."""
    code = client.pod.container("recorder").exit_code
    return code != 0 and (code is not None or client.pod.phase == "Failed")


def prove(draft: Draft[TrialStatus], seen: TrialSeen, when: When) -> tuple[Prove, ...]:
    """Announce the proof and have it made; nothing to do yet where there is no server to ask."""
    kind = PROVEN_BEFORE if when == "before" else PROVEN_AFTER
    draft.condition(kind, None, PROVING, f"the mode is proven {when} the run")
    testbed = seen.testbed
    if testbed is None or (seen.database is None and not testbed.spec.instance.is_external):
        return ()
    return (Prove(testbed, seen.database, when),)


def set_proof(draft: Draft[TrialStatus], kind: str, proof: Proof) -> None:
    """Write down what a proof has found."""
    reason = IN_FORCE if proof.ok else NOT_IN_FORCE
    draft.condition(kind, proof.ok, reason, proof.summary)
    if not proof.ok:
        end(draft, "Invalid", "ProofFailed", proof.summary)


def no_proof(seen: TrialSeen) -> str:
    """Why there is no proof though its time is over."""
    return f"the mode could not be proven in time: {seen.found.problem or 'no answer'}"

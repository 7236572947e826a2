"""What a stage of a trial has decided, and what all stages say alike."""

from dataclasses import dataclass

from encbench.api.trial import Outcome, TrialStatus
from encbench.reconcile.draft import Draft
from encbench.reconcile.trial import recovery
from encbench.reconcile.trial.facts import ClientFacts, Seen

PREPARED, PROVEN_BEFORE, RELEASED = "Prepared", "ProvenBefore", "Released"
MEASURED, PROVEN_AFTER = "Measured", "ProvenAfter"
COLLECTED, ARCHIVED = "Collected", "Archived"
RECOVERED = recovery.RECOVERED

OOM = "OOMKilled"
"""The kubelet's word for a container that exceeded its memory."""
START_TOGETHER = 0.3
"""Seconds between the release and the common start: enough for one HTTP call to each client."""
TOOL_FAILED = "ToolFailed"
UPLOAD_AFTER_FAILURE = 60.0
"""Seconds that a failed tool's log has to reach the bucket before the trial ends without it."""
POLL = 0.2
"""Seconds between looks while something is due at any moment."""
SLOW_POLL = 1.0


@dataclass(frozen=True)
class Decision:
    """The status to write, and what to do after it is written."""

    status: TrialStatus
    create_job: bool = False
    release: tuple[ClientFacts, ...] = ()
    """Clients to release."""
    archive: bool = False
    """Collect what there is, store the record and conclude."""
    requeue: float | None = None


def decision(
    draft: Draft[TrialStatus],
    *,
    create_job: bool = False,
    release: tuple[ClientFacts, ...] = (),
    archive: bool = False,
    requeue: float | None = None,
) -> Decision:
    """What was decided, with the phase that follows from the conditions."""
    draft.set(phase=phase(draft))
    return Decision(draft.status, create_job, release, archive, requeue)


def phase(draft: Draft[TrialStatus]) -> str:
    """The phase for eyes, from the conditions."""
    status = draft.status
    if draft.is_true(ARCHIVED) and status.outcome:
        return status.outcome
    if status.outcome:
        return "Archiving"
    if draft.known(PROVEN_AFTER):
        return "Collecting"
    if draft.is_true(RELEASED):
        return "Running"
    return "Preparing"


def end(draft: Draft[TrialStatus], outcome: Outcome, reason: str, message: str) -> None:
    """Write down how the trial ends."""
    draft.set(outcome=outcome, reason=reason, message=message[:4096])


def lost_its_pod(seen: Seen) -> bool:
    """Whether the database is gone; an external one never had a pod."""
    if seen.testbed is not None and seen.testbed.spec.instance.is_external:
        return False
    return seen.database is None or seen.database.deleting


def is_lost(client: ClientFacts) -> bool:
    """Whether the recorder ended without having stored everything."""
    code = client.pod.container("recorder").exit_code
    return code != 0 and (code is not None or client.pod.phase == "Failed")


def set_proof(draft: Draft[TrialStatus], kind: str, seen: Seen) -> None:
    """Write down what a proof has found."""
    proof = seen.proof
    if proof is not None:
        reason = "ModeInForce" if proof.ok else "ModeNotInForce"
        draft.condition(kind, proof.ok, reason, proof.summary)


def no_proof(seen: Seen) -> str:
    """Why there is no proof though its time is over."""
    return f"the mode could not be proven in time: {seen.proof_problem or 'no answer'}"

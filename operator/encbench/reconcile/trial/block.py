"""The common start of an interleaved block, whose trials learn it from each other's statuses.

The block's first trial names the moment, and the others copy it. None releases its clients before
all statuses have it, because a client that was released cannot be called back. Where the statuses
came too late for that, each trial takes the moment back. Once all have done so the first one names
another, further ahead.
"""

from encbench.api import lifecycle as life
from encbench.api.scalars import parse_duration
from encbench.reconcile.trial import decision, placed
from encbench.reconcile.trial.decision import TrialDecision, TrialDraft


def named(draft: TrialDraft) -> float | None:
    """The start that the block's first trial has named, in Unix time; None if it is over."""
    start = next((one.release_at for one in draft.seen.siblings if one.order == 1), None)
    return start if start is not None and start > draft.seen.now.timestamp() else None


def agree(draft: TrialDraft) -> TrialDecision | None:
    """The next step of a released trial until its block has one start; None once it has."""
    seen, own = draft.seen, draft.status.release_at
    agreed = own is not None and all(one.release_at == own for one in seen.siblings)
    all_wait = len(seen.clients_in("waiting")) == draft.spec.workload.client.replicas
    missed = all_wait and own is not None and own <= seen.now.timestamp()
    if agreed and not missed:
        return None
    if seen.clients_in("released", "running", "finished", "uploaded"):
        message = "the clients of the interleaved block did not start together"
        return draft.end("Invalid", life.DISRUPTED, message)
    waited = draft.without_waits(draft.since(life.RELEASED))
    if waited > parse_duration(draft.spec.step_deadlines.start):
        return draft.end("Failed", "StartTimeout", "the clients could not be released in time")
    if own is None:
        return _start_anew(draft, waited)
    if missed:
        draft.set(release_at=None)
    return draft.decide(requeue=decision.POLL)


def _start_anew(draft: TrialDraft, waited: float) -> TrialDecision:
    if not placed.has_all(draft.seen, draft.spec):
        return placed.await_nodes(draft)
    placed.note_leased(draft)
    siblings = draft.seen.siblings
    start = named(draft)
    if all(one.order != 1 and one.release_at is None for one in siblings):
        ahead = min(decision.TAKE_TURNS + waited, decision.FARTHEST)
        start = draft.seen.now.timestamp() + ahead
    draft.set(release_at=start)
    return draft.decide(requeue=decision.POLL)

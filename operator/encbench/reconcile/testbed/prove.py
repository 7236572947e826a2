"""The golden copy of a testbed's dataset, and the full proof of its mode."""

from encbench.api import lifecycle as life
from encbench.api.scalars import parse_duration
from encbench.core.starts import GOLDEN, Start
from encbench.reconcile.draft import backoff
from encbench.reconcile.effects import effect as do
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.testbed import solitude
from encbench.reconcile.testbed.decision import POLL, TestbedDecision, TestbedDraft
from encbench.reconcile.testbed.serve import serve
from encbench.reconcile.testbed.starting import bring, ending, scaled

BEFORE_PROOF = (life.COPIED, life.CONSISTENT, life.LOADED)
"""What the proof may have waited for, the last of them first."""
STORE_RETRY = 5.0
"""Seconds between attempts to store a proof, at least."""


def copy_dataset(draft: TestbedDraft) -> TestbedDecision:
    """Of what was loaded and of nothing else; the proof is of a server that was started from it."""
    if solitude.must_wait(draft.seen):
        return draft.await_node()
    if draft.status.run is None and not _is_at_rest(draft):
        lost = ending(draft).failed
        if lost is not None:
            return draft.fail(lost.reason, lost.message)
        message = "before it is stopped for the golden copy, the server writes what the load left"
        draft.condition(life.COPIED, False, "Copying", message)
        if draft.seen.found.problem:
            draft.hinder(life.NO_ANSWER, draft.seen.found.problem)
        if not draft.up:
            draft.hinder(*draft.not_ready)
        return draft.decide(*map(do.Settle, draft.up), requeue=POLL)
    step = bring(draft, Start(GOLDEN, GOLDEN))
    if step.failed is not None:
        return draft.fail(step.failed.reason, step.failed.message)
    run = draft.status.run
    if not step.ready or run is None:
        draft.condition(life.COPIED, False, "Copying", f"making the golden copy: {step.message}")
        draft.note_trouble(step.trouble)
        return draft.decide(*scaled(draft, step.scale), requeue=POLL)
    if run.restored is None:
        return draft.fail("CopyFailed", "the golden copy left no account of itself")
    draft.set(golden=run.restored)
    size, seconds = run.restored.size_bytes / 2**20, run.restored.seconds
    draft.condition(life.COPIED, True, "Copied", f"{size:.0f} MiB were copied in {seconds:.1f} s")
    return draft.decide(requeue=0.0)


def _is_at_rest(draft: TestbedDraft) -> bool:
    """Whether the server has little left to write when it is stopped, or its time for that is over.

    A server that is killed because its stop takes longer than its pod's grace period has left no
    dataset to copy.
    """
    deadlines = draft.spec.step_deadlines
    waited = draft.without_waits(draft.since(life.COPIED))
    # It does not come back: the stop and the start for the copy have an end, and say why.
    is_away = not draft.up and draft.is_true(life.HINDERED)
    away = draft.since(life.HINDERED) if is_away else 0.0
    is_over = waited > parse_duration(deadlines.reset) or away > parse_duration(deadlines.provision)
    return draft.seen.found.rested or is_over


def prove_mode(draft: TestbedDraft) -> TestbedDecision:
    """By a search of all files; a mode that is not in force is the result of its trials."""
    seen, made = draft.seen, draft.seen.found.proof
    if made.proof is not None and made.digest is not None:
        reason = life.IN_FORCE if made.proof.ok else life.NOT_IN_FORCE
        draft.condition(life.PROVEN, made.proof.ok, reason, made.proof.summary)
        draft.set(proof_digest=made.digest)
        return serve(draft)
    if solitude.must_wait(seen):
        return draft.await_node()
    deadlines = draft.spec.step_deadlines
    before = next(kind for kind in BEFORE_PROOF if draft.known(kind))
    waited = draft.without_waits(draft.since(before))
    if made.store_problem and _without_store(draft) > parse_duration(deadlines.archive):
        return draft.fail("ArchiveTimeout", f"no proof could be stored: {made.store_problem}")
    external = draft.spec.instance.is_external
    ask: list[PodFacts | None] = [None] if external else [*draft.up]
    # Other databases may be scanned first; one that cannot be asked has no turn.
    limit, asked = parse_duration(deadlines.proof), draft.without_waits(draft.age(seen.found.asked))
    if not ask and seen.found.asked is None:
        asked = _without_turn(draft, waited, limit)
    if not made.store_problem and asked > limit:
        why = seen.found.problem or ("no answer" if ask else draft.not_ready[1])
        return draft.fail("ProofTimeout", f"the mode could not be proven in time: {why}")
    draft.condition(life.PROVEN, None, life.PROVING, "all files are being searched for a marker")
    if made.store_problem:
        draft.hinder(life.NOT_STORED, made.store_problem)
    elif seen.found.problem:
        draft.hinder(life.NO_ANSWER, seen.found.problem)
    if not ask:
        draft.hinder(*draft.not_ready)
    prove = [do.ProveFully(pod) for pod in ask]
    wait = backoff(waited, STORE_RETRY) if made.store_problem else POLL
    return draft.decide(*prove, requeue=wait)


def _without_store(draft: TestbedDraft) -> float:
    """Seconds since the store did not take the proof, whatever that had waited for before."""
    said = draft.fact(life.HINDERED)
    return draft.since(life.HINDERED) if said and said.reason == life.NOT_STORED else 0.0


def _without_turn(draft: TestbedDraft, waited: float, limit: float) -> float:
    """Seconds that count against the proof's limit while the database cannot be asked for it.

    Once its rest has begun, the limit is that of both.
    """
    resting = draft.seen.found.resting
    if resting is not None:
        return draft.without_waits(draft.age(resting)) - limit
    return min(waited, draft.since(life.HINDERED)) if draft.is_true(life.HINDERED) else 0.0

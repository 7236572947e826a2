"""A trial until its clients know when to start: they wait, and the mode is proven.

The clients' pods may start while the trial before it is proven the second time (`reconcile.stage`).
So may the first proof, where it asks another server. The release waits for both proofs.
"""

from dataclasses import replace

from encbench.api import lifecycle as life
from encbench.api.conditions import find, is_true
from encbench.api.scalars import parse_duration
from encbench.kube.fit import takes
from encbench.kube.machines import differences
from encbench.reconcile import troubles
from encbench.reconcile.draft import PATIENCE, backoff
from encbench.reconcile.effects.effect import CreateJob, TrialEffect
from encbench.reconcile.objects import Testbed
from encbench.reconcile.stage import holds_the_stage, is_measured, keeps_from_proving
from encbench.reconcile.starts import serves
from encbench.reconcile.trial import block, decision, limits, placed, solitude, strays
from encbench.reconcile.trial.decision import TrialDecision, TrialDraft, until
from encbench.reconcile.troubles import Trouble
from encbench.text.words import plural
from encbench.tools.turns import load_seconds

APART = "(a client needs another node than its database's, unless allowColocation is true)"
"""What a scheduler's "no node is available" often means on a small cluster."""
MOST = 8
"""Nodes that a message names."""


def before_release(draft: TrialDraft, testbed: Testbed) -> TrialDecision:
    """The next step of a trial that has not been released."""
    seen, waited = draft.seen, draft.age(draft.status.start_time)
    held = seen.before is not None and holds_the_stage(seen.before)
    if not held:
        solitude.note(draft)
    _judge_pods(draft, testbed)
    if not draft.status.outcome:
        _judge_mode(draft, testbed, _asked(draft, testbed, waited))
    if draft.status.outcome:
        return draft.decide(requeue=0.0)
    trouble = _check_clients(draft, is_apart=not placed.may_share(testbed, draft.spec))
    if seen.job is not None and seen.job.failed:
        found = trouble or Trouble("ClientFailed", "a client pod failed before the start")
        return draft.end("Failed", found.reason, found.message)
    limit = parse_duration(draft.spec.step_deadlines.start)
    if draft.is_false(life.PREPARED) and draft.since(life.PREPARED) > limit:
        message = "the clients were not ready to start in time"
        if seen.job is None and seen.found.refused:
            message = f"the clients' Job could not be created: {seen.found.refused}"
        else:
            silent = _silent(draft)
            message = _missing(draft) or (f"{message}: {silent}" if silent else message)
        found = trouble or Trouble("StartTimeout", message)
        return draft.end("Failed", found.reason, found.message)
    is_alone = not held and not solitude.must_leave(seen) and placed.has_all(seen, draft.spec)
    if draft.is_true(life.PREPARED) and draft.is_true(life.PROVEN_BEFORE) and is_alone:
        wanted = draft.spec.workload.client.replicas
        now = seen.now.timestamp()
        return _join(draft) if seen.siblings else _release(draft, now + decision.ahead(wanted))
    may_create = seen.job is None and placed.knows_its_node(testbed, draft.spec)
    create = CreateJob(testbed, keeps_off=placed.keeps_off(seen, testbed))
    effects: list[TrialEffect] = [create] if may_create else []
    if not draft.known(life.PROVEN_BEFORE) and _may_prove(draft, testbed):
        # While the clients' pods start: it would be dead time in front of that or after it.
        # Mostly announced with the start, so that it costs no write of its own.
        effects += draft.prove("before")
    requeue = _next_look(draft, waited)
    if _is_half_ready(draft) and waited < PATIENCE:
        return draft.defer(*effects, requeue=requeue)
    return draft.decide(*effects, requeue=requeue)


def _may_prove(draft: TrialDraft, testbed: Testbed) -> bool:
    """Whether nothing else keeps the server from being asked."""
    seen = draft.seen
    taken = seen.before is not None and keeps_from_proving(seen.before, draft.subject)
    if taken or not solitude.may_prove(seen, draft.spec):
        return False
    draft.note_silence()
    is_ready = is_true(testbed.status.conditions, life.READY)
    return is_ready and serves(testbed, draft.subject)


def _is_half_ready(draft: TrialDraft) -> bool:
    """Whether the other half and the release are about to come, and one write can say all three.

    Its effects were announced before. The trials of an interleaved block learn from each other's
    statuses what they wait for.
    """
    both = (life.PREPARED, life.PROVEN_BEFORE)
    announced = all(find(draft.subject.status.conditions, kind) for kind in both)
    is_ready = any(map(draft.is_true, both))
    return announced and is_ready and not draft.hindered and draft.spec.turns is None


def _next_look(draft: TrialDraft, waited: float) -> float:
    """Seconds; with clients at the barrier, nothing happens while the trial before it runs."""
    before = draft.seen.before
    if draft.seen.job is None:
        testbed = draft.seen.testbed
        is_made = testbed is not None and placed.knows_its_node(testbed, draft.spec)
        return 0.0 if is_made else decision.SLOW_POLL
    ends = [strays.latest_end(draft, pod) for pod in strays.cut_off(draft)]
    if ends:
        return until(max(ends) - draft.seen.now.timestamp())
    prepared = draft.fact(life.PREPARED)
    if prepared is not None and prepared.reason == life.NODE_IN_USE:
        return decision.SELDOM
    if before is None or before.status.outcome is not None or not is_measured(before):
        return backoff(waited, decision.POLL, decision.SLOW_POLL)
    end = (before.status.release_at or 0.0) + load_seconds(before.spec)
    look = until(end - draft.seen.now.timestamp())
    return look if draft.is_true(life.PREPARED) else min(look, backoff(waited, decision.POLL))


def _join(draft: TrialDraft) -> TrialDecision:
    """Start with the block's other trials: the first of them says when, once all are ready."""
    siblings, start = draft.seen.siblings, block.named(draft)
    if all(one.order != 1 and one.ready for one in siblings):
        start = draft.seen.now.timestamp() + decision.TAKE_TURNS
    if start is not None:
        return _release(draft, start)
    deadlines = draft.spec.step_deadlines
    limit = parse_duration(deadlines.start) + parse_duration(deadlines.proof)
    ready = (draft.age(one.ready_since) for one in siblings if one.ready)
    waited = min([draft.since(life.PREPARED), *ready])
    # Those that get ready have deadlines of their own, or wait for their nodes without one.
    if not any(one.under_way for one in siblings) and draft.without_waits(waited) > limit:
        message = "the block's other trials were not ready to start in time"
        return draft.end("Failed", "StartTimeout", message)
    draft.condition(life.RELEASED, False, "Waiting", "the block's other trials get ready")
    return draft.decide(requeue=backoff(waited, decision.POLL, decision.SLOW_POLL))


def _release(draft: TrialDraft, start: float) -> TrialDecision:
    """Agree on the start. The clients hear of it, and a server is stopped, once this is written."""
    draft.set(release_at=start, pods=placed.pods(draft.seen))
    draft.condition(life.RELEASED, True, "Released", "the clients know when to start")
    if draft.spec.workload.recovery is not None:
        message = "the server is stopped once the load has run its time"
        draft.condition(life.RECOVERED, None, "Planned", message)
    return draft.decide(requeue=0.0)


def _asked(draft: TrialDraft, testbed: Testbed, waited: float) -> float:
    """Seconds for which the server may be asked for the proof, by which its deadline goes.

    Until then the testbed has deadlines of its own, and waits at most for a neighbour's record; so
    has the trial that may hold the stage.
    """
    deadlines = draft.spec.step_deadlines
    limit = parse_duration(deadlines.archive) + parse_duration(deadlines.reset)
    has_to_start = testbed.spec.follows_trials and not serves(testbed, draft.subject)
    if has_to_start and draft.without_waits(waited) > limit:
        ready = find(testbed.status.conditions, life.READY)
        why = ready.message if ready else "nothing is known of it"
        draft.end("Failed", "StartTimeout", f"testbed {testbed.name} did not get ready: {why}")
    return 0.0 if has_to_start else draft.without_waits(draft.since(life.PROVEN_BEFORE))


def _judge_mode(draft: TrialDraft, testbed: Testbed, waited: float) -> None:
    """Write down what the first proof found; end a trial whose mode is not in force."""
    if draft.is_true(life.PROVEN_BEFORE):
        return
    fact, made = find(testbed.status.conditions, life.PROVEN), draft.seen.found.before
    if fact is not None and fact.status == "False":
        draft.end("Invalid", "ProofFailed", fact.message)
    elif made is not None:
        draft.set(server_started=made.server_started)
        draft.set_proof(life.PROVEN_BEFORE, made.proof)
    elif draft.is_overdue("before", waited):
        draft.end("Failed", "ProofTimeout", draft.no_proof("before"))


def _judge_pods(draft: TrialDraft, testbed: Testbed) -> None:
    """End a trial whose pods are not what was asked for, or where they must not be."""
    other = limits.changed(testbed.spec, draft.spec, draft.seen)
    if other is not None:
        draft.end("Invalid", life.OTHER_LIMITS, other)
        return
    intruder = placed.in_the_way(draft.seen, testbed, draft.spec)
    if intruder is not None:
        draft.end("Failed", life.UNSCHEDULABLE, intruder)
        return
    _judge_machine(draft, testbed)


def _judge_machine(draft: TrialDraft, testbed: Testbed) -> None:
    """End a trial whose database runs on a node of another kind, where the campaign minds that."""
    wanted, found = draft.spec.machine, testbed.status.machine
    if wanted is None or found is None:
        return
    unlike = differences(found, wanted)
    if unlike:
        message = f"node {found.node} of its database is unlike the baseline's, {wanted.node}"
        draft.end("Invalid", life.UNLIKE_NODES, f"{message}: {'; '.join(unlike)}")


def _check_clients(draft: TrialDraft, *, is_apart: bool) -> Trouble | None:
    """Set `Prepared`; gives back what keeps the clients from starting.

    It is Unknown while others may hold what these need, so that the step's deadline does not run:
    the clients of earlier trials until they have stored their results, or another campaign or cell.
    """
    wanted, waiting = draft.spec.workload.client.replicas, draft.seen.clients_in("waiting")
    if len(waiting) == wanted:
        _judge_strays(draft)
        return None
    found = troubles.trouble([client.pod for client in draft.seen.clients], draft.seen.now)
    if found is not None and found.reason == life.UNSCHEDULABLE and is_apart:
        found = replace(found, message=f"{found.message} {APART}")
    if draft.seen.before is not None and is_measured(draft.seen.before):
        if found is not None and found.reason != life.UNSCHEDULABLE:
            draft.hinder(found.reason, found.message)
        draft.condition(life.PREPARED, None, life.EARLY, "the trial before it is being measured")
        return found
    if found is not None and found.reason == life.UNSCHEDULABLE:
        if draft.seen.leaving:
            names = ", ".join(draft.seen.leaving[:MOST])
            message = f"waits for clients of {names}, which still store results: {found.message}"
            draft.condition(life.PREPARED, None, life.EARLY, message)
            return found
        taken = _taken(draft, is_apart=is_apart)
        if taken:
            where = f"node{'s' if len(taken) > 1 else ''} {', '.join(taken[:MOST])}"
            message = f"waits for others, which work on {where}: {found.message}"
            draft.condition(life.PREPARED, None, life.NODE_IN_USE, message)
            draft.hinder(life.NODE_IN_USE, message)
            return found
    if found is not None:
        draft.hold(life.PREPARED, found.reason, found.message)
        return found
    is_late = draft.is_false(life.PREPARED) and draft.since(life.PREPARED) > PATIENCE
    missing = _missing(draft) if is_late else ""
    if missing:
        draft.hinder(life.NO_POD, missing)
    if is_late and draft.seen.job is None and draft.seen.found.refused:
        draft.hinder(life.NOT_CREATED, draft.steady(life.HINDERED, draft.seen.found.refused))
    silent = draft.steady(life.HINDERED, _silent(draft))
    if silent:
        draft.hinder(life.NO_ANSWER, silent)
    # Without a count while pods start: each of many would be a write.
    message = silent or f"waits for {plural(wanted, 'client pod')} to start"
    if any(client.run is not None for client in draft.seen.clients):
        message = f"{len(waiting)} of {wanted} client(s) are ready to start"
    draft.condition(life.PREPARED, False, life.STARTING, message)
    return None


def _judge_strays(draft: TrialDraft) -> None:
    """Set `Prepared` of a trial whose clients stand at the barrier, unless others still load."""
    loading = strays.loading(draft)
    if not loading:
        message = f"{draft.spec.workload.client.replicas} client(s) wait for the start"
        draft.condition(life.PREPARED, True, "Waiting", message)
        return
    for pod in strays.cut_off(draft)[:1]:
        draft.note_cut_off(pod, strays.latest_end(draft, pod))
    message = f"waits for pod {loading[0].name}, whose Trial or Job was deleted and whose tool runs"
    draft.condition(life.PREPARED, None, life.EARLY, message)


def _missing(draft: TrialDraft) -> str:
    """Which pods the clients' Job has not made, as a sentence; empty if it has."""
    made, wanted = len(draft.seen.clients), draft.spec.workload.client.replicas
    if draft.seen.job is None or made >= wanted:
        return ""
    return troubles.no_pod("job", draft.subject.name, made, wanted)


def _silent(draft: TrialDraft) -> str:
    """Which recorder runs and does not answer, and why, as a sentence; empty if all that run do."""
    for client in draft.seen.clients:
        since = client.pod.container("recorder").running_since or 0.0
        if client.silence and draft.seen.now.timestamp() - since > PATIENCE:
            return f"the recorder of pod {client.pod.name} does not answer: {client.silence}"
    return ""


def _taken(draft: TrialDraft, *, is_apart: bool) -> list[str]:
    """Nodes that its clients could use and that others work on, whose clients may fill them.

    It does not stand in their queue: who waits for a node must not hold another's. So it does not
    wait either once one of its clients has room that others may wait for.
    """
    seen = draft.seen
    if any(client.pod.node for client in seen.clients):
        return []
    own = seen.database.node if is_apart and seen.database is not None else None
    pod = next(client.pod for client in seen.clients if client.pod.unschedulable)
    return [one.name for one in seen.taken if one.name != own and takes(one, pod.spec)]

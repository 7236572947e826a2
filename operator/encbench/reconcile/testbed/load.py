"""The testbed's dataset: its load, and the checks of what was loaded."""

from math import inf

from encbench.api import lifecycle as life
from encbench.api.scalars import parse_duration
from encbench.reconcile import checks, fullness, pods, troubles
from encbench.reconcile.draft import PATIENCE
from encbench.reconcile.effects import effect as do
from encbench.reconcile.pods import JobFacts, PodFacts
from encbench.reconcile.testbed import solitude
from encbench.reconcile.testbed.decision import NODE_POLL, POLL, TestbedDecision, TestbedDraft
from encbench.reconcile.testbed.provision import provision
from encbench.reconcile.troubles import Trouble
from encbench.tools.context import load_job_name

MOST = 3
"""Testbeds that a message names."""


def load_dataset(draft: TestbedDraft) -> TestbedDecision:
    """Once, by a Job on a server that answers."""
    load = draft.seen.load
    if draft.spec.instance.is_external and draft.spec.arm.role != "baseline":
        # Testbeds of an external database are made one after the other, the baseline's first.
        message = "the dataset is that which the baseline's testbed has loaded"
        draft.condition(life.LOADED, True, "Shared", message)
        return draft.decide(requeue=0.0)
    loaded = draft.fact(life.LOADED)
    if loaded is not None and loaded.reason == life.LOAD_TIMEOUT:
        return _stop(draft, loaded.message)
    if load is None and not draft.spec.instance.is_external:
        if not draft.up:
            # Nothing is lost with it yet: it is provisioned again, wherever it may run.
            draft.condition(life.PROVISIONED, False, life.STARTING, draft.not_ready[1])
            return provision(draft)
        if solitude.must_wait(draft.seen):
            return draft.await_node()
    return _begin(draft) if load is None else _follow(draft, load)


def _begin(draft: TestbedDraft) -> TestbedDecision:
    """Once no earlier load writes to the same database, whose testbed may be gone by now."""
    earlier = _earlier(draft)
    if earlier is not None:
        # Unknown, so that the load has its whole time once this wait is over.
        draft.condition(life.LOADED, None, life.IN_USE, earlier.message)
        draft.hinder(earlier.reason, earlier.message)
    else:
        draft.condition(life.LOADED, False, "Loading", "the dataset is being loaded")
        draft.note_refusal(draft.since(life.LOADED))
    if _loading(draft) > _limit(draft):
        why = earlier.message if earlier else draft.seen.found.refused or "it is not there"
        return draft.fail(life.LOAD_TIMEOUT, f"the load's Job could not be created: {why}")
    return draft.decide(*([] if earlier else [do.CreateLoad()]), requeue=POLL)


def _earlier(draft: TestbedDraft) -> Trouble | None:
    """A load that may write to the same database.

    A node that does not answer may be cut off from us alone. Its load then goes on, and its kubelet
    never hears that the pod was deleted. It has a login to an external database, but none to one of
    ours, which gets a new password with each testbed.
    """
    is_external = draft.spec.instance.is_external
    left = draft.seen.loaders if is_external else _still_loading(draft)
    if not left:
        return None
    cut_off = next((pod for pod in left if pods.is_cut_off(pod, draft.beyond(pod.ends))), None)
    if not is_external or cut_off is None:
        return Trouble(life.IN_USE, f"pod {left[0].name} of an earlier load has not ended")
    return troubles.cut_off(cut_off, "write to the database until the pod is gone")


def _still_loading(draft: TestbedDraft) -> list[PodFacts]:
    """The pods. One on a node that does not answer had its time to end."""
    return [pod for pod in draft.seen.loaders if not pods.is_gone(pod, draft.beyond(pod.ends))]


def _follow(draft: TestbedDraft, load: JobFacts) -> TestbedDecision:
    found, limit = troubles.trouble(list(load.pods), draft.seen.now), _limit(draft)
    code, fallen = _kept(load), _fallen(draft, load)
    if load.succeeded or code == 0:
        lost = _lost_database(draft, load, fallen)
        if lost is not None:
            return draft.fail(*lost)
        # The Job stays as long as the testbed: while its name is taken, nothing is loaded again.
        # A pod that does not end by itself would stay with it, and keep its room.
        draft.condition(life.LOADED, True, "Loaded", "the dataset is loaded")
        return draft.decide(*([] if load.succeeded else [draft.delete_load(load)]), requeue=0.0)
    if load.failed or code:
        return draft.fail(*_why_it_failed(draft, load, found, fallen))
    no_room = _no_room(draft, load, found)
    if no_room and draft.seen.loading:
        return _await_others(draft, no_room)
    if not draft.known(life.LOADED):
        draft.condition(life.LOADED, False, "Loading", "the dataset is being loaded")
    if found is not None:
        draft.hold(life.LOADED, found.reason, found.message)
    elif no_room:
        draft.hinder(life.NO_POD, no_room)
    else:
        # The tool may try for hours to connect anew.
        database = [draft.seen.database] if draft.seen.database is not None else []
        trouble = fallen or troubles.trouble(database, draft.seen.now)
        draft.note_trouble(trouble, draft.since(life.LOADED))
    if _loading(draft) <= limit:
        return draft.decide(requeue=POLL)
    if found is not None:
        return draft.fail(found.reason, found.message, draft.delete_load(load))
    message = f"loading the dataset took longer than stepDeadlines.load, {limit:g} s"
    if fallen is not None:
        message += f": {fallen.message}"
    if not load.pods:
        message = troubles.no_pod("job", load_job_name(draft.subject.name))
    draft.hold(life.LOADED, life.LOAD_TIMEOUT, message)
    return draft.decide(draft.delete_load(load), requeue=POLL)


def _why_it_failed(
    draft: TestbedDraft, load: JobFacts, found: Trouble | None, fallen: Trouble | None
) -> tuple[str, str]:
    """Reason and message: the database's end comes before what the load says of it."""
    pod = next(iter(load.pods), None)
    if pod is None or pod.deleting:
        taken = f"the load's pod was deleted{troubles.why_deleted(pod)}"
        return life.LOAD_DISRUPTED, f"{taken} during the load"
    lost = _lost_database(draft, load, fallen)
    message = found.message if found else "the load Job failed"
    return lost or ("LoadFailed", fullness.after(message, draft.seen.full))


def _lost_database(
    draft: TestbedDraft, load: JobFacts, fallen: Trouble | None
) -> tuple[str, str] | None:
    """Reason and message where the database was taken or ended since the load's pod was made.

    A load that succeeded is no proof of its tables: BenchmarkSQL's scripts end with 0 whatever
    failed in them, and a database that is back has the rows but may lack indexes or foreign keys.
    """
    pod = next(iter(load.pods), None)
    taken = None if pod is None else _taken_from_load(draft, pod)
    if taken is not None:
        return life.LOAD_DISRUPTED, f"{taken} during the load"
    if fallen is None:
        return None
    return fallen.reason, fullness.after(f"during the load {fallen.message}", draft.seen.full)


def _no_room(draft: TestbedDraft, load: JobFacts, found: Trouble | None) -> str:
    """Why its load has no room on a node or in a quota, as a sentence; empty if it has."""
    if found is not None:
        return found.message if found.reason == life.UNSCHEDULABLE else ""
    # A pod takes a moment to be made.
    is_late = not draft.known(life.LOADED) or draft.since(life.LOADED) > PATIENCE
    if load.pods or not is_late:
        return ""
    return troubles.no_pod("job", load_job_name(draft.subject.name))


def _await_others(draft: TestbedDraft, why: str) -> TestbedDecision:
    """Other loads of its campaign have room and deadlines, and its own begins with its room.

    Nodes that hold the databases and clients need not hold all loads at once.
    """
    names = ", ".join(draft.seen.loading[:MOST])
    message = f"waits for the loads of {names}: {why}"
    draft.condition(life.LOADED, None, life.NODE_IN_USE, message)
    draft.hinder(life.NODE_IN_USE, message)
    return draft.decide(requeue=NODE_POLL)


def _fallen(draft: TestbedDraft, load: JobFacts) -> Trouble | None:
    """What of the database ended while the load's pod was there and its tool had not ended."""
    database, pod = draft.seen.database, next(iter(load.pods), None)
    if database is None or pod is None or database.created > pod.created:
        return None
    # An operator that was away may see it long after the load.
    return troubles.fallen(database, pod.created, pod.container("tool").ended_at or inf)


def _kept(load: JobFacts) -> int | None:
    """The exit code of a tool beside which a container runs that is not ours.

    A webhook of the cluster has put it there, and the pod does not end before it does.
    """
    for pod in load.pods:
        tool = pod.container("tool")
        others = (one for name, one in pod.containers.items() if not name.startswith("init:"))
        if tool.exit_code is not None and any(one.running for one in others):
            return tool.exit_code
    return None


def _limit(draft: TestbedDraft) -> float:
    return parse_duration(draft.spec.step_deadlines.load)


def _stop(draft: TestbedDraft, message: str) -> TestbedDecision:
    """It fails once nothing loads that could disturb whoever measures on the node next.

    Whoever loads into its external database next sees for itself what may load on.
    """
    seen, left = draft.seen, _still_loading(draft)
    if not left and seen.load is None:
        return draft.fail(life.LOAD_TIMEOUT, fullness.after(message, seen.full))
    waits = f": waiting for pod {left[0].name} to end" if left else ""
    draft.hinder(life.LOAD_TIMEOUT, f"{message}{waits}")
    orders = [] if seen.load is None else [draft.delete_load(seen.load)]
    return draft.decide(*orders, requeue=POLL)


def _loading(draft: TestbedDraft) -> float:
    """Seconds for which the database has been there to be loaded."""
    return draft.without_waits(min(draft.since(life.LOADED), draft.since(life.PROVISIONED)))


def _taken_from_load(draft: TestbedDraft, pod: PodFacts) -> str | None:
    """What the load's pod missed, as a node takes it that is drained, or restarts.

    None if nothing was taken.
    """
    database = draft.seen.database
    external = draft.spec.instance.is_external
    if not external and (database is None or database.deleting or database.created > pod.created):
        return f"the database's pod was deleted{troubles.why_deleted(database)}"
    for one in (pod, database):
        if one is not None and one.ended_by:
            return troubles.by_its_node(one)
        if one is not None and troubles.was_cut_off(one, pod.created):
            return f"node {one.node} restarted"
    return None


def check_dataset(draft: TestbedDraft) -> TestbedDecision:
    """Nothing that is measured on a dataset with something missing could be right."""
    found, limit = draft.seen.found.checked, parse_duration(draft.spec.step_deadlines.proof)
    if found is None and solitude.must_wait(draft.seen):
        return draft.await_node()
    problem = draft.seen.found.problem
    if not draft.up:
        problem = draft.not_ready[1]
    if found is None and draft.without_waits(draft.since(life.LOADED)) > limit:
        found = checks.overdue(problem)
    if found is None:
        draft.condition(life.CONSISTENT, None, life.CHECKING, "the agent checks the loaded tables")
        bed = draft.subject
        ask = [do.AskChecks(bed, pod, bed.uid, loaded=True) for pod in draft.up]
        if not draft.up:
            draft.hinder(*draft.not_ready)
        elif problem:
            draft.hinder(life.NO_ANSWER, problem)
        return draft.decide(*ask, requeue=POLL)
    draft.condition(life.CONSISTENT, found.ok, found.reason, found.message)
    if not found.ok:
        return draft.fail(found.reason, f"the loaded dataset is of no use: {found.message}")
    return draft.decide(requeue=0.0)

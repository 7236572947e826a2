"""Gathering what a decision over a trial needs, and nothing that it does not."""

import asyncio
from collections.abc import Sequence

from encbench.api import lifecycle as life
from encbench.api.conditions import find, is_false, is_true
from encbench.api.kinds import JOB, NODE, TESTBED, TRIAL
from encbench.kube import labels
from encbench.kube.fit import Node, node
from encbench.ports import Access, Body, NotNow, Reader, Rejected, Unavailable
from encbench.reconcile import agents, fullness, objects
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Trial, belongs_to
from encbench.reconcile.pods import (
    JobFacts,
    PodFacts,
    all_in_cell,
    has_room,
    in_cell,
    job_facts,
    pod_facts,
)
from encbench.reconcile.stage import is_measured
from encbench.reconcile.trial import recovery, strays
from encbench.reconcile.trial.facts import (
    ClientPod,
    RunFacts,
    Sibling,
    TrialFound,
    TrialSeen,
    run_facts,
)
from encbench.reconcile.troubles import node_lost
from encbench.wire.recorder import termination_digests

AT_ONCE = 0.05
"""Seconds within which a recorder answers where nothing is amiss."""


async def observe(read: Reads, trial: Trial, found: TrialFound) -> TrialSeen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    if is_true(trial.status.conditions, life.ARCHIVED):
        return TrialSeen(read.clock.now(), None, None, await _last_job(read, trial), found=found)
    cluster, space, ref = read.cluster, trial.namespace, trial.spec.testbed_ref
    body, testbed = await cluster.get(TESTBED, space, ref.name), None
    if body is not None and body["metadata"]["uid"] == ref.uid:
        testbed = objects.testbed(body)
    database = await agents.database_pod(_source(read, trial, found), space, ref.name)
    job = await cluster.get(JOB, space, trial.name)
    if not belongs_to(job, trial.uid):
        job = None
    clients = await _clients(read, trial, job)
    stopped, problem = None, ""
    if database is not None and database.is_silent:
        problem = node_lost(database).message
    elif testbed is not None and database is not None and found.recovery is None:
        try:
            stopped = await recovery.look(read, trial, testbed, database)
        except (Unavailable, Rejected) as error:
            problem = str(error)
    full = ""
    if testbed is not None and database is not None and _has_failed(trial, clients):
        full = await fullness.look(read, space, testbed.name, database)
    before, leaving = await _before(read, trial), await _leaving(read, trial, clients)
    waiting = sum(one.run is not None and one.run.state == "waiting" for one in clients)
    is_ready = testbed is not None and waiting == trial.spec.workload.client.replicas
    has_cause = bool(leaving) or (before is not None and is_measured(before))
    return TrialSeen(
        now=read.clock.now(),
        testbed=testbed,
        database=database,
        job=None if job is None else job_facts(job),
        clients=tuple(clients),
        found=found,
        stopped=stopped,
        stop_problem=problem,
        full=full,
        siblings=await _siblings(read, trial),
        before=before,
        taken=() if has_cause else await _taken(read, trial, clients, found),
        leaving=leaving,
        strays=await strays.look(read, trial, testbed, job) if testbed and is_ready else (),
        absences=read.presence.absences(),
    )


def _source(read: Reads, trial: Trial, found: TrialFound) -> Reader:
    """Where the database's pod is read.

    Once, whether a container beside the server restarted is judged for good. That is asked of the
    API server itself: a watch may be away for a minute after the API server is back.
    """
    is_judged_now = (
        found.after is not None and find(trial.status.conditions, life.PROVEN_AFTER) is None
    )
    return read.direct if is_judged_now else read.cluster


def _has_failed(trial: Trial, clients: Sequence[ClientPod]) -> bool:
    """Whether a tool has just failed. One whose server is stopped under it is to fail."""
    if find(trial.status.conditions, life.MEASURED) is not None or trial.status.outcome is not None:
        return False
    runs = [client.run for client in clients if client.run is not None]
    codes = [run.exit_code for run in runs if run.state in ("finished", "uploaded")]
    return trial.spec.workload.recovery is None and any(code != 0 for code in codes)


async def _last_job(read: Reads, trial: Trial) -> JobFacts | None:
    """Of a trial that is over: its Job, or one that a paused operator has made too late."""
    body = await read.cluster.get(JOB, trial.namespace, trial.name)
    return job_facts(body) if body is not None and belongs_to(body, trial.uid) else None


async def _before(read: Reads, trial: Trial) -> Trial | None:
    """The trial that may still hold the stage; None once this one is released."""
    name = trial.spec.after
    if name is None or is_true(trial.status.conditions, life.RELEASED):
        return None
    return await _other(read, trial, name)


async def _other(read: Reads, trial: Trial, name: str) -> Trial | None:
    """The trial of that name, if it is of the same campaign."""
    body = await read.cluster.get(TRIAL, trial.namespace, name)
    found = None if body is None else objects.trial(body)
    # An earlier campaign of the same name may have left one that is being deleted.
    return found if found and found.spec.campaign_ref == trial.spec.campaign_ref else None


async def _taken(
    read: Reads, trial: Trial, clients: Sequence[ClientPod], found: TrialFound
) -> tuple[Node, ...]:
    """What the nodes are like whose work may be why the clients have none.

    One that has a node waits for none of them (`trial.starting`).
    """
    is_waiting = any(client.pod.unschedulable for client in clients)
    if not is_waiting or any(client.pod.node for client in clients):
        return ()
    named = frozenset(trial.spec.client_nodes)
    names = found.nodes.taken & named if named else found.nodes.taken
    bodies = [await read.cluster.get(NODE, "", name) for name in sorted(names)]
    return tuple(one for one in (node(body) for body in bodies if body) if one is not None)


async def _leaving(read: Reads, trial: Trial, clients: Sequence[ClientPod]) -> tuple[str, ...]:
    """Whose clients have ended their work, but not yet stored what they recorded."""
    if not any(client.pod.unschedulable for client in clients):
        return ()
    pods, turns = await in_cell(read, trial, "client"), trial.spec.turns
    names = {body["metadata"]["labels"].get(labels.TRIAL, "") for body in pods if has_room(body)}
    # The other trials of an interleaved block need their room for as long as this one does.
    return tuple(sorted(names - {trial.name, *(turns.trials if turns else ())}))


async def _siblings(read: Reads, trial: Trial) -> tuple[Sibling, ...]:
    """The block's other trials; they no longer matter once this one was measured."""
    if trial.spec.turns is None or find(trial.status.conditions, life.MEASURED) is not None:
        return ()
    found = []
    for order, name in enumerate(trial.spec.turns.trials, 1):
        if name != trial.name:
            found.append(_sibling(order, trial, await _other(read, trial, name)))
    return tuple(found)


def _sibling(order: int, trial: Trial, other: Trial | None) -> Sibling:
    is_released = is_true(trial.status.conditions, life.RELEASED)
    if other is None:
        # The campaign makes all of them at once, or a moment later after a crash of the operator.
        return Sibling(order, ended=is_released)
    facts, outcome = other.status.conditions, other.status.outcome
    is_prepared = is_true(facts, life.PREPARED) and is_true(facts, life.PROVEN_BEFORE)
    # It says that it waits for the block once its nodes are its own, and if they no longer are.
    has_nodes = is_false(facts, life.RELEASED) and not is_false(facts, life.ALONE)
    is_ready = is_prepared and has_nodes
    prepared = find(facts, life.PREPARED)
    says = (find(facts, kind) for kind in (life.RELEASED, life.ALONE))
    # Of two trials of a block none is released, or succeeds, without the other.
    good = (None, "Succeeded") if is_released else (None,)
    return Sibling(
        order,
        has_no_room=prepared is not None and prepared.reason == life.NODE_IN_USE,
        under_way=outcome is None and not is_ready,
        ready=is_ready,
        ready_since=max(one.last_transition_time for one in says if one) if is_ready else None,
        release_at=other.status.release_at,
        ended=outcome not in good or other.deleting,
    )


async def _clients(read: Reads, trial: Trial, job: Body | None) -> list[ClientPod]:
    """Those of the Job, and those that were released: they may outlive it by a minute."""
    released = trial.status.pods.clients if trial.status.pods is not None else []
    if job is None and not released:
        return []
    known, owner = {place.uid for place in released}, job["metadata"]["uid"] if job else ""
    # The whole cell's, because all that look at clients then need one list of the API server.
    bodies = await all_in_cell(read, trial, "client")
    own = [b for b in bodies if belongs_to(b, owner) or b["metadata"]["uid"] in known]
    found = sorted(map(pod_facts, own), key=lambda pod: pod.index)
    running = sum(pod.container("recorder").running for pod in found)
    access: Access | str = ""
    # Only recorders that run are asked, and none of them while their token cannot be had. Before
    # the release all have to wait, so none is asked while a pod still starts: each start of one of
    # many pods would cause a round of questions.
    is_released = is_true(trial.status.conditions, life.RELEASED)
    if running and (is_released or running == trial.spec.workload.client.replicas):
        bed = trial.spec.testbed_ref.name
        try:
            access = await agents.access(read.cluster, trial.namespace, bed, "recorder")
        except (Unavailable, Rejected) as error:
            access = str(error)
    return await _runs(read, found, access)


async def _runs(read: Reads, found: Sequence[PodFacts], access: Access | str) -> list[ClientPod]:
    """What each client says; one that does not answer holds up none of the others.

    Instead of the access it takes the reason why there is none; empty where none is wanted.

    They are asked one after the other while they answer at once: a question that waits for others
    has a long round trip, by half of which a clock is uncertain.
    """
    async with asyncio.TaskGroup() as group:
        asked = []
        for pod in found:
            asked.append(group.create_task(_client(read, pod, access)))
            await asyncio.wait(asked[-1:], timeout=AT_ONCE)
    return [one.result() for one in asked]


async def _client(read: Reads, pod: PodFacts, access: Access | str) -> ClientPod:
    """From the recorder while it runs, and from what it left behind when it has ended.

    On a node that does not answer none is asked, because a pass waits for each question.
    """
    recorder = pod.container("recorder")
    if recorder.exit_code == 0:
        digests = termination_digests(recorder.termination_message)
        code = pod.container("tool").exit_code
        return ClientPod(pod, RunFacts("uploaded", exit_code=code, digests=digests))
    if not recorder.running or pod.is_silent:
        return ClientPod(pod)
    if isinstance(access, str):
        return ClientPod(pod, silence=access)
    asked = read.clock.now()
    try:
        state = await read.recorder.state(agents.recorder(pod), access)
    except NotNow:
        return ClientPod(pod)  # It answers that its tool is not waiting for the start yet.
    except (Unavailable, Rejected) as error:
        return ClientPod(pod, silence=str(error))
    return ClientPod(pod, run_facts(state, asked, read.clock.now()))

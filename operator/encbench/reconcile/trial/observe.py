"""Gathering what a decision over a trial needs, and nothing that it does not."""

import json
from collections.abc import Sequence
from typing import Any

from encbench.api.kinds import JOB, POD, TESTBED
from encbench.kube import labels
from encbench.ports import Body, Rejected, Unavailable
from encbench.reconcile import agents, objects
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Testbed, Trial, belongs_to
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.reconcile.trial import recovery
from encbench.reconcile.trial.facts import (
    ClientPod,
    RunFacts,
    RunState,
    TrialFound,
    TrialSeen,
    job_facts,
    run_facts,
)


async def observe(read: Reads, trial: Trial, found: TrialFound) -> TrialSeen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    cluster, space = read.cluster, trial.namespace
    testbed = await _testbed(read, trial)
    database = await agents.database_pod(cluster, space, trial.spec.testbed_ref.name)
    job = await cluster.get(JOB, space, trial.name)
    if not belongs_to(job, trial.uid):
        job = None
    clients = await _clients(read, trial, job) if job is not None else []
    stopped, problem = None, ""
    if testbed is not None and database is not None and found.recovery is None:
        try:
            stopped = await recovery.look(read, trial, testbed, database)
        except (Unavailable, Rejected) as error:
            problem = str(error)
    return TrialSeen(
        now=read.clock.now(),
        testbed=testbed,
        database=database,
        job=job_facts(job),
        clients=tuple(clients),
        found=found,
        stopped=stopped,
        stop_problem=problem,
    )


async def _testbed(read: Reads, trial: Trial) -> Testbed | None:
    ref = trial.spec.testbed_ref
    body = await read.cluster.get(TESTBED, trial.namespace, ref.name)
    if body is None or body["metadata"]["uid"] != ref.uid:
        return None
    return objects.testbed(body)


async def _clients(read: Reads, trial: Trial, job: Body) -> list[ClientPod]:
    bodies = await read.cluster.list(POD, trial.namespace, {labels.TRIAL: trial.name})
    own = [pod_facts(body) for body in bodies if belongs_to(body, job["metadata"]["uid"])]
    found = sorted(own, key=lambda pod: pod.index)
    token = await _token(read, trial, found)
    return [ClientPod(pod, await _run(read, pod, token)) for pod in found]


async def _token(read: Reads, trial: Trial, clients: Sequence[PodFacts]) -> str | None:
    """What the recorders take; None where none of them runs, or it cannot be had now."""
    if not any(pod.container("recorder").running for pod in clients):
        return None
    try:
        return await agents.token(read.cluster, trial.namespace, trial.spec.testbed_ref.name)
    except (Unavailable, Rejected):
        return None


async def _run(read: Reads, pod: PodFacts, token: str | None) -> RunFacts | None:
    """From the recorder while it runs, and from what it left behind when it has ended."""
    recorder = pod.container("recorder")
    if recorder.exit_code == 0:
        return _from_termination(pod, recorder.termination_message)
    if not recorder.running or token is None:
        return None
    try:
        state = await read.recorder.state(agents.recorder(pod), token)
    except (Unavailable, Rejected):
        return None
    return run_facts(state, read.clock.now())


def _from_termination(pod: PodFacts, message: str) -> RunFacts:
    try:
        left: dict[str, Any] = json.loads(message)
    except ValueError:
        left = {}
    return RunFacts(
        state=RunState.UPLOADED,
        exit_code=pod.container("tool").exit_code,
        digests=left.get("digests") or None,
    )

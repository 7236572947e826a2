"""Gathering what a decision over a trial needs, and nothing that it does not."""

import json
from typing import Any

from encbench.api import labels
from encbench.api.conditions import is_false, is_true
from encbench.api.kinds import JOB, POD, TESTBED
from encbench.api.trial import TrialStatus
from encbench.core.evidence import Proof
from encbench.ports import Body, Rejected, Unavailable
from encbench.reconcile import agents, objects
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Testbed, Trial, belongs_to
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.reconcile.proofs import prove
from encbench.reconcile.trial.decide import MEASURED, PROVEN_AFTER, PROVEN_BEFORE
from encbench.reconcile.trial.facts import (
    ClientFacts,
    RunFacts,
    RunState,
    Seen,
    job_facts,
    run_facts,
)


async def observe(deps: Deps, trial: Trial) -> Seen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    cluster, space = deps.cluster, trial.namespace
    testbed = await _testbed(deps, trial)
    database = await agents.database_pod(cluster, space, trial.spec.testbed_ref.name)
    job = await cluster.get(JOB, space, trial.name)
    if not belongs_to(job, trial.uid):
        job = None
    clients = await _clients(deps, trial, job) if job is not None else []
    proof, problem, server_started = None, "", None
    if testbed is not None and database is not None and _proof_is_due(trial.status, testbed):
        try:
            proof, server_started = await _prove(deps, testbed, database)
        except (Unavailable, Rejected) as error:
            problem = str(error)
    return Seen(
        now=deps.clock.now(),
        testbed=testbed,
        database=database,
        job=job_facts(job),
        clients=tuple(clients),
        proof=proof,
        proof_problem=problem,
        server_started=server_started,
    )


async def _testbed(deps: Deps, trial: Trial) -> Testbed | None:
    ref = trial.spec.testbed_ref
    body = await deps.cluster.get(TESTBED, trial.namespace, ref.name)
    if body is None or body["metadata"]["uid"] != ref.uid:
        return None
    return objects.testbed(body)


def _proof_is_due(status: TrialStatus, testbed: Testbed) -> bool:
    """Before the run on a ready testbed, and after it."""
    if status.outcome is not None:
        return False
    facts = status.conditions
    if not is_true(facts, PROVEN_BEFORE):
        return is_true(testbed.status.conditions, "Ready")
    measured = is_true(facts, MEASURED) or is_false(facts, MEASURED)
    proven = is_true(facts, PROVEN_AFTER) or is_false(facts, PROVEN_AFTER)
    return measured and not proven


async def _prove(deps: Deps, testbed: Testbed, database: PodFacts) -> tuple[Proof, float]:
    token = await agents.token(deps.cluster, testbed.namespace, testbed.name)
    where = agents.address(database, agents.AGENT_PORT)
    server = await deps.database.server(where, token)
    proof = await prove(deps.database, where, token, testbed, deps.clock.now(), full=False)
    return proof, float(server["startedAt"])


async def _clients(deps: Deps, trial: Trial, job: Body) -> list[ClientFacts]:
    bodies = await deps.cluster.list(POD, trial.namespace, {labels.TRIAL: trial.name})
    own = [pod_facts(body) for body in bodies if belongs_to(body, job["metadata"]["uid"])]
    found = sorted(own, key=lambda pod: pod.index)
    return [ClientFacts(pod, await _run(deps, trial, pod)) for pod in found]


async def _run(deps: Deps, trial: Trial, pod: PodFacts) -> RunFacts | None:
    """From the recorder while it runs, and from what it left behind when it has ended."""
    recorder = pod.container("recorder")
    if recorder.exit_code == 0:
        return _from_termination(pod, recorder.termination_message)
    if not recorder.running:
        return None
    try:
        token = await agents.token(deps.cluster, trial.namespace, trial.spec.testbed_ref.name)
        where = agents.address(pod, agents.RECORDER_PORT)
        return run_facts(await deps.runner.state(where, token), deps.clock.now())
    except (Unavailable, Rejected):
        return None


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

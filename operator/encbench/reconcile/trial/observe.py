"""Gathering what a decision over a trial needs, and nothing that it does not."""

import json
from collections.abc import Sequence
from typing import Any

from encbench.api.conditions import find, format_time, is_false, is_true
from encbench.api.kinds import JOB, POD, TESTBED
from encbench.core.evidence import Proof
from encbench.kube import labels
from encbench.ports import Body, Rejected, Unavailable
from encbench.proofs.clients import before_sessions
from encbench.reconcile import agents, checks, objects
from encbench.reconcile.checks import CONSISTENT
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Testbed, Trial, belongs_to
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.reconcile.proofs import prove, settle
from encbench.reconcile.starts import serves
from encbench.reconcile.trial import recovery
from encbench.reconcile.trial.decision import MEASURED, PROVEN_AFTER, PROVEN_BEFORE
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
    if testbed is not None and testbed.spec.instance.external is not None:
        if _proof_is_due(trial, testbed, job):
            made = before_sessions(testbed.spec.instance.external, testbed.spec.mode)
            proof = made.model_copy(update={"time": format_time(deps.clock.now())})
    elif testbed is not None and database is not None and _proof_is_due(trial, testbed, job):
        try:
            proof, server_started = await _prove(deps, testbed, database)
        except (Unavailable, Rejected) as error:
            problem = str(error)
    checked, check_problem = None, ""
    if testbed is not None and database is not None and _check_is_due(trial, testbed):
        try:
            checked = await checks.ask(deps, testbed, database, trial.uid, loaded=False)
        except (Unavailable, Rejected) as error:
            check_problem = str(error)
    stopped, stop_problem = None, ""
    if testbed is not None and database is not None and recovery.is_recovery(trial):
        try:
            stopped = await recovery.ask(deps, trial, testbed, database, clients)
        except (Unavailable, Rejected) as error:
            stop_problem = str(error)
    return Seen(
        now=deps.clock.now(),
        testbed=testbed,
        database=database,
        job=job_facts(job),
        clients=tuple(clients),
        proof=proof,
        proof_problem=problem,
        server_started=server_started,
        checked=checked,
        check_problem=check_problem,
        stopped=stopped,
        stop_problem=stop_problem,
    )


async def _testbed(deps: Deps, trial: Trial) -> Testbed | None:
    ref = trial.spec.testbed_ref
    body = await deps.cluster.get(TESTBED, trial.namespace, ref.name)
    if body is None or body["metadata"]["uid"] != ref.uid:
        return None
    return objects.testbed(body)


def _proof_is_due(trial: Trial, testbed: Testbed, job: Body | None) -> bool:
    """Before the run on a testbed that is ready and serves this trial, and after the run.

    The first one is made while the clients' pods start: it would be dead time in front of that.
    """
    status = trial.status
    if status.outcome is not None:
        return False
    facts = status.conditions
    if not is_true(facts, PROVEN_BEFORE):
        ready = is_true(testbed.status.conditions, "Ready") and serves(testbed, trial)
        return ready and job is not None
    measured = is_true(facts, MEASURED) or is_false(facts, MEASURED)
    proven = is_true(facts, PROVEN_AFTER) or is_false(facts, PROVEN_AFTER)
    return measured and not proven


def _check_is_due(trial: Trial, testbed: Testbed) -> bool:
    """After the second proof of a run that was measured."""
    facts = trial.status.conditions
    open_ = trial.status.outcome is None and find(facts, CONSISTENT) is None
    after = is_true(facts, MEASURED) and is_true(facts, PROVEN_AFTER)
    return checks.due(testbed.spec) is not None and open_ and after


async def _prove(deps: Deps, testbed: Testbed, database: PodFacts) -> tuple[Proof, float]:
    where, token = await agents.agent(deps.cluster, testbed.namespace, testbed.name, database)
    server = await deps.agent.server(where, token)
    await settle(deps.agent, where, token)
    now = deps.clock.now()
    proof = await prove(deps.agent, deps.cluster, where, token, testbed, now, full=False)
    return proof, float(server["startedAt"])


async def _clients(deps: Deps, trial: Trial, job: Body) -> list[ClientFacts]:
    bodies = await deps.cluster.list(POD, trial.namespace, {labels.TRIAL: trial.name})
    own = [pod_facts(body) for body in bodies if belongs_to(body, job["metadata"]["uid"])]
    found = sorted(own, key=lambda pod: pod.index)
    token = await _token(deps, trial, found)
    return [ClientFacts(pod, await _run(deps, pod, token)) for pod in found]


async def _token(deps: Deps, trial: Trial, clients: Sequence[PodFacts]) -> str | None:
    """What the recorders take; None where none of them runs, or it cannot be had now."""
    if not any(pod.container("recorder").running for pod in clients):
        return None
    try:
        return await agents.token(deps.cluster, trial.namespace, trial.spec.testbed_ref.name)
    except (Unavailable, Rejected):
        return None


async def _run(deps: Deps, pod: PodFacts, token: str | None) -> RunFacts | None:
    """From the recorder while it runs, and from what it left behind when it has ended."""
    recorder = pod.container("recorder")
    if recorder.exit_code == 0:
        return _from_termination(pod, recorder.termination_message)
    if not recorder.running or token is None:
        return None
    try:
        state = await deps.recorder.state(agents.recorder(pod), token)
    except (Unavailable, Rejected):
        return None
    return run_facts(state, deps.clock.now())


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

"""Gathering what a decision over a testbed needs, and nothing that it does not."""

from dataclasses import dataclass

from encbench.api.conditions import is_false, is_true
from encbench.api.kinds import JOB, POD, SECRET, STATEFUL_SET
from encbench.core.artefact import digest_of, encode
from encbench.core.evidence import Proof, ProofRecord
from encbench.core.naming import credentials_name
from encbench.ports import Body, Rejected, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Testbed, belongs_to
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.reconcile.proofs import prove
from encbench.reconcile.testbed.decide import FAILED, LOADED, PROVEN, PROVISIONED
from encbench.reconcile.testbed.facts import LoadFacts, Seen, load_facts
from encbench.tools.context import load_job_name


def proof_key(storage_prefix: str, testbed: str) -> str:
    """Where a testbed's full proof lies in the bucket."""
    return f"{storage_prefix}/testbeds/{testbed}/proof.json"


async def observe(deps: Deps, testbed: Testbed, storage_prefix: str) -> Seen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    cluster, space, facts = deps.cluster, testbed.namespace, testbed.status.conditions
    secret = await cluster.get(SECRET, space, credentials_name(testbed.name))
    stateful_set = await _stateful_set(deps, testbed)
    database, load = None, None
    if stateful_set is not None:
        uid = stateful_set["metadata"]["uid"]
        database = await agents.database_pod(cluster, space, testbed.name, uid)
    if is_true(facts, PROVISIONED) and not is_true(facts, LOADED):
        load = await _load(deps, testbed)
    server: Body = {}
    problem, tail = "", ""
    proof = _FullProof()
    if database is not None and database.ready and not is_true(facts, FAILED):
        try:
            if not is_true(facts, PROVISIONED):
                server = await _server(deps, testbed, database)
            if is_true(facts, LOADED) and not (is_true(facts, PROVEN) or is_false(facts, PROVEN)):
                proof = await _prove(deps, testbed, database, storage_prefix)
        except (Unavailable, Rejected) as error:
            problem = str(error)
    elif database is not None and database.container("server").restarts:
        tail = await _log_tail(deps, testbed, database)
    return Seen(
        now=deps.clock.now(),
        has_credentials=belongs_to(secret, testbed.uid),
        has_stateful_set=stateful_set is not None,
        database=database,
        load=load,
        server_started=server.get("startedAt"),
        server_version=server.get("version", ""),
        problem=problem,
        log_tail=tail,
        proof=proof.proof,
        proof_digest=proof.digest,
        store_problem=proof.store_problem,
    )


@dataclass(frozen=True)
class _FullProof:
    """The full proof and whether it is stored."""

    proof: Proof | None = None
    digest: str | None = None
    store_problem: str = ""


async def _stateful_set(deps: Deps, testbed: Testbed) -> Body | None:
    body = await deps.cluster.get(STATEFUL_SET, testbed.namespace, testbed.name)
    return body if belongs_to(body, testbed.uid) else None


async def _load(deps: Deps, testbed: Testbed) -> LoadFacts | None:
    name = load_job_name(testbed.name)
    job = await deps.cluster.get(JOB, testbed.namespace, name)
    if job is None or not belongs_to(job, testbed.uid):
        return None
    bodies = await deps.cluster.list(POD, testbed.namespace, {"batch.kubernetes.io/job-name": name})
    own = [body for body in bodies if belongs_to(body, job["metadata"]["uid"])]
    return load_facts(job, tuple(pod_facts(body) for body in own))


async def _server(deps: Deps, testbed: Testbed, database: PodFacts) -> Body:
    token = await agents.token(deps.cluster, testbed.namespace, testbed.name)
    return await deps.database.server(agents.address(database, agents.AGENT_PORT), token)


async def _prove(
    deps: Deps, testbed: Testbed, database: PodFacts, storage_prefix: str
) -> _FullProof:
    """Prove and store. A store that is away is found out before the scan, which is expensive."""
    key, spec = proof_key(storage_prefix, testbed.name), testbed.spec
    try:
        await deps.store.get(key)
    except Unavailable as error:
        return _FullProof(store_problem=str(error))
    token = await agents.token(deps.cluster, testbed.namespace, testbed.name)
    where = agents.address(database, agents.AGENT_PORT)
    proof = await prove(deps.database, where, token, testbed, deps.clock.now(), full=True)
    content = encode(
        ProofRecord(testbed=testbed.name, cell=spec.cell, arm=spec.arm, mode=spec.mode, proof=proof)
    )
    try:
        await deps.store.put(key, content, "application/json")
    except Unavailable as error:
        return _FullProof(proof, store_problem=str(error))
    return _FullProof(proof, digest_of(content))


async def _log_tail(deps: Deps, testbed: Testbed, database: PodFacts) -> str:
    log = await deps.cluster.logs(testbed.namespace, database.name, "server", 5)
    return " / ".join(line.strip() for line in log.splitlines() if line.strip())[-800:]

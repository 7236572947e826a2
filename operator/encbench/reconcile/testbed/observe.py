"""Gathering what a decision over a testbed needs, and nothing that it does not."""

from collections.abc import Mapping
from dataclasses import dataclass

from encbench.api.conditions import find, is_true
from encbench.api.kinds import JOB, POD, SECRET, STATEFUL_SET, TRIAL
from encbench.core.artefact import digest_of, encode
from encbench.core.certificates import AUTHORITY, AUTHORITY_KEY, KeyPair, authority_name
from encbench.core.evidence import Proof, ProofRecord
from encbench.core.naming import credentials_name
from encbench.kube import labels
from encbench.kube.secrets import entry
from encbench.ports import Body, Rejected, Unavailable
from encbench.reconcile import agents, checks, objects
from encbench.reconcile.checks import CONSISTENT
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Testbed, Trial, belongs_to
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.reconcile.proofs import prove
from encbench.reconcile.testbed import external
from encbench.reconcile.testbed.decide import COPIED, FAILED, LOADED, PROVEN, PROVISIONED
from encbench.reconcile.testbed.facts import LoadFacts, Seen, load_facts
from encbench.reconcile.testbed.starting import SetFacts, next_served
from encbench.tools.context import load_job_name
from encbench.wire.agent import ServerAnswer


def proof_key(storage_prefix: str, testbed: str) -> str:
    """Where a testbed's full proof lies in the bucket."""
    return f"{storage_prefix}/testbeds/{testbed}/proof.json"


async def observe(deps: Deps, testbed: Testbed, storage_prefix: str) -> Seen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    cluster, space, facts = deps.cluster, testbed.namespace, testbed.status.conditions
    secret = await cluster.get(SECRET, space, credentials_name(testbed.name))
    has_credentials = belongs_to(secret, testbed.uid)
    if testbed.spec.instance.is_external:
        waits = is_true(facts, PROVISIONED) and not is_true(facts, LOADED)
        return await external.observe(
            deps,
            testbed,
            proof_key(storage_prefix, testbed.name),
            has_credentials=has_credentials,
            load=await _load(deps, testbed) if waits else None,
        )
    authority = None if has_credentials else await _authority(deps, testbed)
    stateful_set = await _stateful_set(deps, testbed)
    database, load = None, None
    if stateful_set is not None:
        uid = stateful_set["metadata"]["uid"]
        database = await agents.database_pod(cluster, space, testbed.name, uid)
    if is_true(facts, PROVISIONED) and not is_true(facts, LOADED):
        load = await _load(deps, testbed)
    server: ServerAnswer | None = None
    problem, tail = "", ""
    proof = _FullProof()
    checked = None
    if database is not None and database.ready and not is_true(facts, FAILED):
        try:
            if not is_true(facts, PROVISIONED) or _is_starting(testbed):
                server = await _server(deps, testbed, database)
            if is_true(facts, LOADED) and checks.due(testbed.spec) and not find(facts, CONSISTENT):
                checked = await checks.ask(deps, testbed, database, testbed.uid, loaded=True)
            elif _proof_is_due(testbed):
                proof = await _prove(deps, testbed, database, storage_prefix)
        except (Unavailable, Rejected) as error:
            problem = str(error)
    elif database is not None and database.container("server").restarts:
        tail = await _log_tail(deps, testbed, database)
    trial: Trial | None = None
    neighbours: tuple[str, ...] = ()
    if testbed.spec.follows_trials and find(facts, PROVEN):
        trial = await _trial(deps, testbed)
        if trial is not None and testbed.spec.residency == "OnDemand":
            neighbours = await _neighbours(deps, testbed)
    return Seen(
        now=deps.clock.now(),
        has_credentials=has_credentials,
        has_stateful_set=stateful_set is not None,
        database=database,
        load=load,
        stateful_set=None if stateful_set is None else SetFacts(stateful_set),
        trial=trial,
        neighbours=neighbours,
        authority=authority,
        server_started=server["startedAt"] if server else None,
        server_version=server["version"] if server else "",
        connections=_connections(server["settings"] if server else {}),
        problem=problem,
        log_tail=tail,
        checked=checked,
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


def _is_starting(testbed: Testbed) -> bool:
    run = testbed.status.run
    return run is not None and run.ready_time is None


def _proof_is_due(testbed: Testbed) -> bool:
    """Once, on the loaded data; where there is a golden copy on a server started from that."""
    facts = testbed.status.conditions
    whole = is_true(facts, COPIED if testbed.spec.reset != "none" else LOADED)
    return whole and find(facts, PROVEN) is None


async def _trial(deps: Deps, testbed: Testbed) -> Trial | None:
    own = {labels.TESTBED: testbed.name, labels.ACTIVE: "true"}
    bodies = await deps.cluster.list(TRIAL, testbed.namespace, own)
    return next_served(testbed, [objects.trial(body) for body in bodies])


async def _neighbours(deps: Deps, testbed: Testbed) -> tuple[str, ...]:
    """Testbeds of the cell whose database pod is there, stopping ones included."""
    own = {
        labels.COMPONENT: "database",
        labels.CAMPAIGN: testbed.spec.campaign_ref.name,
        labels.CELL: testbed.spec.cell,
    }
    pods = await deps.cluster.list(POD, testbed.namespace, own)
    names = {body["metadata"]["labels"].get(labels.TESTBED, "") for body in pods}
    return tuple(sorted(names - {testbed.name}))


async def _authority(deps: Deps, testbed: Testbed) -> KeyPair | None:
    """The CA of the testbed's own campaign, not of an earlier one by that name."""
    campaign = testbed.spec.campaign_ref
    name = authority_name(campaign.name)
    secret = await deps.cluster.get(SECRET, testbed.namespace, name)
    if secret is None or not belongs_to(secret, campaign.uid):
        return None
    certificate, key = entry(secret, AUTHORITY), entry(secret, AUTHORITY_KEY)
    return None if certificate is None or key is None else KeyPair(certificate, key)


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


async def _server(deps: Deps, testbed: Testbed, database: PodFacts) -> ServerAnswer:
    where, token = await agents.agent(deps.cluster, testbed.namespace, testbed.name, database)
    return await deps.agent.server(where, token)


async def _prove(
    deps: Deps, testbed: Testbed, database: PodFacts, storage_prefix: str
) -> _FullProof:
    """Prove and store. A store that is away is found out before the scan, which is expensive."""
    key, spec = proof_key(storage_prefix, testbed.name), testbed.spec
    try:
        await deps.store.get(key)
    except Unavailable as error:
        return _FullProof(store_problem=str(error))
    where, token = await agents.agent(deps.cluster, testbed.namespace, testbed.name, database)
    now = deps.clock.now()
    proof = await prove(deps.agent, deps.cluster, where, token, testbed, now, full=True)
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


def _connections(settings: Mapping[str, str]) -> int | None:
    """How many the server takes: what it says, and a file for each and the few of its own.

    MySQL lowers the first to the second, MariaDB does not. PostgreSQL has a process for each.
    """
    said, files = settings.get("max_connections", ""), settings.get("open_files_limit", "")
    if not said.isdecimal():
        return None
    return min(int(said), int(files)) if files.isdecimal() else int(said)

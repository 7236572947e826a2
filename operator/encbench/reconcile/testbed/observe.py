"""Gathering what a decision over a testbed needs, and nothing that it does not."""

from collections.abc import Mapping
from dataclasses import replace

from encbench.api.conditions import is_false, is_true
from encbench.api.kinds import JOB, POD, SECRET, STATEFUL_SET, TRIAL
from encbench.api.lifecycle import FAILED, LOADED, PROVEN, PROVISIONED
from encbench.core.certificates import AUTHORITY, AUTHORITY_KEY, KeyPair, authority_name
from encbench.core.naming import credentials_name
from encbench.kube import labels
from encbench.kube.secrets import entry
from encbench.ports import Body, Rejected, Unavailable
from encbench.reconcile import agents, objects
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Testbed, Trial, belongs_to
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.reconcile.testbed import external
from encbench.reconcile.testbed.facts import LoadFacts, TestbedFound, TestbedSeen, load_facts
from encbench.reconcile.testbed.starting import SetFacts, next_served
from encbench.tools.context import load_job_name
from encbench.wire.agent import ServerAnswer


async def observe(read: Reads, testbed: Testbed, found: TestbedFound) -> TestbedSeen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    cluster, space, facts = read.cluster, testbed.namespace, testbed.status.conditions
    secret = await cluster.get(SECRET, space, credentials_name(testbed.name))
    has_credentials = belongs_to(secret, testbed.uid)
    load = None
    if is_true(facts, PROVISIONED) and not is_true(facts, LOADED):
        load = await _load(read, testbed)
    if testbed.spec.instance.is_external:
        seen = await external.observe(read, testbed, has_credentials=has_credentials)
        return replace(seen, load=load, found=found)
    authority = None if has_credentials else await _authority(read, testbed)
    stateful_set = await _stateful_set(read, testbed)
    database = None
    if stateful_set is not None:
        uid = stateful_set["metadata"]["uid"]
        database = await agents.database_pod(cluster, space, testbed.name, uid)
    server: ServerAnswer | None = None
    problem, tail = "", ""
    if database is not None and database.ready and not is_true(facts, FAILED):
        if not is_true(facts, PROVISIONED) or _is_starting(testbed):
            try:
                server = await _server(read, testbed, database)
            except (Unavailable, Rejected) as error:
                problem = str(error)
    elif database is not None and database.container("server").restarts:
        tail = await _log_tail(read, testbed, database)
    trial: Trial | None = None
    neighbours: tuple[str, ...] = ()
    if testbed.spec.follows_trials and (is_true(facts, PROVEN) or is_false(facts, PROVEN)):
        trial = await _trial(read, testbed)
        if trial is not None and testbed.spec.residency == "OnDemand":
            neighbours = await _neighbours(read, testbed)
    return TestbedSeen(
        now=read.clock.now(),
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
        found=found,
    )


def _is_starting(testbed: Testbed) -> bool:
    run = testbed.status.run
    return run is not None and run.ready_time is None


async def _trial(read: Reads, testbed: Testbed) -> Trial | None:
    own = {labels.TESTBED: testbed.name, labels.ACTIVE: "true"}
    bodies = await read.cluster.list(TRIAL, testbed.namespace, own)
    return next_served(testbed, [objects.trial(body) for body in bodies])


async def _neighbours(read: Reads, testbed: Testbed) -> tuple[str, ...]:
    """Testbeds of the cell whose database pod is there, stopping ones included."""
    own = {
        labels.COMPONENT: "database",
        labels.CAMPAIGN: testbed.spec.campaign_ref.name,
        labels.CELL: testbed.spec.cell,
    }
    pods = await read.cluster.list(POD, testbed.namespace, own)
    names = {body["metadata"]["labels"].get(labels.TESTBED, "") for body in pods}
    return tuple(sorted(names - {testbed.name}))


async def _authority(read: Reads, testbed: Testbed) -> KeyPair | None:
    """The CA of the testbed's own campaign, not of an earlier one by that name."""
    campaign = testbed.spec.campaign_ref
    name = authority_name(campaign.name)
    secret = await read.cluster.get(SECRET, testbed.namespace, name)
    if secret is None or not belongs_to(secret, campaign.uid):
        return None
    certificate, key = entry(secret, AUTHORITY), entry(secret, AUTHORITY_KEY)
    return None if certificate is None or key is None else KeyPair(certificate, key)


async def _stateful_set(read: Reads, testbed: Testbed) -> Body | None:
    body = await read.cluster.get(STATEFUL_SET, testbed.namespace, testbed.name)
    return body if belongs_to(body, testbed.uid) else None


async def _load(read: Reads, testbed: Testbed) -> LoadFacts | None:
    name = load_job_name(testbed.name)
    job = await read.cluster.get(JOB, testbed.namespace, name)
    if job is None or not belongs_to(job, testbed.uid):
        return None
    bodies = await read.cluster.list(POD, testbed.namespace, {"batch.kubernetes.io/job-name": name})
    own = [body for body in bodies if belongs_to(body, job["metadata"]["uid"])]
    return load_facts(job, tuple(pod_facts(body) for body in own))


async def _server(read: Reads, testbed: Testbed, database: PodFacts) -> ServerAnswer:
    where, token = await agents.agent(read.cluster, testbed.namespace, testbed.name, database)
    return await read.agent.server(where, token)


async def _log_tail(read: Reads, testbed: Testbed, database: PodFacts) -> str:
    log = await read.cluster.logs(testbed.namespace, database.name, "server", 5)
    return " / ".join(line.strip() for line in log.splitlines() if line.strip())[-800:]


def _connections(settings: Mapping[str, str]) -> int | None:
    """How many the server takes: what it says, and a file for each and the few of its own.

    MySQL lowers the first to the second, MariaDB does not. PostgreSQL has a process for each.
    """
    said, files = settings.get("max_connections", ""), settings.get("open_files_limit", "")
    if not said.isdecimal():
        return None
    return min(int(said), int(files)) if files.isdecimal() else int(said)

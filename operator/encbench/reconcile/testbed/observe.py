"""Gathering what a decision over a testbed needs, and nothing that it does not."""

from collections.abc import Mapping
from dataclasses import replace

from encbench.admission.gather import jar_of
from encbench.api.conditions import find, is_false, is_true
from encbench.api.kinds import (
    JOB,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    SECRET,
    STATEFUL_SET,
    TESTBED,
    TRIAL,
)
from encbench.api.lifecycle import FAILED, LOAD_TIMEOUT, LOADED, NOT_MARKED, PROVEN, PROVISIONED
from encbench.core.certificates import AUTHORITY, AUTHORITY_KEY, KeyPair, authority_name
from encbench.core.naming import credentials_name
from encbench.database.connection import loading
from encbench.kube import labels
from encbench.kube.secrets import entry
from encbench.ports import Rejected, Unavailable
from encbench.reconcile import agents, fullness, objects
from encbench.reconcile.deps import Reads, Settings
from encbench.reconcile.objects import Testbed, belongs_to
from encbench.reconcile.pods import (
    JobFacts,
    PodFacts,
    has_room,
    has_run,
    in_cell,
    is_stuck,
    job_facts,
    pod_facts,
)
from encbench.reconcile.testbed import external, failed, keys
from encbench.reconcile.testbed.consent import marked
from encbench.reconcile.testbed.facts import SetFacts, TestbedFound, TestbedSeen
from encbench.reconcile.testbed.machine import machine
from encbench.reconcile.testbed.starting import next_served
from encbench.reconcile.troubles import Trouble
from encbench.tools.context import load_job_name
from encbench.tools.pod import reached


async def observe(read: Reads, testbed: Testbed, found: TestbedFound) -> TestbedSeen:
    """Everything that `decide` needs now. Raises Unavailable when the API server is away."""
    cluster, space, facts = read.cluster, testbed.namespace, testbed.status.conditions
    has_credentials = is_true(facts, PROVISIONED) or await _has_credentials(read, testbed)
    seen = TestbedSeen(
        read.clock.now(),
        has_credentials,
        lacking=_lacking(read.settings, testbed),
        found=found,
        absences=read.presence.absences(),
    )
    if is_true(facts, PROVISIONED) and not is_true(facts, LOADED):
        load, loaders = await _load(read, testbed)
        seen = replace(seen, load=load, loaders=loaders)
        if load is not None and not any(pod.node for pod in load.pods):
            seen = replace(seen, loading=await _loading(read, testbed))
    has_failed = is_true(facts, FAILED)
    if not has_credentials and not has_failed:
        seen = replace(seen, authority=await _authority(read, testbed))
        seen = await keys.observe(read, testbed, seen)
    if not is_true(facts, PROVISIONED) and not has_failed and seen.missing is None:
        seen = replace(seen, missing=await _driver(read, testbed))
    if testbed.spec.instance.is_external:
        return await external.observe(read, testbed, seen)
    body = await cluster.get(STATEFUL_SET, space, testbed.name)
    if body is not None and belongs_to(body, testbed.uid):
        database = await agents.database_pod(cluster, space, testbed.name, body["metadata"]["uid"])
        seen = replace(seen, stateful_set=SetFacts(body), database=database)
        if database is not None:
            seen = await _server(read, testbed, database, seen)
    if is_true(facts, FAILED):
        return await failed.observe(read, testbed, seen)
    if seen.database is not None and _is_over(testbed, seen.load):
        full = await fullness.look(read, space, testbed.name, seen.database)
        seen = replace(seen, full=full)
    if testbed.spec.follows_trials and (is_true(facts, PROVEN) or is_false(facts, PROVEN)):
        own = {labels.TESTBED: testbed.name, labels.ACTIVE: "true"}
        trials = [objects.trial(body) for body in await cluster.list(TRIAL, space, own)]
        seen = replace(seen, trial=next_served(testbed, trials))
        if seen.trial is not None and testbed.spec.residency == "OnDemand":
            seen = replace(seen, neighbours=await _neighbours(read, testbed))
    return seen


def _is_over(testbed: Testbed, load: JobFacts | None) -> bool:
    """Whether the load has ended or its time is over.

    One that succeeded may have lost its server to a full volume.
    """
    loaded = find(testbed.status.conditions, LOADED)
    if loaded is not None and loaded.reason == LOAD_TIMEOUT:
        return True
    return load is not None and load.has_ended


def _lacking(settings: Settings, testbed: Testbed) -> str:
    """What the mode needs and the chart's values have left out since the campaign was accepted."""
    if testbed.spec.mode.gocryptfs is None or settings.programs.volume.reference:
        return ""
    return (
        "gocryptfs needs a privileged container beside the database, which this installation does "
        "not allow any more: set the chart's privilegedVolumes.enabled=true"
    )


async def _has_credentials(read: Reads, testbed: Testbed) -> bool:
    """Whether its login is there, with which its first step is done or begins."""
    secret = await read.cluster.get(SECRET, testbed.namespace, credentials_name(testbed.name))
    return belongs_to(secret, testbed.uid)


async def _driver(read: Reads, testbed: Testbed) -> Trouble | None:
    """What the owner of a claim has to do before load and clients may mount the driver from it."""
    jar = jar_of(testbed.spec.mode)
    name = jar.claim_name if jar is not None else None
    if name is None:
        return None
    kind = PERSISTENT_VOLUME_CLAIM
    _, why = await marked(read, kind, testbed.namespace, name, labels.DRIVER)
    return Trouble(NOT_MARKED, why) if why else None


async def _server(
    read: Reads, testbed: Testbed, database: PodFacts, seen: TestbedSeen
) -> TestbedSeen:
    """What the agent says of a server that is starting."""
    facts, run, space = testbed.status.conditions, testbed.status.run, testbed.namespace
    if database.ready and not is_true(facts, FAILED):
        is_starting = run is not None and run.ready_time is None
        known = testbed.status.machine
        has_moved = known is None or known.node != database.node
        if is_true(facts, PROVISIONED) and not is_starting and not has_moved:
            return seen
        try:
            where, access = await agents.agent(read.cluster, space, testbed.name, database)
            server = await read.agent.server(where, access)
        except (Unavailable, Rejected) as error:
            return replace(seen, problem=str(error))
        return replace(
            seen,
            server_started=server["startedAt"],
            server_version=server["version"],
            connections=_connections(server["settings"]),
            machine=await machine(read.cluster, database, server, known),
        )
    return seen


async def _neighbours(read: Reads, testbed: Testbed) -> tuple[str, ...]:
    """Testbeds of the cell whose database pod is there, stopping ones included."""
    marks = [body["metadata"]["labels"] for body in await in_cell(read, testbed, "database")]
    names = {one.get(labels.TESTBED, "") for one in marks}
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


async def _load(read: Reads, testbed: Testbed) -> tuple[JobFacts | None, tuple[PodFacts, ...]]:
    """The Job with its pods, and the pods that have not ended of others that load in its place."""
    name = load_job_name(testbed.name)
    job = await read.cluster.get(JOB, testbed.namespace, name)
    bodies = await read.cluster.list(POD, testbed.namespace, {"batch.kubernetes.io/job-name": name})
    pods = [(body, pod_facts(body)) for body in bodies]
    loaders = tuple(pod for body, pod in pods if not has_run(body))
    if job is None or not belongs_to(job, testbed.uid):
        return None, (*loaders, *await _strays(read, testbed))
    own = [pod for body, pod in pods if belongs_to(body, job["metadata"]["uid"])]
    return job_facts(job, *own), loaders


async def _loading(read: Reads, testbed: Testbed) -> tuple[str, ...]:
    """Other testbeds of the campaign, of any cell, whose loads take room of nodes and quotas."""
    campaign = {labels.COMPONENT: "load", labels.CAMPAIGN: testbed.spec.campaign_ref.name}
    bodies = await read.cluster.list(POD, testbed.namespace, campaign)
    now, absences = read.clock.now(), read.presence.absences()
    there = (
        body
        for body in bodies
        if has_room(body)
        # A container that a webhook has put beside the tool may go on for ever.
        and pod_facts(body).container("tool").exit_code is None
        and not is_stuck(body, now, absences)
    )
    names = {body["metadata"]["labels"].get(labels.TESTBED, "") for body in there}
    return tuple(sorted(names - {testbed.name}))


async def _strays(read: Reads, testbed: Testbed) -> tuple[PodFacts, ...]:
    """Loads into the same external database of testbeds that have it no more.

    They end a little later, or go on where their node is cut off.
    """
    if not testbed.spec.instance.is_external:
        return ()
    where, found = loading(testbed.name, testbed.spec), list[PodFacts]()
    for body in await read.cluster.list(POD, testbed.namespace, {labels.COMPONENT: "load"}):
        name, pod = body["metadata"]["labels"].get(labels.TESTBED, ""), pod_facts(body)
        is_here = reached(body) == (where.host.lower(), str(where.port))
        # A container that a webhook has put beside the tool may go on for ever.
        is_over = has_run(body) or pod.container("tool").exit_code is not None
        if name == testbed.name or not is_here or is_over:
            continue
        owner = await read.cluster.get(TESTBED, testbed.namespace, name)
        if owner is None or await external.has_left(read, owner, testbed):
            found.append(pod)
    return tuple(found)


def _connections(settings: Mapping[str, str]) -> int | None:
    """How many the server takes: what it says, and a file for each and the few of its own.

    MySQL lowers the first to the second, MariaDB does not. PostgreSQL has a process for each.
    """
    said, files = settings.get("max_connections", ""), settings.get("open_files_limit", "")
    if not said.isdecimal():
        return None
    return min(int(said), int(files)) if files.isdecimal() else int(said)

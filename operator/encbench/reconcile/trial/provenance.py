"""What a trial's figures were made with: images, server, machine."""

from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.ports import Body, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import TrialSeen


async def gather(deps: Deps, trial: Trial, seen: TrialSeen) -> ProvenanceRecord:
    """From the agent and the pods' statuses; what the agent cannot say any more is left out."""
    testbed = trial.spec.testbed_ref.name
    server = await _server(deps, trial, seen)
    images: dict[str, str] = {}
    for pod in (seen.database, *(client.pod for client in seen.clients)):
        if pod is not None:
            images |= _images(pod)
    return ProvenanceRecord(
        testbed=testbed,
        server=ServerFacts(
            version=str(server.get("version", _unseen_version(seen))),
            settings=server.get("settings", {}),
        ),
        machine=MachineFacts(
            node=seen.database.node if seen.database else None,
            kernel=server.get("kernel"),
            cpu_model=server.get("cpuModel"),
            cpu_flags=tuple(server.get("cpuFlags", ())),
        ),
        clients=tuple(MachineFacts(node=client.pod.node) for client in seen.clients),
        images=images,
        operator_version=deps.settings.version,
    )


def _unseen_version(seen: TrialSeen) -> str:
    """Of a server that no agent was asked about."""
    if seen.testbed is None or not seen.testbed.spec.instance.is_external:
        return "unknown"
    return f"{seen.testbed.spec.instance.version}, as its template says"


async def _server(deps: Deps, trial: Trial, seen: TrialSeen) -> Body:
    if seen.database is None:
        return {}
    try:
        testbed = trial.spec.testbed_ref.name
        where, token = await agents.agent(deps.cluster, trial.namespace, testbed, seen.database)
        return await deps.agent.server(where, token)
    except Unavailable:
        return {}


def _images(pod: PodFacts) -> dict[str, str]:
    return {
        container.name: container.image_id
        for container in pod.containers.values()
        if container.image_id and not container.name.startswith("init:")
    }

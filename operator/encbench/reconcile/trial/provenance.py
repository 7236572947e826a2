"""What a trial's figures were made with: images, server, machine."""

from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.ports import Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import TrialSeen
from encbench.wire.agent import ServerAnswer


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
            version=server["version"] if server else _unseen_version(seen),
            settings=server["settings"] if server else {},
        ),
        machine=MachineFacts(
            node=seen.database.node if seen.database else None,
            kernel=server["kernel"] if server else None,
            cpu_model=server["cpuModel"] if server else None,
            cpu_flags=tuple(server["cpuFlags"]) if server else (),
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


async def _server(deps: Deps, trial: Trial, seen: TrialSeen) -> ServerAnswer | None:
    if seen.database is None:
        return None
    try:
        testbed = trial.spec.testbed_ref.name
        where, token = await agents.agent(deps.cluster, trial.namespace, testbed, seen.database)
        return await deps.agent.server(where, token)
    except Unavailable:
        return None


def _images(pod: PodFacts) -> dict[str, str]:
    return {
        container.name: container.image_id
        for container in pod.containers.values()
        if container.image_id and not container.name.startswith("init:")
    }

"""What a trial's figures were made with: images, server, machine."""

from contextlib import suppress

from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.ports import Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial.facts import TrialSeen


async def gather(deps: Deps, trial: Trial, seen: TrialSeen) -> ProvenanceRecord:
    """From the agent and the pods' statuses; what the agent cannot say any more is left out."""
    testbed, database, server = trial.spec.testbed_ref.name, seen.database, None
    if database is not None:
        with suppress(Unavailable):
            where, access = await agents.agent(deps.cluster, trial.namespace, testbed, database)
            server = await deps.agent.server(where, access)
    pods = [*([database] if database else []), *(client.pod for client in seen.clients)]
    return ProvenanceRecord(
        testbed=testbed,
        server=ServerFacts(
            version=server["version"] if server else _unseen_version(seen),
            settings=server["settings"] if server else {},
        ),
        machine=MachineFacts(
            node=database.node if database else None,
            kernel=server["kernel"] if server else None,
            cpu_model=server["cpuModel"] if server else None,
            cpu_flags=tuple(server["cpuFlags"]) if server else (),
        ),
        clients=tuple(MachineFacts(node=client.pod.node) for client in seen.clients),
        images={
            container.name: container.image_id
            for pod in pods
            for container in pod.containers.values()
            if container.image_id and not container.name.startswith("init:")
        },
        operator_version=deps.settings.version,
    )


def _unseen_version(seen: TrialSeen) -> str:
    """Of a server that no agent was asked about."""
    if seen.testbed is None or not seen.is_external:
        return "unknown"
    return f"{seen.testbed.spec.instance.version}, as its template says"

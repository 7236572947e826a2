"""What a trial's figures were made with: images, server, machine."""

from contextlib import suppress

from encbench.api.testbed import Machine
from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.ports import Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import placed
from encbench.reconcile.trial.facts import Collected, TrialSeen
from encbench.wire.agent import MachineRows


async def gather(
    deps: Deps, trial: Trial, seen: TrialSeen, collected: Collected
) -> ProvenanceRecord:
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
        machine=_machine(trial, seen, server),
        clients=_clients(trial, seen, collected),
        images={
            container.name: container.image_id
            for pod in pods
            for container in pod.containers.values()
            if container.image_id and not container.name.startswith("init:")
        },
        operator_version=deps.settings.version,
    )


def _machine(trial: Trial, seen: TrialSeen, reported: MachineRows | None) -> MachineFacts:
    """The database's node as its testbed and its agent know it.

    If the database has moved since, they know another one.
    """
    node = placed.database_node(trial, seen)
    known: Machine | None = seen.testbed.status.machine if seen.testbed is not None else None
    has_stayed = seen.database is not None and seen.database.node == node
    facts = known.to_dict() if known is not None and known.node == node else {"node": node}
    if reported is not None and has_stayed:
        own = ("kernel", "cpuModel", "cpuFlags")
        facts |= {name: value for name, value in reported.items() if name in own}
    return MachineFacts.model_validate(facts)


def _clients(trial: Trial, seen: TrialSeen, collected: Collected) -> tuple[MachineFacts, ...]:
    """The clients' nodes, with what their summaries show."""
    reported = {index: client.machine for index, client in enumerate(collected.clients)}
    return tuple(
        MachineFacts(node=node, **(machine.model_dump() if machine is not None else {}))
        for index, node in sorted(placed.client_nodes(trial, seen).items())
        for machine in (reported.get(index),)
    )


def _unseen_version(seen: TrialSeen) -> str:
    """Of a server that no agent was asked about."""
    if seen.testbed is None or not seen.is_external:
        return "unknown"
    return f"{seen.testbed.spec.instance.version}, as its template says"

"""What a trial's figures were made with: images, server, machine."""

from collections.abc import Iterable
from contextlib import suppress

from encbench.api.testbed import Machine
from encbench.core.evidence import MachineFacts, ProvenanceRecord, ServerFacts
from encbench.ports import Body, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial import placed
from encbench.reconcile.trial.facts import Collected, TrialSeen
from encbench.tools.pod import TURNSTILE
from encbench.tools.tpcc import drivers
from encbench.wire.agent import MachineRows
from encbench.wire.jar import jar_digest


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
        images={name: image for pod in pods for name, image in _images(pod).items()},
        driver_jars=_jars(client.pod for client in seen.clients),
        operator_version=deps.settings.version,
    )


def _images(pod: PodFacts) -> dict[str, str]:
    """Of every container whose program runs while a trial does, by its name.

    An init container's does in a native sidecar, such as that of gocryptfs, and where it is
    installed beside the tool.
    """
    found = {name: one.image_id for name, one in pod.containers.items() if one.image_id}
    first: list[Body] = pod.spec.get("initContainers") or []
    stay = {one["name"] for one in first if one.get("restartPolicy") == "Always"} | {TURNSTILE}
    lasting = {name: found[f"init:{name}"] for name in sorted(stay) if f"init:{name}" in found}
    return {name: image for name, image in found.items() if not name.startswith("init:")} | lasting


def _jars(clients: Iterable[PodFacts]) -> tuple[str, ...] | None:
    """What the mode's own driver was in these pods, as their init containers have said."""
    said = (pod.container(f"init:{drivers.NAME}").termination_message for pod in clients)
    found = {digest for one in said if (digest := jar_digest(one)) is not None}
    return tuple(sorted(found)) or None


def _machine(trial: Trial, seen: TrialSeen, reported: MachineRows | None) -> MachineFacts:
    """The database's node as its testbed and its agent know it.

    If the database has moved since, they know another one.
    """
    node = placed.database_node(trial, seen)
    known: Machine | None = seen.testbed.status.machine if seen.testbed is not None else None
    has_stayed = seen.database is not None and seen.database.node == node
    facts = known.to_dict() if known is not None and known.node == node else {"node": node}
    if reported is not None and has_stayed:
        own = ("kernel", "cpuModel", "cpuFlags", "cpuGovernor")
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

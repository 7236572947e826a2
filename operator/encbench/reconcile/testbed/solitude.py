"""The node that a testbed's preparation needs to itself: load, checks, golden copy and full proof.

It is the database's. The load's pod runs on it too, where it fits.
"""

from encbench.api import lifecycle as life
from encbench.api.conditions import is_false, is_true
from encbench.api.testbed import TestbedStatus
from encbench.kube.leases import Holder, Unit
from encbench.reconcile.claims import Use
from encbench.reconcile.effects.effect import LeaveNodes, NodeEffect, TakeNodes
from encbench.reconcile.objects import Testbed
from encbench.reconcile.testbed.facts import TestbedSeen

SECONDS = 600.0
"""How long a load or a scan may keep the node to itself after its operator has died."""


def member(name: str) -> str:
    """The name by which its unit knows the testbed."""
    return f"testbed {name}"


def unit(testbed: Testbed) -> Unit:
    """The preparation. Several of one cell may share a node: nothing is measured meanwhile."""
    return Unit(Holder.of(testbed.namespace, testbed.spec), member(testbed.name))


def must_wait(seen: TestbedSeen) -> bool:
    """Whether the database is on a node that the preparation does not have to itself."""
    node = seen.database.node if seen.database is not None else None
    return node is not None and node not in seen.found.nodes.used


def effects(testbed: Testbed, seen: TestbedSeen, status: TestbedStatus) -> tuple[NodeEffect, ...]:
    """Take the node from the first answer of the database to the full proof."""
    node = seen.database.node if seen.database is not None else None
    if _is_preparing(testbed, status) and not _has_no_place(seen):
        if node is None or node in seen.found.nodes.used:
            return ()
        nodes = frozenset({node})
        return (TakeNodes(Use(unit(testbed), member(testbed.name), nodes, SECONDS)),)
    if seen.found.nodes.joined:
        return (LeaveNodes(unit(testbed), member(testbed.name)),)
    return ()


def _is_preparing(testbed: Testbed, status: TestbedStatus) -> bool:
    facts = status.conditions
    proven = is_true(facts, life.PROVEN) or is_false(facts, life.PROVEN)
    is_up = is_true(facts, life.PROVISIONED) and not testbed.spec.instance.is_external
    return is_up and not proven and not is_true(facts, life.FAILED)


def _has_no_place(seen: TestbedSeen) -> bool:
    """Whether the load's pod fits no node, perhaps for those who wait for this one."""
    pods = seen.load.pods if seen.load is not None else ()
    return any(pod.unschedulable for pod in pods)

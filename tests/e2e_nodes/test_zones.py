"""Zones, a pool that is tainted, and volumes that belong to a node: pods keep to all of them.

The databases' node and the clients' are in one zone, the chart's is in another. The databases' node
is a pool of its own, which only pods that tolerate its taint may use. Where pods and volumes are is
read from the API server and compared with what the records say.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.campaigns import conditions, delete_campaign, ended
from tests.e2e.readings import Records
from tests.e2e_nodes.nodes import Nodes
from tests.e2e_nodes.placed import matrix
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

pytestmark = pytest.mark.full

ZONE, POOL = "topology.kubernetes.io/zone", "encbench-tests/pool"
EAST, WEST, NORTH = "east", "west", "north"
TAINT = f"{POOL}=databases:NoSchedule"
TOLERATIONS = [{"key": POOL, "operator": "Equal", "value": "databases", "effect": "NoSchedule"}]
BOUND = "volume.kubernetes.io/selected-node"
"""What the scheduler writes on a claim that waits for its first pod."""


@pytest.fixture(scope="module", autouse=True)
def zones(installed: Kube, nodes: Nodes) -> Iterator[None]:
    """The labels and the taint, taken away in the end."""
    every = (nodes.chart, *nodes.further)
    try:
        label(installed, f"{ZONE}={EAST}", *nodes.further)
        label(installed, f"{ZONE}={WEST}", nodes.chart)
        label(installed, f"{POOL}=databases", nodes.databases)
        installed.kubectl("taint", "nodes", nodes.databases, TAINT, "--overwrite")
        yield
    finally:
        taint_away(installed, nodes.databases)
        label(installed, f"{ZONE}-", *every)
        label(installed, f"{POOL}-", *every)


def label(kube: Kube, change: str, *names: str) -> None:
    kube.kubectl("label", "nodes", *names, change, "--overwrite")


def taint_away(kube: Kube, node: str) -> None:
    """Whether it is there or not."""
    body = kube.get("node", node, NAMESPACE) or {}
    if any(taint["key"] == POOL for taint in body["spec"].get("taints", [])):
        kube.kubectl("taint", "nodes", node, f"{TAINT}-")


@dataclass(frozen=True)
class Found:
    """A campaign that has ended, and where it was."""

    records: Records
    databases: dict[str, set[str]]
    """Nodes of the database's pods, as seen, by testbed."""
    machines: dict[str, dict[str, Any]]
    """What each testbed says of its database's node."""
    volumes: dict[str, dict[str, Any]]
    """The volume of each testbed."""
    claims: dict[str, dict[str, Any]]

    @property
    def clients(self) -> set[str]:
        """Nodes of all clients."""
        return {one["node"] for record, _ in self.records for one in record["clients"]}


def conducted(kube: Kube, name: str, placement: dict[str, Any], **fields: Any) -> Found:
    """The baseline against itself, with the clients wherever they may be."""
    seen: dict[str, set[str]] = {}
    database = f"encbench.io/campaign={name},app.kubernetes.io/component=database"

    def look() -> dict[str, Any] | None:
        for pod in kube.list("pods", NAMESPACE, database):
            if node := pod["spec"].get("nodeName"):
                seen.setdefault(pod["metadata"]["labels"]["encbench.io/testbed"], set()).add(node)
        return ended(kube, name)

    own = {"matrix": matrix(name), "allowColocation": False, **fields}
    kube.apply(
        manifests.instance(name, placement=placement),
        manifests.workload(name),
        manifests.campaign(name, [], **own),
    )
    try:
        body = wait_for(f"the end of {name}", look, 500)
        assert conditions(body).get("Complete", {}).get("status") == "True", body["status"]
        report = kube.get("overheadreport", name, NAMESPACE)
        assert report is not None
        beds = kube.list("testbeds", NAMESPACE, f"encbench.io/campaign={name}")
        names = [bed["metadata"]["name"] for bed in beds]
        claims = {one: kube.get("pvc", f"{one}-data", NAMESPACE) or {} for one in names}
        volumes = {
            one: kube.get("pv", claim["spec"]["volumeName"], NAMESPACE) or {}
            for one, claim in claims.items()
        }
        machines = {bed["metadata"]["name"]: bed["status"]["machine"] for bed in beds}
        return Found(readings.records(kube, report["status"]), seen, machines, volumes, claims)
    finally:
        delete_campaign(kube, name)


def allows(volume: dict[str, Any], node: str) -> bool:
    """Whether a volume is usable on that node alone."""
    (term,) = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    (wanted,) = term["matchExpressions"]
    where = (wanted["key"], wanted["operator"], wanted["values"])
    return where == ("kubernetes.io/hostname", "In", [node])


# -- databases in their pool, which runs all of them side by side


@pytest.fixture(scope="module")
def pooled(installed: Kube) -> Found:
    """Databases that select their pool and tolerate its taint."""
    placement = {"nodeSelector": {POOL: "databases", ZONE: EAST}, "tolerations": TOLERATIONS}
    return conducted(installed, "zoned", placement, blocks={"min": 1, "maxReplacements": 1})


def test_databases_are_in_their_pool_and_say_their_zone(pooled: Found, nodes: Nodes) -> None:
    assert len(pooled.databases) == 2
    assert set().union(*pooled.databases.values()) == {nodes.databases}
    for machine in pooled.machines.values():
        assert (machine["node"], machine["zone"]) == (nodes.databases, EAST)
    for record, _ in pooled.records:
        assert record["databaseNode"] == nodes.databases


def test_clients_are_in_the_zone_of_their_database_but_not_in_its_pool(
    pooled: Found, nodes: Nodes
) -> None:
    """The first node has more room, and is in the other zone."""
    assert pooled.clients == {nodes.clients}


def test_a_volume_is_made_where_its_database_was_placed(
    installed: Kube, pooled: Found, nodes: Nodes
) -> None:
    for name, claim in pooled.claims.items():
        kind = installed.get("storageclass", claim["spec"]["storageClassName"], NAMESPACE)
        assert kind is not None
        assert kind["volumeBindingMode"] == "WaitForFirstConsumer"
        assert claim["metadata"]["annotations"][BOUND] == nodes.databases
        assert allows(pooled.volumes[name], nodes.databases)


# -- databases anywhere in the zone, of which one runs at a time


@pytest.fixture(scope="module")
def on_demand(installed: Kube) -> Found:
    """Databases that are started anew for each trial, on whichever node has their volume."""
    placement = {"nodeSelector": {ZONE: EAST}, "tolerations": TOLERATIONS}
    blocks = {"min": 2, "maxReplacements": 1}
    return conducted(installed, "on-demand", placement, blocks=blocks, residency="OnDemand")


def test_a_database_stays_with_its_volume_and_near_the_others(
    on_demand: Found, nodes: Nodes
) -> None:
    assert len(on_demand.databases) == 2
    (node,) = set().union(*on_demand.databases.values())
    assert node in nodes.further
    for name, volume in on_demand.volumes.items():
        assert allows(volume, node), name
    assert {record["databaseNode"] for record, _ in on_demand.records} == {node}


def test_no_client_takes_a_stopped_database_s_node_or_ignores_a_taint(
    on_demand: Found, nodes: Nodes
) -> None:
    (node,) = set().union(*on_demand.databases.values())
    succeeded = [record for record, _ in on_demand.records if record["outcome"] == "Succeeded"]
    assert len(succeeded) == 4
    assert on_demand.clients
    assert not on_demand.clients & {node, nodes.databases}


# -- nodes that are not there yet


def closed_zone(kube: Kube, nodes: Nodes, *, opened: bool) -> None:
    """The clients' node is in the zone that is asked for, or not."""
    label(kube, f"{ZONE}={NORTH if opened else EAST}", nodes.clients)


def closed_pool(kube: Kube, nodes: Nodes, *, opened: bool) -> None:
    """The taint is away, or there."""
    if opened:
        taint_away(kube, nodes.databases)
    else:
        kube.kubectl("taint", "nodes", nodes.databases, TAINT, "--overwrite")


CASES: dict[str, tuple[dict[str, str], Callable[..., None], str]] = {
    "zone": ({ZONE: NORTH}, closed_zone, "clients"),
    "taint": ({POOL: "databases"}, closed_pool, "databases"),
}
"""By what is missing: the selector, what changes that, and the node that is usable then."""


@pytest.mark.parametrize("case", CASES)
def test_who_fits_no_node_says_so_and_goes_on_when_there_is_one(
    installed: Kube, nodes: Nodes, case: str
) -> None:
    selector, change, usable = CASES[case]
    name, node = f"no-{case}", getattr(nodes, usable)
    fields = {"matrix": matrix(name), "allowColocation": False, "blocks": {"min": 1}}
    installed.apply(
        manifests.instance(name, placement={"nodeSelector": selector}),
        manifests.workload(name),
        manifests.campaign(name, [], **fields),
    )

    def told() -> dict[str, Any] | None:
        body = installed.get("campaign", name, NAMESPACE) or {}
        fact = conditions(body).get("Hindered", {})
        is_told = fact.get("status") == "True" and fact["reason"] == "Unschedulable"
        return body if is_told else None

    def placed() -> bool:
        beds = installed.list("testbeds", NAMESPACE, f"encbench.io/campaign={name}")
        return bool(beds) and all(
            (bed.get("status") or {}).get("machine", {}).get("node") == node for bed in beds
        )

    try:
        body = wait_for("a word about it", told, 90)
        assert "fits no node" in body["status"]["step"]
        change(installed, nodes, opened=True)
        wait_for("the databases on that node", placed, 180)
    finally:
        change(installed, nodes, opened=False)
        delete_campaign(installed, name)

"""Two operators contend for nodes through a real API server: one at a time, each in its turn."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

import pytest

from encbench.adapters.kubeclient import ClientTransport, connect
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.api.kinds import CAMPAIGN, LEASE, NODE
from encbench.kube.leases import Holder, Unit, parse
from encbench.ports import Body, Cluster
from encbench.reconcile.claims import Use
from encbench.reconcile.nodes import NodeLeases
from tests.support import manifests
from tests.support.apiserver import ApiServer

_numbers = count(1)
POLL, TEND = 0.02, 0.05
UNITS = 4
"""Of each campaign."""
NODES = {"a": ("n1", "n2"), "b": ("n2", "n3"), "c": ("n1", "n3"), "d": ("n1", "n2", "n3")}
"""Which every campaign needs; all of them meet."""


class Now:
    """A `ports.Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@pytest.fixture
def namespace(api_server: ApiServer) -> str:
    return api_server.namespace(f"leases-{next(_numbers)}")


@pytest.fixture
async def clusters(api_server: ApiServer) -> AsyncIterator[tuple[Cluster, Cluster]]:
    """Of two operators, each with a connection of its own."""
    async with (
        await connect(api_server.kubeconfig) as one,
        await connect(api_server.kubeconfig) as two,
    ):
        yield KubernetesCluster(ClientTransport(one)), KubernetesCluster(ClientTransport(two))


@dataclass
class Floor:
    """What works on each node now, and what has worked in which order."""

    at_work: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    async def work(self, name: str) -> None:
        for node in NODES[name]:
            assert node not in self.at_work, f"{name} and {self.at_work[node]} are on {node}"
            self.at_work[node] = name
        self.order.append(name)
        await asyncio.sleep(0.05)
        for node in NODES[name]:
            del self.at_work[node]


async def taken(leases: NodeLeases, use: Use) -> None:
    """Poll, as passes do."""
    while not await leases.take(use):  # noqa: ASYNC110 - nothing would set an event
        await asyncio.sleep(POLL)


async def campaign(floor: Floor, leases: NodeLeases, name: str) -> None:
    """Its units, one after the other."""
    owner = Holder("team", name, f"uid-{name}")
    for number in range(UNITS):
        use = Use(Unit(owner, f"trial {number}"), "trial", frozenset(NODES[name]), 30.0, 1.0)
        await taken(leases, use)
        await floor.work(name)
        await leases.leave(use.unit, use.member)


async def tended(*all_leases: NodeLeases) -> None:
    while True:
        await asyncio.sleep(TEND)
        for leases in all_leases:
            await leases.tend()


async def test_two_operators_take_turns(
    clusters: tuple[Cluster, Cluster], namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("encbench.reconcile.nodes.RENEW", TEND)
    one, two = (NodeLeases(each, Now(), namespace, time.monotonic) for each in clusters)
    floor, tending = Floor(), asyncio.create_task(tended(one, two))
    try:
        async with asyncio.timeout(60):
            await asyncio.gather(
                *(
                    campaign(floor, leases, name)
                    for name, leases in zip("abcd", (one, one, two, two), strict=True)
                )
            )
    finally:
        tending.cancel()
    assert Counter(floor.order) == dict.fromkeys("abcd", UNITS)
    # None has done all of its work before another has begun.
    assert {*floor.order[: 2 * UNITS]} == {*"abcd"}, floor.order
    for node in ("n1", "n2", "n3"):
        body = await clusters[0].get(LEASE, namespace, node)
        assert body is not None
        assert parse(body).queue == ()


async def test_a_killed_holder_s_node_is_taken_when_its_lease_has_run_out(
    clusters: tuple[Cluster, Cluster], namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("encbench.reconcile.nodes.SPARE", 1.0)
    monkeypatch.setattr("encbench.reconcile.nodes.ALIVE", 0.5)
    made = await clusters[0].create(CAMPAIGN, manifests.body(CAMPAIGN, "study", namespace))
    owner = Holder(namespace, "study", made["metadata"]["uid"])
    dead, living = (NodeLeases(each, Now(), namespace, time.monotonic) for each in clusters)
    assert await dead.take(Use(Unit(owner, "trial"), "trial", frozenset({"n1"}), 2.0))
    begun = time.monotonic()
    use = Use(Unit(Holder("team", "b", "uid-b"), "trial"), "trial", frozenset({"n1"}), 2.0)
    async with asyncio.timeout(30):
        await taken(living, use)
    waited = time.monotonic() - begun
    assert 3.0 <= waited < 25.0, "of SPARE's usual minute nothing is left"

    body = await clusters[0].get(LEASE, namespace, "n1")
    assert body is not None
    spec = body["spec"]
    assert spec["holderIdentity"] == "team/b/uid-b"
    assert spec["leaseDurationSeconds"] == 3


async def test_the_lease_of_a_deleted_campaign_is_not_waited_for(
    clusters: tuple[Cluster, Cluster], namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("encbench.reconcile.nodes.ALIVE", 0.5)
    gone, living = (NodeLeases(each, Now(), namespace, time.monotonic) for each in clusters)
    owner = Holder(namespace, "gone", "uid")
    assert await gone.take(Use(Unit(owner, "trial"), "trial", frozenset({"n1"}), 3600.0))
    use = Use(Unit(Holder("team", "b", "uid-b"), "trial"), "trial", frozenset({"n1"}), 2.0)
    async with asyncio.timeout(30):
        await taken(living, use)
    await living.leave(use.unit, use.member)


@pytest.fixture
async def node(
    api_server: ApiServer, clusters: tuple[Cluster, Cluster], namespace: str
) -> AsyncIterator[Body]:
    """Gone afterwards, because other tests ask what the cluster's nodes hold."""
    yield await clusters[0].create(NODE, {"apiVersion": "v1", "metadata": {"name": namespace}})
    status, answer = api_server.request("DELETE", f"/api/v1/nodes/{namespace}")
    assert status == 200, answer


async def test_a_lease_belongs_to_its_node_and_goes_on_doing_so(
    clusters: tuple[Cluster, Cluster], namespace: str, node: Body, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("encbench.reconcile.nodes.RENEW", 0.0)
    leases = NodeLeases(clusters[0], Now(), namespace, time.monotonic)
    use = Use(Unit(Holder("team", "b", "uid-b"), "trial"), "trial", frozenset({namespace}), 2.0)
    assert await leases.take(use)
    await leases.tend()
    body = await clusters[0].get(LEASE, namespace, namespace)
    assert body is not None
    owner = {"apiVersion": "v1", "kind": "Node", "name": namespace, "uid": node["metadata"]["uid"]}
    assert body["metadata"]["ownerReferences"] == [owner]

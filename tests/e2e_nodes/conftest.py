"""A cluster of three nodes, with the chart's own pods on the first: tests may lose the others.

The cluster is the one that the end-to-end tests use. Where it has one node, two more join it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.cluster import components, processes
from tests.cluster.layout import Layout
from tests.cluster.nodes import Node, planned
from tests.e2e import manifests
from tests.e2e.campaigns import conditions
from tests.e2e.fixtures import start
from tests.e2e.prepared import ready
from tests.support.install import NAMESPACE, cluster, is_own
from tests.support.kube import Kube, import_images, join, node_names

__all__ = ["installed", "start"]

COUNT = 3
IMAGES = ("operator", "node-exporter", "mariadb", "sysbench")
"""What these tests need on further nodes. Handing out all images would take longer than a test."""
CHART = "app.kubernetes.io/component in (operator,minio,prometheus)"

Daemons = dict[str, set[int]]
"""Processes by the daemon's name."""


@dataclass(frozen=True)
class Nodes:
    """The names of the nodes, by what a test may put there."""

    chart: str
    databases: str
    clients: str

    @property
    def further(self) -> tuple[str, str]:
        """Those that join the first, and that a test may lose."""
        return self.databases, self.clients


@dataclass(frozen=True)
class Joined:
    """What it took until the further nodes were there, and what it did to the first."""

    seconds: dict[str, float]
    """By node: from its certificate until it was Ready, to the second.

    The certificate is the first thing that is made for a node, once the locks are held. Tests
    beside these may hold that of the cache for minutes, while they compile.
    """
    before: Daemons
    """Of the first node and the control plane."""
    after: Daemons


@pytest.fixture(scope="session")
def nodes() -> Nodes:
    """Those of a cluster of our own: another's nodes are not ours to lose."""
    if not is_own():
        pytest.skip("an existing cluster's nodes are not ours to lose")
    return Nodes(*(node.name for node in planned(COUNT)))


@pytest.fixture(scope="session")
def joined(nodes: Nodes) -> Joined | None:
    """The joining of the further nodes; None if they were there before the chart was installed."""
    kube = cluster()
    if set(nodes.further) <= node_names(kube):
        kube.kubectl("cordon", *nodes.further)  # until the chart's pods are placed
        try:
            ready()
        finally:
            kube.kubectl("uncordon", *nodes.further)
        return None
    ready()
    before = _daemons()
    join(COUNT)
    import_images(*IMAGES)
    seconds = {node.name: _ready_after(kube, node) for node in planned(COUNT)[1:]}
    return Joined(seconds, before, _daemons())


@pytest.fixture(scope="session")
def installed(nodes: Nodes, joined: Joined | None) -> Kube:
    """The chart on the first of three nodes."""
    kube = ready()
    where = {pod["spec"]["nodeName"] for pod in kube.list("pods", NAMESPACE, CHART)}
    assert where == {nodes.chart}, "these tests may lose all other nodes: run `make down` first"
    return kube


def _daemons() -> Daemons:
    found = components.daemons(Layout.from_environment(), planned(1))
    return {one.name: processes.of(one.group, one.binary) for one in found}


def _ready_after(kube: Kube, node: Node) -> float:
    certificate = Layout.from_environment().pki / f"{node.own('kubelet')}.crt"
    began = datetime.fromtimestamp(certificate.stat().st_mtime, UTC)
    body = kube.get("node", node.name, NAMESPACE)
    assert body is not None
    fact = conditions(body)["Ready"]
    assert fact["status"] == "True", fact
    since = datetime.fromisoformat(fact["lastTransitionTime"])
    return (since - began).total_seconds()


def on(node: str) -> dict[str, Any]:
    """The part of a template or of a client that keeps its pods on that node."""
    return {"placement": {"nodeSelector": {"kubernetes.io/hostname": node}}}


def matrix(name: str, mode: str = "plaintext") -> list[dict[str, Any]]:
    """Of a campaign whose template and workload have that name."""
    return [{"instanceRefs": [name], "modeRefs": [mode], "workloadRefs": [name]}]


def apart(kube: Kube, nodes: Nodes, name: str, **fields: Any) -> dict[str, Any]:
    """A campaign whose databases are on one node and whose clients are on another."""
    kube.apply(
        manifests.instance(name, **on(nodes.databases)),
        manifests.workload(name, client=on(nodes.clients)),
    )
    return manifests.campaign(name, [], matrix=matrix(name), allowColocation=False, **fields)

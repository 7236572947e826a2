"""A cluster of three nodes, with the chart's own pods on the first: tests may lose the others.

The cluster is the one that the end-to-end tests use. Where it has one node, two more join it.
"""

import pytest

from tests.cluster.nodes import planned
from tests.e2e.fixtures import start
from tests.e2e.prepared import ready
from tests.e2e_nodes.joining import Joined, join_further
from tests.e2e_nodes.nodes import COUNT, Nodes
from tests.support.install import NAMESPACE, cluster, is_own
from tests.support.kube import Kube, node_names

__all__ = ["installed", "start"]

CHART = "app.kubernetes.io/component in (operator,minio,prometheus)"


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
    return join_further(kube)


@pytest.fixture(scope="session")
def installed(nodes: Nodes, joined: Joined | None) -> Kube:
    """The chart on the first of three nodes."""
    kube = ready()
    where = {pod["spec"]["nodeName"] for pod in kube.list("pods", NAMESPACE, CHART)}
    assert where == {nodes.chart}, "these tests may lose all other nodes: run `make down` first"
    return kube

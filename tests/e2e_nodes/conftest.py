"""A cluster of three nodes, with the chart's own pods on the first: tests may lose the others."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.nodes import planned
from tests.e2e import manifests
from tests.e2e.conftest import ready, start
from tests.support.install import cluster, is_own
from tests.support.kube import Kube

__all__ = ["installed", "start"]


@dataclass(frozen=True)
class Nodes:
    """The names of the nodes, by what a test may put there."""

    chart: str
    databases: str
    clients: str


@pytest.fixture(scope="session")
def nodes() -> Nodes:
    """Those of a cluster of our own: another's nodes are not ours to lose."""
    if not is_own():
        pytest.skip("an existing cluster's nodes are not ours to lose")
    return Nodes(*(node.name for node in planned(3)))


@pytest.fixture(scope="session")
def installed(nodes: Nodes) -> Kube:
    """The chart on the first node; the others are closed until its pods are placed."""
    kube = cluster()
    found = kube.kubectl("get", "nodes", "--output=name").split()
    others = [nodes.databases, nodes.clients]
    assert {f"node/{name}" for name in others} < set(found), "run `make e2e-nodes`"
    kube.kubectl("cordon", *others)
    try:
        return ready()
    finally:
        kube.kubectl("uncordon", *others)


def apart(kube: Kube, nodes: Nodes, name: str, **fields: Any) -> dict[str, Any]:
    """A campaign whose databases are on one node and whose clients are on another."""

    def on(node: str) -> dict[str, Any]:
        return {"placement": {"nodeSelector": {"kubernetes.io/hostname": node}}}

    kube.apply(
        manifests.instance(name, **on(nodes.databases)),
        manifests.workload(name, client=on(nodes.clients)),
    )
    matrix = [{"instanceRefs": [name], "modeRefs": ["plaintext"], "workloadRefs": [name]}]
    return manifests.campaign(name, [], matrix=matrix, allowColocation=False, **fields)

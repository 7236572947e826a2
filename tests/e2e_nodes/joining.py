"""Further nodes join the first: how long each takes, and that the first goes on meanwhile."""

from dataclasses import dataclass
from datetime import UTC, datetime

from tests.cluster import components, processes
from tests.cluster.layout import Layout
from tests.cluster.nodes import Node, planned
from tests.e2e.campaigns import conditions
from tests.e2e_nodes.nodes import COUNT
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, import_images, join

IMAGES = ("operator", "node-exporter", "mariadb", "sysbench")
"""What these tests need on further nodes. Handing out all images would take longer than a test."""

Daemons = dict[str, set[int]]
"""Processes by the daemon's name."""


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


def join_further(kube: Kube) -> Joined:
    """Have the further nodes join, with the images that they need."""
    before = _daemons()
    join(COUNT)
    import_images(*IMAGES)
    seconds = {node.name: _ready_after(kube, node) for node in planned(COUNT)[1:]}
    return Joined(seconds, before, _daemons())


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

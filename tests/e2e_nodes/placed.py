"""Parts of campaigns whose pods are kept on certain nodes."""

from typing import Any

from tests.e2e import manifests
from tests.e2e_nodes.nodes import Nodes
from tests.support.kube import Kube


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

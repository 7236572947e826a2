"""Whether a node would take a pod if no other pod were there; pure.

Node selector, taints and size are looked at, as the scheduler does. Affinities are not: which nodes
they exclude, those who make the pods know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from encbench.kube.machines import of_node
from encbench.kube.nodes import PodRequest, requested
from encbench.kube.pods import Part


@dataclass(frozen=True)
class Node:
    """One node, as far as it is looked at here."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]
    """Those that keep pods away."""
    offers: PodRequest
    """What it has for all its pods."""


def node(body: dict[str, Any]) -> Node | None:
    """As it was read; None of one that has not reported yet, which might hold anything."""
    meta, taints = body["metadata"], body.get("spec", {}).get("taints", [])
    machine = of_node(meta["name"], body)
    cores, memory = machine.allocatable_cores, machine.allocatable_bytes
    if cores is None or memory is None:
        return None
    return Node(
        meta["name"],
        meta.get("labels", {}),
        tuple(taint for taint in taints if taint["effect"] != "PreferNoSchedule"),
        PodRequest(int(1000 * cores), memory),
    )


def takes(node: Node, pod: Part) -> bool:
    """Whether a pod of that spec could run there."""
    return has_labels(node, pod) and is_tolerated(node, pod) and holds(node, requested(pod))


def holds(node: Node, request: PodRequest) -> bool:
    """Whether it is large enough."""
    return request.millicores <= node.offers.millicores and request.bytes <= node.offers.bytes


def selector(pod: Part) -> Mapping[str, str]:
    """The labels that the pod's node must have."""
    found: Mapping[str, str] = pod.get("nodeSelector") or {}
    return found


def has_labels(node: Node, pod: Part) -> bool:
    """Whether it has all of them."""
    return selector(pod).items() <= node.labels.items()


def is_tolerated(node: Node, pod: Part) -> bool:
    """Whether none of its taints keeps the pod away."""
    tolerations = pod.get("tolerations") or []
    return all(any(_tolerates(one, taint) for one in tolerations) for taint in node.taints)


def _tolerates(toleration: Mapping[str, str], taint: Mapping[str, str]) -> bool:
    """As `k8s.io/api/core/v1`'s Toleration.ToleratesTaint."""
    if toleration.get("effect") not in (None, taint["effect"]):
        return False
    if toleration.get("key") not in (None, taint["key"]):
        return False
    exists = toleration.get("operator") == "Exists"
    return exists or toleration.get("value", "") == taint.get("value", "")

"""What a pod requests, and the least node that holds it; pure.

A node offers its pods less than it has. How much less depends on who set it up, so this module
takes the rule that Google publishes for GKE, which keeps more memory than most, and adds a share
for the pods that run on every node.
Source: https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from encbench.api.scalars import parse_quantity
from encbench.kube.pods import Part
from encbench.text.rounding import apart

MEBIBYTE, GIBIBYTE = 2**20, 2**30


class PodRequest(NamedTuple):
    """CPU and memory that the scheduler looks for."""

    millicores: int
    bytes: int

    @property
    def words(self) -> str:
        """Such as 2.05 CPU and 4.1 GiB."""
        return self._words(f"{self.bytes / GIBIBYTE:.1f}")

    def words_beside(self, other: "PodRequest") -> tuple[str, str]:
        """Those of both, which differ where the memory does."""
        mine, yours = apart(self.bytes / GIBIBYTE, other.bytes / GIBIBYTE)
        return self._words(mine), other._words(yours)

    def _words(self, gibibytes: str) -> str:
        return f"{self.millicores / 1000:g} CPU and {gibibytes} GiB"


@dataclass(frozen=True, order=True)
class NodeSize:
    """The machine that a node is."""

    cores: int
    gibibytes: int


EVERYWHERE = PodRequest(250, 256 * MEBIBYTE)
"""For the pods of every node: the network's, kube-proxy, node-exporter."""
_EVICTION = 100 * MEBIBYTE
_CORES = ((1, 0.06), (1, 0.01), (2, 0.005), (math.inf, 0.0025))
_MEMORY = ((4, 0.25), (4, 0.2), (8, 0.1), (112, 0.06), (math.inf, 0.02))
"""Shares that a node keeps of its first cores or GiB, of the next, and so on."""
LARGEST = 1 << 53
"""More cores or GiB than any machine has, though a quantity may ask for more."""


def requested(pod: Part) -> PodRequest:
    """The request of a pod's spec: of its containers, or of an init container that needs more.

    An init container that stays (a sidecar) counts beside those that come after it.
    """
    sidecars, most = PodRequest(0, 0), PodRequest(0, 0)
    for container in pod.get("initContainers", []):
        beside = total(sidecars, _own(container))
        most = larger(most, beside)
        if container.get("restartPolicy") == "Always":
            sidecars = beside
    return larger(most, total(sidecars, *map(_own, pod["containers"])))


def total(*requests: PodRequest) -> PodRequest:
    """The sum."""
    return PodRequest(sum(one.millicores for one in requests), sum(one.bytes for one in requests))


def larger(one: PodRequest, other: PodRequest) -> PodRequest:
    """The larger of each resource."""
    return PodRequest(max(one.millicores, other.millicores), max(one.bytes, other.bytes))


def allocatable(node: NodeSize) -> PodRequest:
    """What a node of that size offers its pods."""
    cores = node.cores - _kept(node.cores, _CORES)
    memory = (node.gibibytes - _kept(node.gibibytes, _MEMORY)) * GIBIBYTE - _EVICTION
    return PodRequest(int(1000 * cores), int(memory))


def least_node(pods: PodRequest) -> NodeSize:
    """The smallest node, in whole cores and GiB, that holds these besides those of every node."""
    wanted = total(pods, EVERYWHERE)
    cores = _least(wanted.millicores, lambda size: allocatable(NodeSize(size, 1)).millicores)
    memory = _least(wanted.bytes, lambda size: allocatable(NodeSize(1, size)).bytes)
    return NodeSize(cores, memory)


def amount(text: object) -> float | None:
    """A quantity as a number; None without one, and in a form that Kubernetes does not write."""
    with suppress(ValueError):
        return None if text is None else parse_quantity(str(text))
    return None


def _least(wanted: int, offered: Callable[[int], int]) -> int:
    sizes = range(1, LARGEST)
    return bisect_left(sizes, wanted, key=offered) + 1


def _own(container: Part) -> PodRequest:
    asked = container.get("resources", {}).get("requests", {})
    # Of a container that another than encbench has put into the pod it may be nothing.
    cores, memory = amount(asked.get("cpu")) or 0.0, amount(asked.get("memory")) or 0.0
    return PodRequest(math.ceil(round(1000 * cores, 6)), math.ceil(memory))


def _kept(size: float, shares: tuple[tuple[float, float], ...]) -> float:
    kept = 0.0
    for part, share in shares:
        kept += share * min(size, part)
        size = max(0.0, size - part)
    return kept

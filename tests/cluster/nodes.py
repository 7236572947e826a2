"""The nodes of the cluster: this machine, and further ones that are namespaces on it.

The first node is the machine itself and runs the control plane. Each further one has a kubelet, a
containerd and a kube-proxy in namespaces of its own (:mod:`.namespaces`), an address and a part of
the pod range, so that Kubernetes sees nodes like any others. They share the machine's CPU, memory
and disk: such a cluster shows where pods go and what the loss of a node does, not how fast
anything is.
"""

import ipaddress
import os
import socket
from dataclasses import dataclass
from typing import Final

from . import cgroups, network
from .console import ClusterError
from .layout import Layout

MOST: Final = 3
_PARTS: Final = 4
"""Into how many parts the pod range is divided: the least power of two that serves so many."""
_VARIABLE: Final = "ENCBENCH_CLUSTER_NODES"


@dataclass(frozen=True)
class Node:
    """A node by its number; the first is the machine itself."""

    number: int

    @property
    def is_machine(self) -> bool:
        return self.number == 1

    @property
    def name(self) -> str:
        """This host's name, in the form that Kubernetes accepts; further nodes have a number."""
        return self.own(socket.gethostname().lower().replace("_", "-"))

    def own(self, name: str) -> str:
        """The name of a daemon, a file or a certificate of this node, which others have too."""
        return name if self.is_machine else f"{name}-{self.number}"

    @property
    def branch(self) -> str:
        """Our control group that holds its pods; of a further node, all that runs there."""
        return cgroups.NAME if self.is_machine else f"{cgroups.NAME}/node-{self.number}"

    def group(self, daemon: str) -> str:
        """The control group of one of its daemons."""
        return f"{self.branch}/daemons/{daemon}"

    @property
    def pods(self) -> ipaddress.IPv4Network:
        """Its part of the pod range; the node has the first address."""
        bits = (_PARTS - 1).bit_length()
        parts = ipaddress.IPv4Network(network.POD_RANGE).subnets(prefixlen_diff=bits)
        return list(parts)[self.number - 1]

    @property
    def address(self) -> str:
        return str(self.pods[1])


FIRST: Final = Node(1)


def planned(count: int) -> list[Node]:
    """The nodes of a cluster of so many."""
    return [Node(number) for number in range(1, count + 1)]


def existing(layout: Layout) -> list[Node]:
    """The nodes of the cluster that was started last: those that have a certificate."""
    return [
        node
        for node in planned(MOST)
        if node.is_machine or (layout.pki / f"{node.own('kubelet')}.crt").exists()
    ]


def count_from_environment() -> int:
    """The number of nodes to start: ``ENCBENCH_CLUSTER_NODES``, or one."""
    given = os.environ.get(_VARIABLE) or "1"
    if given not in map(str, range(1, MOST + 1)):
        raise ClusterError(f"{_VARIABLE} is {given}; a cluster has 1 to {MOST} nodes")
    return int(given)

"""NetworkPolicies in force, which is an option of the cluster.

A bridge as the pods' network knows no policies. With ``ENCBENCH_CLUSTER_POLICIES=1`` each node has
a daemon that judges the first packet of each connection by the engine of Kubernetes' SIG Network
(``tools/policies/policyd``). :mod:`.firewall` hands it the packets, of which none passes while it
does not run. What a node itself sends to its pods is not judged, as the API has it.
"""

import os
from typing import Final

from . import namespaces
from .command import capture
from .console import ClusterError
from .daemon import Daemon, kubeconfig_path
from .layout import Layout
from .nodes import Node

NAME: Final = "policyd"
"""Of the daemon, and of the part that it is compiled as."""
QUEUE: Final = 1
"""The kernel has queues of their own for each network namespace, and so for each node."""

_QUEUES: Final = "/proc/net/netfilter/nfnetlink_queue"
_VARIABLE: Final = "ENCBENCH_CLUSTER_POLICIES"


def wanted() -> bool:
    """Whether the environment asks for them."""
    given = os.environ.get(_VARIABLE) or "0"
    if given not in ("0", "1"):
        raise ClusterError(f"{_VARIABLE} is '{given}': write 1 to have NetworkPolicies enforced")
    return given == "1"


def enforced(layout: Layout) -> bool:
    """Whether the cluster that was started last has them."""
    return kubeconfig_path(layout, NAME).exists()


def daemon(layout: Layout, node: Node) -> Daemon:
    """The daemon of a node; all of them act under one name (:mod:`.addons`)."""
    name = node.own(NAME)
    client = kubeconfig_path(layout, name)
    arguments = (f"--kubeconfig={client}", f"--node={node.name}", f"--queue={QUEUE}")
    return Daemon(name, layout.bin / NAME, arguments, client=True, node=node)


def judges(node: Node) -> bool:
    """Whether the node's daemon takes packets, which it does once it knows all policies."""
    lines = capture([*namespaces.enter(node), "cat", _QUEUES]).splitlines()
    return any(line.split()[0] == str(QUEUE) for line in lines)

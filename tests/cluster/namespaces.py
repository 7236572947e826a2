"""The namespaces of a further node, and running programs in them.

A process that sleeps holds them. Nothing on disk does, so that they vanish with the node's last
process, and with them its mounts, links, addresses and packet filter rules: to kill all processes
of a node is to pull its plug.

A node has its own network, host name and mounts. ``/run/containerd`` is its own, because the
kubelet's cAdvisor looks for containerd at one path only, and so is ``/var/lib/kubelet``, where
every kubelet puts the socket for device plugins. The state directory is mounted anew, without the
mounts of the first node's pods, and shared, as pods with mount propagation require.
"""

import shlex
from pathlib import Path
from typing import Final

from . import cgroups
from .console import ClusterError
from .daemon import Daemon
from .layout import Layout
from .nodes import Node

_NAME: Final = "namespaces"
_KINDS: Final = ("--net", "--mount", "--uts", "--ipc")
_OWN: Final = ("/run/containerd", "/var/lib/kubelet")


def holder(layout: Layout, node: Node) -> Daemon:
    """The process that holds a node's namespaces; what makes them becomes it when they are made."""
    state = shlex.quote(str(layout.state))
    script = [
        f"echo {node.name} >/proc/sys/kernel/hostname",
        f"umount --lazy {state}",
        f"mount --bind {state} {state}",
        f"mount --make-rshared {state}",
        *(f"mkdir -p {folder}; mount -t tmpfs tmpfs {folder}" for folder in _OWN),
        'exec "$0" "$@"',
    ]
    return Daemon(
        node.own(_NAME),
        Path("/usr/bin/sleep"),
        ("infinity",),
        node=node,
        through=(
            *("unshare", *_KINDS, "--propagation=private", "--"),
            *("/bin/sh", "-euc", "\n".join(script)),
        ),
    )


def process(node: Node) -> int:
    """The process that holds a node's namespaces."""
    found = cgroups.members(node.group(node.own(_NAME)))
    if len(found) != 1:
        raise ClusterError(f"node {node.name} does not run")
    return found.pop()


def enter(node: Node) -> list[str]:
    """What to put before a command so that it runs on the node; it takes up no process."""
    if node.is_machine:
        return []
    return ["nsenter", f"--target={process(node)}", *_KINDS, "--"]

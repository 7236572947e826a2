"""All daemons of a cluster, and what its nodes keep from pods."""

import os
from collections.abc import Sequence
from typing import Final

from . import control_plane, node_daemons, policies
from .daemon import Daemon
from .layout import Layout
from .nodes import Node

_SHARE: Final = 2
"""Each of several nodes offers its pods half of the machine, which three together exceed: a cell
needs room on one node, and such a cluster measures nothing."""


def daemons(layout: Layout, nodes: Sequence[Node], *, judged: bool = False) -> list[Daemon]:
    """All daemons, those of the control plane first; where connections are judged, who does."""
    reserved = _reserved(len(nodes))
    own = [one for node in nodes for one in node_daemons.daemons(layout, node, reserved)]
    judges = [policies.daemon(layout, node) for node in nodes] if judged else []
    return [*control_plane.daemons(layout), *own, *judges]


def branches(nodes: Sequence[Node]) -> dict[str, float]:
    """The control group that each node's pods are in, and the CPUs that they get."""
    cpus = os.cpu_count() or 1
    return {node.branch: cpus if node.is_machine else cpus / _SHARE for node in nodes}


def _reserved(count: int) -> dict[str, str]:
    """What a node of so many keeps from its pods; a node that is alone keeps nothing."""
    if count == 1:
        return {}
    kept = 1 - 1 / _SHARE
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    cpus = os.cpu_count() or 1
    return {"cpu": f"{1000 * cpus * kept:.0f}m", "memory": f"{memory * kept:.0f}"}

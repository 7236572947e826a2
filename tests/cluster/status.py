"""A short account of what runs, for a person."""

from . import nodes, policies, processes
from .api import Api, condition
from .components import daemons
from .layout import Layout


def lines(layout: Layout) -> list[str]:
    """One line per daemon and one for each node; paths at the end."""
    there = nodes.existing(layout)
    told = [
        f"{daemon.name:25}{'running' if processes.running(daemon.group, daemon.binary) else '-'}"
        for daemon in daemons(layout, there, judged=policies.enforced(layout))
    ]
    for node in there:
        found = None
        if layout.pki.exists():
            found = Api(layout).get(f"/api/v1/nodes/{node.name}")
        told.append(f"{'node ' + node.name:25}{'Ready' if condition(found, 'Ready') else '-'}")
    for what, path in (
        ("kubeconfig", layout.kubeconfig),
        ("binaries", layout.bin),
        ("logs", layout.logs),
        ("cache", layout.cache),
    ):
        told.append(f"{what:25}{path if path.exists() else '-'}")
    return told

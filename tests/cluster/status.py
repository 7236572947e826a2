"""A short account of what runs, for a person."""

from . import pki, processes
from .api import Api, condition
from .components import daemons
from .layout import Layout


def lines(layout: Layout) -> list[str]:
    """One line per daemon and one for the node; paths at the end."""
    told = [
        f"{daemon.name:25}{'running' if processes.running(daemon.name, daemon.binary) else '-'}"
        for daemon in daemons(layout)
    ]
    node = None
    if layout.pki.exists():
        node = Api(layout).get(f"/api/v1/nodes/{pki.node_name()}")
    told.append(f"{'node ' + pki.node_name():25}{'Ready' if condition(node, 'Ready') else '-'}")
    for what, path in (
        ("kubeconfig", layout.kubeconfig),
        ("binaries", layout.bin),
        ("logs", layout.logs),
        ("cache", layout.cache),
    ):
        told.append(f"{what:25}{path if path.exists() else '-'}")
    return told

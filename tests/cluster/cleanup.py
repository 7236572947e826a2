"""Taking the cluster down, whatever is left of it, and putting the machine back.

The order matters: processes first, then the mounts they held, then links and rules, then the groups
and files. Every step tolerates that there is nothing to do, so the same code serves a healthy
cluster, the leftovers of a killed run and a second ``down``.
"""

import shutil

from . import cgroups, firewall, mounts, network, nodes, packages, processes, snapshot
from .console import ClusterError, Console, wait_until
from .layout import Layout


def down(layout: Layout, console: Console) -> None:
    """End every process, remove every trace outside the cache, and restore what was changed."""
    record = snapshot.load(layout)
    packages.remove_policy(layout)
    with console.step("down", "processes, mounts, network, files"):
        layout.ready_marker.unlink(missing_ok=True)
        processes.end_all()
        mounts.unmount_below(layout.state)
        network.remove()
        firewall.remove_rules(record.tables if record else None)
        if record is not None:
            snapshot.restore_sysctls(record)
        snapshot.remove_outside(layout, record)
        wait_until("removal of our control groups", lambda: not cgroups.remove(), 30)
        _remove_state(layout)


def lose(layout: Layout, console: Console, name: str) -> None:
    """Kill all that runs on a further node and its link with that, as a power cut does."""
    further = {node.name: node for node in nodes.existing(layout) if not node.is_machine}
    if name not in further:
        there = ", ".join(further) or "none"
        raise ClusterError(f"{name} is not a node that can be lost; of those there are: {there}")
    processes.end_all(further[name].branch)
    console.say(f"node {name} is cut off")


def _remove_state(layout: Layout) -> None:
    """Remove the state directory, the record last, so that a killed ``down`` can be repeated."""
    if not layout.state.exists():
        return
    for child in layout.state.iterdir():
        if child == layout.snapshot:
            continue
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        else:
            child.unlink()
    layout.snapshot.unlink(missing_ok=True)
    layout.state.rmdir()

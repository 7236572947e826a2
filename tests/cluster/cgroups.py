"""Our branch of the control group tree: the record of which processes are ours.

Daemons run in ``/encbench/daemons/<name>`` and pods in ``/encbench/kubepods`` (the kubelet's
``cgroupRoot``). The kernel keeps the list of members, children included, so finding and ending what
we started needs neither PID files nor guesses from command lines.

With cgroup v1 every controller has a tree of its own. Daemons join two of them: ``pids``, to be
found, and ``memory``, so that the shell that happened to start them is not charged for them. In
``cpu`` they stay where they were and compete with pods as on any node.
"""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from . import mounts

NAME: Final = "encbench"
_TRACKING: Final = "pids"
_JOINED: Final = (_TRACKING, "memory")
_V2: Final = Path("/sys/fs/cgroup")


def _unified() -> bool:
    return (_V2 / "cgroup.controllers").exists()


def _hierarchies(*kinds: str) -> list[Path]:
    """The mount points of hierarchies of the kinds ``cgroup`` (version 1) and ``cgroup2``."""
    return sorted({mount.point for mount in mounts.mounted() if mount.kind in kinds})


def _tracking_root() -> Path:
    return _V2 / NAME if _unified() else _V2 / _TRACKING / NAME


def create() -> None:
    """Make the branch; the kubelet expects its root to exist."""
    cpus = os.cpu_count() or 1
    for hierarchy in _hierarchies("cgroup2" if _unified() else "cgroup"):
        branch = hierarchy / NAME
        branch.mkdir(exist_ok=True)
        for setting in ("cpuset.cpus", "cpuset.mems"):
            if not _unified() and (branch / setting).exists():
                (branch / setting).write_text((hierarchy / setting).read_text())
        if (branch / "cpu.shares").exists():
            # What the kubelet gives all pods together, so that the extra level changes nothing.
            (branch / "cpu.shares").write_text(str(1024 * cpus))
    if _unified():
        for group in (_V2, _V2 / NAME):
            for controller in (group / "cgroup.controllers").read_text().split():
                (group / "cgroup.subtree_control").write_text(f"+{controller}")


def entering(name: str) -> str:
    """A shell fragment that moves the shell into a daemon's group; the group exists afterwards."""
    roots = [_V2] if _unified() else [_V2 / controller for controller in _JOINED]
    groups = [root / NAME / "daemons" / name for root in roots if root.exists()]
    for group in groups:
        group.mkdir(parents=True, exist_ok=True)
    return "".join(f"echo $$ > {shlex.quote(str(group / 'cgroup.procs'))}; " for group in groups)


def members(name: str | None = None) -> set[int]:
    """The processes of one daemon's group, or of the whole branch, pods included."""
    root = _tracking_root() / "daemons" / name if name else _tracking_root()
    found: set[int] = set()
    for procs in [root / "cgroup.procs", *root.rglob("cgroup.procs")]:
        try:
            found.update(int(pid) for pid in procs.read_text().split())
        except OSError:  # the group went away meanwhile
            continue
    return found


def is_member(pid: int) -> bool:
    """Whether a process is in our branch now."""
    prefix = f"/{NAME}/"
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return False
    return any(
        path.startswith(prefix)
        for _, controllers, path in (line.split(":", 2) for line in lines)
        if _unified() or _TRACKING in controllers.split(",")
    )


def remove() -> list[Path]:
    """Remove the branch from every hierarchy; returns what could not be removed.

    Where version 1 has the controllers and version 2 is mounted beside it, runc uses both.
    """
    left = []
    for hierarchy in _hierarchies("cgroup", "cgroup2"):
        for group in _deepest_first(hierarchy / NAME):
            try:
                group.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                left.append(group)
    return left


def _deepest_first(root: Path) -> Iterator[Path]:
    for folder, _, _ in os.walk(root, topdown=False):
        yield Path(folder)

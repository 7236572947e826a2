"""Our branch of the control group tree: the record of which processes are ours.

Daemons run in ``/encbench/daemons/<name>`` and pods in ``/encbench/kubepods`` (the kubelet's
``cgroupRoot``); those of a further node in a branch ``/encbench/node-<number>`` of the same shape.
The kernel keeps the list of members, children included, so finding and ending what we started needs
neither PID files nor guesses from command lines. Groups are named here without the first slash.

With cgroup v1 every controller has a tree of its own. Daemons join two of them: ``pids``, to be
found, and ``memory``, so that the shell that happened to start them is not charged for them. In
``cpu`` they stay where they were and compete with pods as on any node.
"""

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
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


def _freezer_root() -> Path | None:
    """The tree that can freeze groups; None with version 2, where a kill reaches the frozen."""
    return None if _unified() else _V2 / "freezer"


def _tracking_root() -> Path:
    return _V2 if _unified() else _V2 / _TRACKING


def create(branches: Mapping[str, float]) -> None:
    """Make the branches, each with the CPUs that its pods get; a kubelet expects its own to exist.

    A branch comes after the one that it is in.
    """
    for hierarchy in _hierarchies("cgroup2" if _unified() else "cgroup"):
        for name, cpus in branches.items():
            branch = hierarchy / name
            branch.mkdir(exist_ok=True)
            for setting in ("cpuset.cpus", "cpuset.mems"):
                if not _unified() and (branch / setting).exists():
                    (branch / setting).write_text((hierarchy / setting).read_text())
            if (branch / "cpu.shares").exists():
                # What the kubelet gives all pods together, so that the extra level changes nothing.
                (branch / "cpu.shares").write_text(str(int(1024 * cpus)))
    if _unified():
        for group in (_V2, *(_V2 / name for name in branches)):
            for controller in (group / "cgroup.controllers").read_text().split():
                (group / "cgroup.subtree_control").write_text(f"+{controller}")


def entering(group: str) -> str:
    """A shell fragment that moves the shell into a group; the group exists afterwards."""
    roots = [_V2] if _unified() else [_V2 / controller for controller in _JOINED]
    folders = [root / group for root in roots if root.exists()]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    return "".join(f"echo $$ > {shlex.quote(str(one / 'cgroup.procs'))}; " for one in folders)


def members(group: str = NAME) -> set[int]:
    """The processes of a group and of those inside it; of the whole branch, pods included."""
    found: set[int] = set()
    # Not `rglob`, which fails where a group goes away meanwhile.
    for folder, _, _ in os.walk(_tracking_root() / group):
        try:
            found.update(int(pid) for pid in Path(folder, "cgroup.procs").read_text().split())
        except OSError:
            continue
    return found


def thaw(group: str = NAME) -> None:
    """Let the frozen processes of a group go on, those of groups inside it included.

    runc freezes a container while it changes it, and leaves it frozen if it is killed just then.
    With version 1 a frozen process does not end, though killed.
    """
    root = _freezer_root()
    if root is None:
        return
    for folder, _, _ in os.walk(root / group):
        with suppress(OSError):  # the root of a hierarchy has no state, and a group may go away
            state = Path(folder, "freezer.state")
            if state.read_text().strip() != "THAWED":
                state.write_text("THAWED")


def is_member(pid: int, group: str = NAME) -> bool:
    """Whether a process is in a group now, or in one inside it."""
    prefix = f"/{group}/"
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return False
    return any(
        f"{path}/".startswith(prefix)
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

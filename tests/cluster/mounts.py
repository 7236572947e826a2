"""The kernel's table of mounts, and unmounting everything below a directory."""

import re
from dataclasses import dataclass
from pathlib import Path

from .command import capture
from .console import ClusterError


@dataclass(frozen=True)
class Mount:
    """One line of ``/proc/self/mountinfo``."""

    point: Path
    kind: str


def parse(mountinfo: str) -> list[Mount]:
    """Parse mountinfo, oldest mount first; octal escapes stand for spaces and the like."""
    found = []
    for line in mountinfo.splitlines():
        before, after = line.split(" - ", 1)
        point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), before.split(" ")[4])
        found.append(Mount(Path(point), after.split(" ")[0]))
    return found


def mounted() -> list[Mount]:
    return parse(Path("/proc/self/mountinfo").read_text())


def share(path: Path) -> None:
    """Make a directory a shared mount, as pods with mount propagation require of the kubelet's."""
    path.mkdir(parents=True, exist_ok=True)
    if not any(mount.point == path for mount in mounted()):
        capture(["mount", "--bind", str(path), str(path)])
    capture(["mount", "--make-rshared", str(path)])


def unmount_below(path: Path) -> None:
    """Unmount ``path`` and everything below it, latest first; busy ones are detached."""
    for mount in reversed(mounted()):
        if mount.point == path or path in mount.point.parents:
            try:
                capture(["umount", str(mount.point)])
            except ClusterError:
                capture(["umount", "--lazy", str(mount.point)])
    if any(path == mount.point or path in mount.point.parents for mount in mounted()):
        raise ClusterError(f"something is still mounted below {path}")

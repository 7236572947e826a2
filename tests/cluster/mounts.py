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
    """Make a directory a shared mount, as pods with mount propagation require of the kubelet's.

    Its peer group is its own. Where `/` is shared, as systemd makes it, a bind mount joins the
    group of `/`, and everything that is mounted below it would be there twice.
    """
    path.mkdir(parents=True, exist_ok=True)
    if not any(mount.point == path for mount in mounted()):
        capture(["mount", "--bind", str(path), str(path)])
        capture(["mount", "--make-private", str(path)])
    capture(["mount", "--make-rshared", str(path)])


def unmount_below(path: Path) -> None:
    """Unmount ``path`` and everything below it, latest first; busy ones are detached.

    An unmount may take others with it, by propagation, so each is looked for again.
    """
    for point in reversed(_below(path)):
        if point not in _below(path):
            continue
        try:
            capture(["umount", str(point)])
        except ClusterError:
            capture(["umount", "--lazy", str(point)])
    if _below(path):
        raise ClusterError(f"something is still mounted below {path}")


def _below(path: Path) -> list[Path]:
    """Where something is mounted, oldest first."""
    return [m.point for m in mounted() if m.point == path or path in m.point.parents]

"""Starting daemons in their cgroup and ending whatever is in ours."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from . import cgroups
from .console import ClusterError


def start(group: str, argv: Sequence[str], log: Path) -> None:
    """Start a daemon that outlives us, in its own session and cgroup, its output in ``log``.

    The shell joins the cgroup before it becomes the daemon, so there is no moment at which a daemon
    runs unaccounted for.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    script = f"set -e; {cgroups.entering(group)}exec {shlex.join(argv)}"
    with log.open("a") as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", script],
            cwd="/",
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    deadline = time.monotonic() + 10
    while process.poll() is None and process.pid not in cgroups.members(group):
        if time.monotonic() > deadline:
            raise ClusterError(f"a daemon did not enter its control group {group}", log)
        time.sleep(0.01)


def running(group: str, binary: Path) -> bool:
    """Whether a daemon's group holds a process of its binary."""
    return bool(of(group, binary))


def of(group: str, binary: Path) -> set[int]:
    """A daemon's own processes; containerd's group also holds shims."""
    return {pid for pid in cgroups.members(group) if _executable(pid) == binary.resolve()}


def _executable(pid: int) -> Path | None:
    try:
        return Path(str(Path(f"/proc/{pid}/exe").readlink()).removesuffix(" (deleted)"))
    except OSError:
        return None


def end_all(group: str = cgroups.NAME, timeout: float = 60) -> None:
    """Kill every process in a group, or in our whole branch, until none is left.

    There is nothing to save in a cluster that is being removed, so no process is asked first.
    """
    deadline = time.monotonic() + timeout
    while left := cgroups.members(group):
        for pid in left:
            send(pid, signal.SIGKILL, group)
        cgroups.thaw(group)
        if time.monotonic() > deadline:
            raise ClusterError(f"processes {sorted(left)} do not end, though killed")
        time.sleep(0.05)


def send(pid: int, number: signal.Signals, group: str = cgroups.NAME) -> None:
    """Signal a member. The handle pins the process, so a reused number is never hit."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if cgroups.is_member(pid, group):
            signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        pass
    finally:
        os.close(handle)

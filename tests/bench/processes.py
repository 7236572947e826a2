"""The cluster's processes as the machine sees them: found, read, paused.

Only for a cluster on this machine, whose pods' processes are ours to see. A process counts as the
cluster's when its control group is one of the kubelet's: a Prometheus that some test runs beside
the cluster is left alone.
"""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """One process of a pod."""

    pid: int
    command: str
    group: str
    """Its control groups, which hold the pod's UID."""

    def is_of(self, pod_uid: str) -> bool:
        """Whether it belongs to that pod; systemd's groups have underscores."""
        return pod_uid in self.group or pod_uid.replace("-", "_") in self.group

    def cpu_seconds(self) -> float:
        """User and system time so far, in steps of a tick (proc(5))."""
        words = (PROC / str(self.pid) / "stat").read_text().rpartition(") ")[2].split()
        return (int(words[11]) + int(words[12])) / TICKS

    def send(self, number: signal.Signals) -> None:
        """Signal it, unless it has ended."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)


def in_pods() -> list[Process]:
    """Every process that runs in a pod of this machine's cluster."""
    return list(_in_pods())


def _in_pods() -> Iterator[Process]:
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            group = (folder / "cgroup").read_text()
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
        except OSError:
            continue
        if "kubepods" in group and command:
            yield Process(int(folder.name), command, group)


def pause(processes: Iterable[Process]) -> None:
    """Stop them where they are."""
    for process in processes:
        process.send(signal.SIGSTOP)


def resume(processes: Iterable[Process]) -> None:
    """Let them go on."""
    for process in processes:
        process.send(signal.SIGCONT)

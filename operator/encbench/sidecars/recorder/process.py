"""The tool's process, seen through `/proc` of the shared process namespace.

CPU time is `utime + stime` of the whole process, including ended threads, in ticks of 10 ms.
Throttling is that of the tool's container: its view of its cgroup is under `/proc/<pid>/root`,
which processes of the same user may usually read; otherwise it is unknown. Its seconds are summed
over CPUs, so its periods are read as well (`core.throttling`). Files stay open and are read
repeatedly, which is cheaper and keeps them readable for a moment after the process ends.
"""

import os
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from encbench.sidecars.proc import CPU_STATS, NAME_LENGTH, ProcessStat, parse_stat
from encbench.sidecars.recorder import moment

TICKS = os.sysconf("SC_CLK_TCK")
_VERSION_2, *_VERSION_1 = CPU_STATS
_CGROUP_FILES = (
    (_VERSION_2, "throttled_usec", 1e-6),
    *((path, "throttled_time", 1e-9) for path in _VERSION_1),
)


class Throttling(NamedTuple):
    """What the kernel counts of a cgroup with a CPU limit."""

    seconds: float
    """For which it was throttled, summed over CPUs."""
    throttled_periods: float | None = None
    """Periods, of 100 ms as a rule, in which it was throttled."""
    periods: float | None = None
    """Periods in which it ran."""


class Usage(NamedTuple):
    """The process's usage so far."""

    monotonic: float
    cpu_seconds: float
    resident_bytes: int | None
    memory_max_bytes: int | None
    throttling: Throttling | None


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and was not waited for does not."""
    stat = _stat(Path("/proc") / str(pid))
    return stat is not None and stat.is_alive


def find(ancestor: int, name: str) -> int | None:
    """The descendant of a process that bears this name."""
    stats = {
        int(folder.name): stat
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and (stat := _stat(folder)) is not None
    }
    cut = name.encode()[:NAME_LENGTH]
    named = (pid for pid, stat in stats.items() if stat.name == cut)
    return next((pid for pid in named if _descends(pid, ancestor, stats)), None)


def _descends(pid: int, ancestor: int, stats: dict[int, ProcessStat]) -> bool:
    while pid in stats:
        pid = stats[pid].parent
        if pid == ancestor:
            return True
    return False


def _stat(folder: Path) -> ProcessStat | None:
    try:
        return parse_stat((folder / "stat").read_bytes())
    except OSError:
        return None


class ToolProcess:
    """One process."""

    def __init__(self, pid: int) -> None:
        """By its number; OSError when there is no such process."""
        folder = Path("/proc") / str(pid)
        self._stat = os.open(folder / "stat", os.O_RDONLY)
        self._status = os.open(folder / "status", os.O_RDONLY)
        self._throttling = _throttling(folder / "root")

    def usage(self) -> Usage | None:
        """Its usage until now; None when it is gone."""
        try:
            here = moment.monotonic()
            ticks = parse_stat(_content(self._stat)).own_ticks
            status = _content(self._status).decode()
        except OSError:
            return None
        return Usage(
            monotonic=here,
            cpu_seconds=ticks / TICKS,
            resident_bytes=_kibibytes(status, "VmRSS:"),
            memory_max_bytes=_kibibytes(status, "VmHWM:"),
            throttling=self._throttling.read() if self._throttling else None,
        )


def _content(descriptor: int) -> bytes:
    """The whole of a small file, however often it was read before."""
    return os.pread(descriptor, 8192, 0)


class _Counters:
    """Those of a cgroup; their last values once the cgroup is gone."""

    def __init__(self, path: Path, field: str, unit: float) -> None:
        self._file, self._field, self._unit = os.open(path, os.O_RDONLY), field, unit
        self._last: Throttling | None = None

    def read(self) -> Throttling | None:
        try:
            words = _content(self._file).decode().split()
        except OSError:
            return self._last
        found = dict(pairwise(words))
        if self._field in found:
            throttled, periods = (
                int(found[name]) if name in found else None
                for name in ("nr_throttled", "nr_periods")
            )
            self._last = Throttling(int(found[self._field]) * self._unit, throttled, periods)
        return self._last


def _throttling(root: Path) -> _Counters | None:
    for path, field, unit in _CGROUP_FILES:
        try:
            counters = _Counters(root / path, field, unit)
        except OSError:
            continue
        if counters.read() is not None:
            return counters
    return None


def _kibibytes(status: str, field: str) -> int | None:
    _, found, rest = status.partition(field)
    return int(rest.split()[0]) * 1024 if found else None

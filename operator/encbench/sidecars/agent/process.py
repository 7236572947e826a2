"""Readings of the server's processes from `/proc`, in seconds and bytes.

A living process's own CPU time comes from its CPU clock (`clock_getcpuclockid(3)`), which is exact;
`utime` and `stime` have ticks of 10 ms. The children's `cutime` and `cstime` are added: in an
engine of many processes the parent inherits the time of those that ended, and `/proc/<pid>/io` adds
up in the same way. All processes of the server's name are summed: a child counts on its own until
its parent has waited for it, and within its parent from then on.

A child that ends during a reading could be counted twice or not at all, and Prometheus takes a
falling counter for a restarted one. So the parent is read first, and nothing is counted twice; the
children follow; and the reading is repeated if the parent's sum of ended children has changed
meanwhile. What is still missed (I/O of a child that used less than a tick, or children that end
faster than we read) is missing from one reading only, and the last value is kept: the counters
never fall and never run ahead.

Memory that processes share (above all PostgreSQL's buffers) is in the resident set of each of them.
It is counted once, by the process that has touched most of it, because the exact figure
(`smaps_rollup`) costs the server's kernel a walk through page tables that grows with buffers times
processes. Memory that a child has inherited and not written counts in both: with PostgreSQL's 38
processes, the figure was 1.4 MB a process too high.

What a container's CPU limit held up is read through `/proc/<pid>/root`, as the recorder does. It is
unknown where that is not allowed. Under version 2 of cgroups a container sees its own group there,
but a privileged one sees the node's whole tree. So the file system's sidecar puts the path of its
group in that tree into the environment of the process.
"""

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from encbench.sidecars.proc import CPU_STATS, NAME_LENGTH, ProcessStat, parse_stat
from encbench.wire import environment

PROC = Path("/proc")
ATTEMPTS = 5
_TICK = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SCHEDULED = 2
"""CPUCLOCK_SCHED of the kernel: with a process's number it makes the id of its CPU clock."""
_ENOUGH = 4096
"""Bytes: more than any of the files of the kernel that are read."""
_ENVIRONMENT = 1 << 16
"""Bytes: more than the environment of a sidecar."""


class CpuPeriods(NamedTuple):
    """Periods of a container's CPU limit, of 100 ms as a rule."""

    ran: int
    """In which any of its processes ran."""
    throttled: int
    """Those of them in which the limit held it up."""


@dataclass(frozen=True)
class Reading:
    """All processes of one server at one moment."""

    process_id: int
    """The oldest of them, the parent of the others."""
    started_at: float
    """Its start, Unix time in seconds; changes only when it is another process."""
    cpu_seconds: float
    resident_bytes: int
    """Shared memory is counted once."""
    read_bytes: int | None
    """Read from the storage layer; None where the kernel hides it."""
    write_bytes: int | None
    """With O_DIRECT written there, otherwise made dirty in the page cache to be written later."""
    periods: CpuPeriods | None = None
    """Of its own container; None where the kernel hides it, or there is no limit."""


class SeenProcess(NamedTuple):
    """One living process of the server: unequal to any other, even a later one of its number."""

    process_id: int
    since_boot: float
    """Its start in seconds by the boot clock, in ticks of 10 ms."""


class NotRunning(ProcessLookupError):
    """There is no server process."""


class ProcessReader:
    """Reads the server whose processes bear a name. Safe to call from any thread."""

    def __init__(self, name: str, proc: Path = PROC, *, sees_node: bool = False) -> None:
        """Processes of another `proc` than the kernel's own have no CPU clock.

        With `sees_node` their container is privileged and may see the cgroups of its node.
        """
        self._sees_node = sees_node
        self._name, self._comm = name, name[:NAME_LENGTH].encode()
        self._has_clocks = proc == PROC
        self._proc = os.fspath(proc)
        self._lock = threading.Lock()
        self._last: Reading | None = None

    def read(self) -> Reading | None:
        """The server now; None while there is none."""
        with self._lock:
            made = self._made()
            if made is not None and self._last is not None:
                made = _not_less(made, self._last)
            self._last = made
            return made

    def running(self) -> Reading:
        """The same; NotRunning while there is none."""
        reading = self.read()
        if reading is None:
            raise NotRunning(f"no process {self._name} is running")
        return reading

    def everyone(self) -> list[SeenProcess]:
        """Every living process of that name, the oldest first."""
        return [SeenProcess(one.process_id, one.start_ticks * _TICK) for one in self._living()]

    def started_at(self, one: SeenProcess) -> float:
        """Unix time of its start, the same as in readings."""
        with self._lock:
            return self._booted + one.since_boot

    def _made(self) -> Reading | None:
        before = self._main()
        if before is None:
            return None
        main = before.process_id
        for _ in range(ATTEMPTS):
            reading = self._sum(before, [one for one in self._named() if one.process_id != main])
            after = self._stat(main)
            if after is None or not after.is_alive:
                return None
            if after.ended_ticks == before.ended_ticks:
                break
            before = after
        return reading

    def _main(self) -> ProcessStat | None:
        """The main process: the one of the last reading while it lives, else the oldest."""
        if self._last is not None:
            known = self._stat(self._last.process_id)
            if known and known.is_alive and self._start(known) == self._last.started_at:
                return known
        oldest = next(iter(self._living()), None)
        return None if oldest is None else self._stat(oldest.process_id)

    def _living(self) -> list[ProcessStat]:
        """The oldest first."""
        living = [one for one in self._named() if one.is_alive]
        return sorted(living, key=lambda one: (one.start_ticks, one.process_id))

    def _sum(self, main: ProcessStat, children: list[ProcessStat]) -> Reading:
        everyone = [main, *children]
        known = [io for stat in everyone if (io := self._io(stat.process_id)) is not None]
        shared = [self._shared_pages(stat.process_id) for stat in everyone]
        own = sum(
            max(stat.resident_pages - part, 0) for stat, part in zip(everyone, shared, strict=True)
        )
        return Reading(
            process_id=main.process_id,
            started_at=self._start(main),
            cpu_seconds=sum(
                self._own_seconds(stat) + stat.ended_ticks * _TICK for stat in everyone
            ),
            resident_bytes=(own + max(shared)) * _PAGE,
            read_bytes=sum(io[0] for io in known) if known else None,
            write_bytes=sum(io[1] for io in known) if known else None,
            periods=self._periods(main.process_id),
        )

    def _named(self) -> Iterator[ProcessStat]:
        """One entry for each process of the name; one that ends meanwhile is left out."""
        for entry in os.listdir(self._proc):  # noqa: PTH208 see `_file`
            if entry.isdigit():
                stat = self._stat(int(entry))
                if stat is not None:
                    yield stat

    def _stat(self, process_id: int) -> ProcessStat | None:
        """The process, if it is there and bears the name."""
        text = self._file(process_id, "stat")
        stat = parse_stat(text) if text else None
        return stat if stat and stat.name == self._comm else None

    def _own_seconds(self, stat: ProcessStat) -> float:
        if self._has_clocks:
            try:
                return time.clock_gettime(~stat.process_id << 3 | _SCHEDULED)
            except OSError:
                pass  # It has ended and waits for its parent.
        return stat.own_ticks * _TICK

    def _shared_pages(self, process_id: int) -> int:
        text = self._file(process_id, "statm")
        return 0 if text is None else int(text.split()[2])

    def _io(self, process_id: int) -> tuple[int, int] | None:
        text = self._file(process_id, "io")
        if text is None:
            return None
        values = dict(line.split(b": ") for line in text.splitlines())
        return int(values[b"read_bytes"]), int(values[b"write_bytes"])

    def _periods(self, process_id: int) -> CpuPeriods | None:
        for path in self._cpu_stats(process_id):
            text = self._file(process_id, f"root/{path}")
            found = dict(line.split() for line in text.splitlines()) if text else {}
            if b"nr_periods" in found and b"nr_throttled" in found:
                return CpuPeriods(int(found[b"nr_periods"]), int(found[b"nr_throttled"]))
        return None

    def _cpu_stats(self, process_id: int) -> Iterator[str]:
        """Where its container has what the kernel counts of its own limit, if it is known."""
        version_2, *version_1 = CPU_STATS
        group = self._group(process_id) if self._sees_node else ""
        if group is not None:
            folder, _, name = version_2.rpartition("/")
            yield f"{folder}{group}/{name}"
        yield from version_1

    def _group(self, process_id: int) -> str | None:
        """The path that the sidecar has put into its environment."""
        for entry in (self._file(process_id, "environ", _ENVIRONMENT) or b"").split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name == environment.CGROUP.encode():
                return os.fsdecode(value).rstrip("/")
        return None

    def _file(self, process_id: int, name: str, size: int = _ENOUGH) -> bytes | None:
        """A file of a process; None if it is gone or not readable.

        A scrape runs this for each process each second, hence no `Path`.
        """
        try:
            file = os.open(f"{self._proc}/{process_id}/{name}", os.O_RDONLY)
            try:
                return os.read(file, size) or None
            finally:
                os.close(file)
        except OSError:
            return None

    def _start(self, stat: ProcessStat) -> float:
        """Unix time."""
        return self._booted + stat.start_ticks * _TICK

    @cached_property
    def _booted(self) -> int:
        """Kept, because the kernel's own boot time moves with the clock."""
        with open(f"{self._proc}/stat", encoding="ascii") as lines:  # noqa: PTH123 see `_file`
            return next(int(line.split()[1]) for line in lines if line.startswith("btime "))


def together(server: Reading | None, beneath: Reading | None) -> Reading | None:
    """The server with the FUSE file system under it, as one.

    The CPU is that of both. Only the file system reads and writes the disk: the server's own
    figures count its requests to the file system.
    """
    if server is None or beneath is None:
        return None
    return replace(
        server,
        cpu_seconds=server.cpu_seconds + beneath.cpu_seconds,
        read_bytes=beneath.read_bytes,
        write_bytes=beneath.write_bytes,
    )


def _not_less(now: Reading, before: Reading) -> Reading:
    """The reading with no counter below the last one's, unless it is another server."""
    if (now.process_id, now.started_at) != (before.process_id, before.started_at):
        return now
    return replace(
        now,
        cpu_seconds=max(now.cpu_seconds, before.cpu_seconds),
        read_bytes=_larger(now.read_bytes, before.read_bytes),
        write_bytes=_larger(now.write_bytes, before.write_bytes),
    )


def _larger(now: int | None, before: int | None) -> int | None:
    return now if before is None else max(now or 0, before)

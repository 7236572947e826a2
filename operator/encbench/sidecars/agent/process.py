"""Readings of the server's processes from `/proc`, in seconds and bytes.

The kernel scales `utime` and `stime` so that their sum is the scheduler's exact run time, counted
in ticks of 10 ms. The children's `cutime` and `cstime` belong to it: an engine of many processes
gives the time of those that ended to their parent, and `/proc/<pid>/io` adds up in the same way.
Processes of the server's name are summed: a child counts on its own until its parent has waited for
it, and within its parent from then on.

A child that ends in the middle of a reading could be counted twice or not at all, and Prometheus
takes a counter that falls for one that began anew. Hence the order: the parent first, so that
nothing is counted twice; then the children; and all over again when the parent's account of ended
children has changed meanwhile. What slips through (I/O of a child that used less than a tick, or
children that end faster than we read) is missing for one reading only, and then the last value
stands: the counters never fall and never run ahead.

Memory that processes share (PostgreSQL's buffers above all) is in each one's resident set. It is
counted once, by the process that has touched most of it: the exact figure (`smaps_rollup`) costs
the server's kernel a walk through page tables that grows with buffers times processes. Pages that a
child has inherited and not written still count in both: 1.4 MB a process were measured.
"""

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

PROC = Path("/proc")
ATTEMPTS = 5
_TICK = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_COMM_LENGTH = 15
_ENOUGH = 4096
"""Bytes: more than any of the files that are read."""


@dataclass(frozen=True)
class Reading:
    """All processes of one server at one moment."""

    process_id: int
    """The oldest of them, whose children the others are."""
    started_at: float
    """Its start, Unix time in seconds; changes only when it is another process."""
    cpu_seconds: float
    resident_bytes: int
    """What they share counted once."""
    read_bytes: int | None
    """Read from the storage layer; None where the kernel does not let us see."""
    write_bytes: int | None


@dataclass(frozen=True)
class SeenProcess:
    """One living process of the server."""

    process_id: int
    since_boot: float
    """Its start in seconds by the boot clock, in ticks of 10 ms."""

    @property
    def identity(self) -> tuple[int, float]:
        """No other process has it, not even one that got its number."""
        return self.process_id, self.since_boot


class ProcessReader:
    """Reads the server whose processes bear a name. Any thread may ask."""

    def __init__(self, name: str, proc: Path = PROC) -> None:
        self._comm = name[:_COMM_LENGTH].encode()
        self._proc = os.fspath(proc)
        self._lock = threading.Lock()
        self._last: Reading | None = None
        self._boot: int | None = None

    def read(self) -> Reading | None:
        """The server now; None while there is none."""
        with self._lock:
            made = self._made()
            if made is not None and self._last is not None:
                made = _not_less(made, self._last)
            self._last = made
            return made

    def everyone(self) -> list[SeenProcess]:
        """Every process of the name that lives, the oldest first."""
        living = [one for one in self._named() if not one.zombie]
        return [
            SeenProcess(one.process_id, one.start_ticks * _TICK)
            for one in sorted(living, key=lambda one: (one.start_ticks, one.process_id))
        ]

    def started_at(self, one: SeenProcess) -> float:
        """Unix time of its start, as readings tell it."""
        with self._lock:
            return self._booted() + one.since_boot

    def _made(self) -> Reading | None:
        before = self._main()
        if before is None:
            return None
        for _ in range(ATTEMPTS):
            main = before.process_id
            reading = self._sum(before, [one for one in self._named() if one.process_id != main])
            after = self._stat(main)
            if after is None or after.zombie:
                return None
            if after.ended_ticks == before.ended_ticks:
                break
            before = after
        return reading

    def _main(self) -> "_Stat | None":
        """The main process: the one of the last reading while it lives, else the oldest."""
        if self._last is not None:
            known = self._stat(self._last.process_id)
            if known and not known.zombie and self._start(known) == self._last.started_at:
                return known
        living = [one for one in self._named() if not one.zombie]
        oldest = min(living, key=lambda one: (one.start_ticks, one.process_id), default=None)
        return None if oldest is None else self._stat(oldest.process_id)

    def _sum(self, main: "_Stat", children: "list[_Stat]") -> Reading:
        everyone = [main, *children]
        known = [io for stat in everyone if (io := self._io(stat.process_id)) is not None]
        shared = [self._shared_pages(stat.process_id) for stat in everyone]
        own = sum(
            max(stat.resident_pages - part, 0) for stat, part in zip(everyone, shared, strict=True)
        )
        return Reading(
            process_id=main.process_id,
            started_at=self._start(main),
            cpu_seconds=sum(stat.cpu_ticks for stat in everyone) * _TICK,
            resident_bytes=(own + max(shared)) * _PAGE,
            read_bytes=sum(io[0] for io in known) if known else None,
            write_bytes=sum(io[1] for io in known) if known else None,
        )

    def _named(self) -> "Iterator[_Stat]":
        """One entry for each process of the name; one that ends meanwhile is left out."""
        for entry in os.listdir(self._proc):  # noqa: PTH208 see `_file`
            if entry.isdigit():
                stat = self._stat(int(entry))
                if stat is not None:
                    yield stat

    def _stat(self, process_id: int) -> "_Stat | None":
        """The process, if it is there and bears the name."""
        text = self._file(process_id, "stat")
        return None if text is None else _parse_stat(text, self._comm)

    def _shared_pages(self, process_id: int) -> int:
        text = self._file(process_id, "statm")
        return 0 if text is None else int(text.split()[2])

    def _io(self, process_id: int) -> tuple[int, int] | None:
        text = self._file(process_id, "io")
        if text is None:
            return None
        values = dict(line.split(b": ") for line in text.splitlines())
        return int(values[b"read_bytes"]), int(values[b"write_bytes"])

    def _file(self, process_id: int, name: str) -> bytes | None:
        """A file of a process; None where it is gone or not for us.

        A scrape takes this path for each process each second, hence no `Path`.
        """
        try:
            file = os.open(f"{self._proc}/{process_id}/{name}", os.O_RDONLY)
        except OSError:
            return None
        try:
            return os.read(file, _ENOUGH) or None
        except OSError:
            return None
        finally:
            os.close(file)

    def _start(self, stat: "_Stat") -> float:
        """Unix time."""
        return self._booted() + stat.start_ticks * _TICK

    def _booted(self) -> int:
        """The kernel's idea of when it booted moves with the clock; ours does not."""
        if self._boot is None:
            with open(f"{self._proc}/stat", encoding="ascii") as lines:  # noqa: PTH123
                self._boot = next(int(x.split()[1]) for x in lines if x.startswith("btime "))
        return self._boot


@dataclass(frozen=True)
class _Stat:
    process_id: int
    zombie: bool
    own_ticks: int
    ended_ticks: int
    """Of children that were waited for."""
    start_ticks: int
    resident_pages: int

    @property
    def cpu_ticks(self) -> int:
        return self.own_ticks + self.ended_ticks


def _parse_stat(text: bytes, comm: bytes) -> _Stat | None:
    """See proc(5); the name stands in brackets and may hold brackets and blanks itself."""
    opening, closing = text.index(b"("), text.rindex(b")")
    if text[opening + 1 : closing] != comm:
        return None
    fields = text[closing + 2 :].split()
    return _Stat(
        process_id=int(text[:opening]),
        zombie=fields[0] == b"Z",
        own_ticks=int(fields[11]) + int(fields[12]),
        ended_ticks=int(fields[13]) + int(fields[14]),
        start_ticks=int(fields[19]),
        resident_pages=int(fields[21]),
    )


def together(
    server: Callable[[], Reading | None], beneath: Callable[[], Reading | None]
) -> Callable[[], Reading | None]:
    """The server with the FUSE file system under it, as one.

    The CPU is that of both. What reaches the disk is read and written by the file system alone: the
    server's own figures only say what it asked of it.
    """

    def read() -> Reading | None:
        reading, other = server(), beneath()
        if reading is None or other is None:
            return None
        return replace(
            reading,
            cpu_seconds=reading.cpu_seconds + other.cpu_seconds,
            read_bytes=other.read_bytes,
            write_bytes=other.write_bytes,
        )

    return read


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

"""Readings of the server's processes from `/proc`, in seconds and bytes.

The kernel scales `utime` and `stime` so that their sum is the scheduler's exact run time, counted
in ticks of 10 ms. The children's `cutime` and `cstime` belong to it: an engine of many processes
gives the time of those that ended to their parent. Processes of the server's name are summed,
except that children are counted within their parent until they end and on their own only while
they live, so no time is counted twice.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_TICK = 1 / os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_COMM_LENGTH = 15


@dataclass(frozen=True)
class Reading:
    """All processes of one server at one moment."""

    process_id: int
    """The oldest of them."""
    started_at: float
    """Its start, Unix time in seconds; changes only when it is another process."""
    cpu_seconds: float
    resident_bytes: int
    read_bytes: int | None
    """Read from the storage layer; None where the kernel does not let us see."""
    write_bytes: int | None


def read(name: str, proc: Path = PROC) -> Reading | None:
    """The server whose processes bear that name; None while there is none."""
    found = sorted(_stats(name, proc), key=lambda stat: (stat.start_ticks, stat.process_id))
    if not found:
        return None
    readings = [_io(proc / str(stat.process_id) / "io") for stat in found]
    known = [reading for reading in readings if reading is not None]
    return Reading(
        process_id=found[0].process_id,
        started_at=_boot_time(proc) + found[0].start_ticks * _TICK,
        cpu_seconds=sum(stat.cpu_ticks for stat in found) * _TICK,
        resident_bytes=sum(stat.resident_pages for stat in found) * _PAGE,
        read_bytes=sum(reading[0] for reading in known) if known else None,
        write_bytes=sum(reading[1] for reading in known) if known else None,
    )


@dataclass(frozen=True)
class _Stat:
    process_id: int
    cpu_ticks: int
    start_ticks: int
    resident_pages: int


def _stats(name: str, proc: Path) -> Iterator[_Stat]:
    """One entry for each process of that name; one that ends meanwhile is left out."""
    comm = name[:_COMM_LENGTH]
    for entry in os.listdir(proc):  # noqa: PTH208 a scrape takes this path each second
        if entry.isdigit():
            try:
                text = (proc / entry / "stat").read_text(encoding="utf-8", errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            stat = _parse_stat(text, comm)
            if stat is not None:
                yield stat


def _parse_stat(text: str, comm: str) -> _Stat | None:
    """See proc(5); the name stands in brackets and may hold brackets and blanks itself."""
    opening, closing = text.index("("), text.rindex(")")
    if text[opening + 1 : closing] != comm:
        return None
    fields = text[closing + 2 :].split()
    if fields[0] == "Z":
        return None
    return _Stat(
        process_id=int(text[:opening]),
        cpu_ticks=sum(int(field) for field in fields[11:15]),
        start_ticks=int(fields[19]),
        resident_pages=int(fields[21]),
    )


def _io(path: Path) -> tuple[int, int] | None:
    try:
        text = path.read_text(encoding="ascii")
    except OSError:
        return None
    values = dict(line.split(": ") for line in text.splitlines())
    return int(values["read_bytes"]), int(values["write_bytes"])


def _boot_time(proc: Path) -> int:
    with (proc / "stat").open(encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("btime "))

"""The tool's output as it grows.

A backspace ends a line like a newline does, because BenchmarkSQL 5 overwrites its status line with
backspaces. A line's time is the file's modification time, which is accurate to a few milliseconds
(the kernel's tick) even if we look late.
"""

from pathlib import Path

from encbench.sidecars.recorder.moment import Moment, at_unix
from encbench.tools.progress import OutputReader
from encbench.wire.files import LARGEST

CHUNK = 2**20
"""Bytes that are read at once. A tool may write faster than the recorder has memory."""
LONGEST_LINE = 256 * 2**10
"""Letters of a line that are looked at; JSON of the TPC-C client may have as many. A tool may write
one line and no other, and a list of its words takes several times its size."""
_SELDOM = 0.2
"""Seconds between looks when nothing is due."""


def reader(tool: str) -> OutputReader:
    """The reader of this tool's lines; ValueError for an unknown tool."""
    if tool == "sysbench":
        # Only what is needed.
        from encbench.tools.sysbench.progress import SysbenchReader as Sysbench  # noqa: PLC0415

        return Sysbench()
    if tool == "tpcc":
        from encbench.tools.tpcc.progress import TpccReader as Tpcc  # noqa: PLC0415

        return Tpcc()
    raise ValueError(f"no reader for the tool {tool}")


class OutputFollower:
    """A file that another process appends to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._left = LARGEST
        self._rest = b""
        self.changed: Moment | None = None
        """The time of the last write, as of the last `poll`."""

    def poll(self) -> list[str]:
        """Lines that have become complete since the last call, of a bounded part of the file.

        Each is cut off at `LONGEST_LINE`, and nothing comes after the first `LARGEST` bytes, which
        is all that is stored.
        """
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return []
        wanted = min(status.st_size - self._offset, self._left, CHUNK)
        if wanted <= 0:
            return []
        self.changed = at_unix(status.st_mtime_ns / 1e9)
        with self._path.open("rb") as file:
            file.seek(self._offset)
            new = file.read(wanted)
        self._offset += len(new)
        self._left -= len(new)
        text = (self._rest + new).replace(b"\b", b"\n")
        whole, newline, rest = text.rpartition(b"\n")
        self._rest = rest[:LONGEST_LINE]
        # Decoded first: a chunk of short lines takes twice the memory as a list of bytes as well.
        lines = whole.decode(errors="replace").split("\n") if newline else []
        return [line[:LONGEST_LINE] for line in lines]


def pause(since_start: float | None, *, has_warmup: bool) -> float:
    """Seconds until the next look, given the seconds since the load began (None before it).

    A tool reports at whole seconds of its run. Close to one we look more often, so that the reading
    of the process belongs to the line; in between we disturb the tool less. The beginning is known
    by its own stamp. Of many clients on a few cores the last would begin late if all the others'
    recorders looked just then, so they look soon only where the window begins with the load.
    """
    if since_start is None:
        return _SELDOM if has_warmup else 0.02
    phase = since_start % 1.0
    if phase < 0.03 <= since_start:
        return 0.005
    return min(_SELDOM, max(0.005, (1.0 - phase) / 2))

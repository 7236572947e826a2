"""sysbench's lines while it runs. Standard library only: the recorder imports this at its start.

A periodic line looks like this (`sysbench.parser` has the details):

    [ 7s ] thds: 2 tps: 19.00 qps: 380.0 (r/w/o: 266.0/76.0/38.0) lat (ms,95%): 1.86 err/s: 0.00 …

A script may leave a line of its own unfinished. What sysbench writes then stands at its end.

When a thread's last transaction is over, `session.lua` says after how many seconds of the load that
was, and the Unix time:

    encbench-over 61.002345 1763731234.123456
"""

import re
from typing import NamedTuple

from encbench.tools.progress import Mark, Sample

_OVER = re.compile(r"encbench-over (\d{1,12}\.\d{6}) (\d{1,12}\.\d{6})")
_WORDS = {3: "thds:", 5: "tps:", 7: "qps:", 9: "(r/w/o:", 11: "lat", 14: "err/s:"}
_STARTED, _CHECKPOINT = "Threads started!", "Checkpoint report:"


def progress(line: str) -> Sample | None:
    """The periodic report in this line, or None for any other line and for a damaged one."""
    words = _stamped(line).split()
    if len(words) < 16 or any(words[place] != word for place, word in _WORDS.items()):
        return None
    try:
        sample = Sample(
            second=int(words[1].removesuffix("s")),
            tps=float(words[6]),
            qps=float(words[8]),
            latency_p95_ms=float(words[13]),
            errors=float(words[15]),
        )
    except ValueError:
        return None
    return sample if sample.is_possible else None


class Over(NamedTuple):
    """When a thread's last transaction was over."""

    seconds: float
    """Since the load began, by sysbench's own timer."""
    unix: float


def over(line: str) -> Over | None:
    """What a thread says in this line; None for any other line."""
    found = _OVER.fullmatch(line)
    return Over(float(found[1]), float(found[2])) if found else None


class SysbenchReader:
    """One run's lines, in order."""

    def __init__(self) -> None:
        """Starts with nothing read."""
        self._may_have_started = False

    def progress(self, line: str) -> Sample | None:
        """The periodic report in this line."""
        return progress(line)

    def when(self, line: str) -> float | None:
        """The time at which a thread was done; sysbench's own lines contain no time of day."""
        return found.unix if (found := over(line)) else None

    def mark(self, line: str) -> Mark | None:
        """`Threads started!`, the headline of the checkpoint report, and the end of each thread.

        With `Threads started!` sysbench writes an empty line. Where more than these words is on the
        line, that one decides whether they are sysbench's or the end of a sentence of the script.
        """
        has_started = line == _STARTED or (self._may_have_started and not line)
        self._may_have_started = line != _STARTED and line.endswith(_STARTED)
        if has_started:
            return Mark.STARTED
        if over(line) is not None:
            return Mark.ENDED
        second, _, text = _stamped(line).partition("s ] ")
        return Mark.CHECKPOINT if text == _CHECKPOINT and second[2:].isdecimal() else None


def _stamped(line: str) -> str:
    """What sysbench has written with a time stamp; empty for any other line."""
    begin = line.rfind("[ ")
    return line[begin:] if begin >= 0 else ""

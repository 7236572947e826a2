"""What a tool says while it runs. Standard library only: the recorder imports this at its start.

`Reader` is the one thing that the recorder knows of a tool; `sysbench.progress` is one.
"""

from enum import Enum
from typing import NamedTuple, Protocol


class Sample(NamedTuple):
    """One of the tool's periodic reports, about the second that ended with it."""

    second: int
    """Seconds since the load began, by the tool's own clock, rounded."""
    tps: float
    qps: float
    latency_p95_ms: float
    errors: float
    """Ignored errors in that second."""


class Mark(Enum):
    """A moment of the run that a line of output shows."""

    STARTED = "started"
    """Every thread is connected and the load begins."""
    CHECKPOINT = "checkpoint"
    """The warm-up is over: from here on the final report counts."""


class Reader(Protocol):
    """Pure functions over one line of output without its newline; a module will do."""

    def progress(self, line: str) -> Sample | None:
        """The periodic report in this line, or None for any other line."""
        ...

    def mark(self, line: str) -> Mark | None:
        """The moment that this line shows, or None."""
        ...

"""What a tool says while it runs. Standard library only: the recorder imports this at its start.

`OutputReader` is all that the recorder knows about a tool; `sysbench.progress` is one.
"""

from enum import Enum
from typing import NamedTuple, Protocol


class Sample(NamedTuple):
    """One of the tool's periodic reports, about the second that ended with it."""

    second: int
    """Seconds since the load began, by the tool's own clock, rounded."""
    tps: float
    qps: float
    """NaN, as is what follows, where the tool does not tell."""
    latency_p95_ms: float
    errors: float
    """Errors in that second: what `Measurement.errors` counts."""


class Mark(Enum):
    """A moment of the run that a line of output shows."""

    STARTED = "started"
    """Every thread is connected and the load begins."""
    CHECKPOINT = "checkpoint"
    """The warm-up is over: from here on the final report counts."""
    ENDED = "ended"
    """The window is over, though the tool goes on; without it the tool's last write ends it."""


class OutputReader(Protocol):
    """What lines of output without their newline say; a module will do.

    The recorder asks both of each line, once and in order, so that a reader may remember.
    """

    def progress(self, line: str) -> Sample | None:
        """The periodic report in this line, or None for any other line."""

    def mark(self, line: str) -> Mark | None:
        """The moment that this line shows, or None."""

    def when(self, line: str) -> float | None:
        """Unix time of that moment, where the line itself says it; else it is when it was written.

        A line may be read late, and then together with later ones.
        """

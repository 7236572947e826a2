"""A tool's output while it runs. Standard library only: the recorder imports this at its start.

`OutputReader` is the recorder's only interface to a tool; `SysbenchReader` is one.
"""

from enum import Enum
from typing import NamedTuple, Protocol

MOST = 1e15
"""More than any figure of a run; a larger number is damaged, or made up."""


class Sample(NamedTuple):
    """One of the tool's periodic reports, on the second that ended with it."""

    second: int
    """Seconds since the load began, by the tool's own clock, rounded."""
    tps: float
    qps: float
    """NaN if the tool does not report it; the same holds for the fields below."""
    latency_p95_ms: float
    errors: float
    """Errors in that second, as `Measurement.errors` counts them."""

    @property
    def is_possible(self) -> bool:
        """Whether a tool can have measured this; NaN counts, where it stands for no figure."""
        rates = (self.tps, self.qps, self.latency_p95_ms, self.errors)
        return 0 <= self.second <= MOST and not any(rate < 0 or rate > MOST for rate in rates)


class Mark(Enum):
    """A moment of the run that a line of output shows."""

    STARTED = "started"
    """Every thread is connected and the load begins."""
    CHECKPOINT = "checkpoint"
    """The warm-up is over: the final report counts from here on."""
    ENDED = "ended"
    """The window is over although the tool continues, at the last of several such lines; without
    one the last write is the end."""


class OutputReader(Protocol):
    """Interprets lines of output, without their newline.

    The recorder passes each line to both methods, once and in order, so a reader may keep state.
    """

    def progress(self, line: str) -> Sample | None:
        """The periodic report in this line, or None for any other line."""

    def mark(self, line: str) -> Mark | None:
        """The moment that this line shows, or None."""

    def when(self, line: str) -> float | None:
        """Unix time of that moment if the line contains it; otherwise its time of writing counts.

        A line may be read late, and then together with later ones.
        """

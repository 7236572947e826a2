"""Simulated time: a clock that only the timeline moves, and what is to happen when."""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

START = 1_900_000_000.0


@dataclass
class SimClock:
    """A `ports.Clock`."""

    time: float = START

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.time, UTC)

    def unix(self) -> float:
        return self.time


@dataclass
class Timeline:
    """Actions by the time at which they happen; those of one time in the order they were added."""

    clock: SimClock
    _heap: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _tie: "itertools.count[int]" = field(default_factory=itertools.count)

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._heap, (self.clock.time + seconds, next(self._tie), action))

    def at(self, moment: float, action: Callable[[], None]) -> None:
        self.after(max(0.0, moment - self.clock.time), action)

    @property
    def next(self) -> float:
        """When something happens next; infinite when nothing does."""
        return self._heap[0][0] if self._heap else float("inf")

    def step(self) -> None:
        """Let the next action happen, at its time."""
        moment, _, action = heapq.heappop(self._heap)
        self.clock.time = max(self.clock.time, moment)
        action()

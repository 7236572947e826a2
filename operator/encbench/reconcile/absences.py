"""When this process could do nothing, which no deadline of a step counts.

It was cut off from the API server, or frozen, or had not begun. Whatever waits for pods, Jobs or
nodes meanwhile has not had its time: the first look after a long absence must not end what is about
to go on. Of the time before this process it is known for how long none had led its shard; earlier
absences of other processes count.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from encbench.ports import Clock

REMEMBERED = 100
"""Absences; no step lives through more of them."""

SET = 2.0
"""Seconds by which a clock that was not set may seem to."""

Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Absences:
    """Spans from a beginning to an end; they do not overlap."""

    spans: tuple[Span, ...] = ()

    def waited(self, since: datetime, now: datetime) -> float:
        """Seconds from one moment to the other, without the absences between them."""
        return (now - since).total_seconds() - sum(self._within(since, now))

    def _within(self, since: datetime, now: datetime) -> Iterable[float]:
        for begin, end in self.spans:
            yield max(0.0, (min(end, now) - max(begin, since)).total_seconds())

    def until(self, now: datetime) -> "Absences":
        """What of them lies before that moment."""
        return Absences(tuple((begin, min(end, now)) for begin, end in self.spans if begin < now))

    def and_one(self, begin: datetime, end: datetime) -> "Absences":
        """These and a later one, which takes the place of those that it covers."""
        kept = [one for one in self.spans if one[0] < begin]
        free = max([begin, *(one[1] for one in kept[-1:])])
        return Absences((*kept, (free, end))[-REMEMBERED:])


NEVER = Absences()


class Presence(Protocol):
    """What is known of when this process could do nothing."""

    def absences(self) -> Absences:
        """All of them, up to now."""


class Always:
    """The presence of a process that was never away."""

    def absences(self) -> Absences:
        """None."""
        return NEVER


class Contact:
    """Answers of the API server, which this process asks for every few seconds.

    `ticks` is a clock in seconds that is never set; after `limit` of them without an answer the
    process was absent since the last one.
    """

    def __init__(self, clock: Clock, ticks: Callable[[], float], limit: float) -> None:
        self._clock, self._ticks, self._limit = clock, ticks, limit
        self._past = NEVER
        self._last: tuple[float, datetime] | None = None

    def made(self) -> None:
        """There was an answer.

        Where the clock was set forward since the last one, nothing has waited for as long. Where it
        was set back, what would be in the future is forgotten.
        """
        now, ticks, before = self._clock.now(), self._ticks(), self._past
        self._past = self.absences()
        if self._last is not None and self._past is before:
            jump = (now - self._last[1]).total_seconds() - (ticks - self._last[0])
            if jump > SET:
                self._past = before.and_one(now - timedelta(seconds=jump), now)
            elif jump < -SET:
                self._past = before.until(now)
        self._last = (ticks, now)

    def begin(self, left: datetime) -> None:
        """This process leads from now on; the one before it did until then."""
        self._past = self._past.and_one(left, self._clock.now())

    def absences(self) -> Absences:
        """All of them, up to now."""
        if self._last is None or self._ticks() - self._last[0] <= self._limit:
            return self._past
        return self._past.and_one(self._last[1], self._clock.now())

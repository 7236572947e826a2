"""When this process could do nothing, which no deadline of a step counts.

It was cut off from the API server, or frozen, or had not begun. Whatever waits for pods, Jobs or
nodes meanwhile has not had its time: the first look after a long absence must not end what is about
to go on. Of the time before this process it is known for how long none had led its shard; earlier
absences of other processes count.

The clock may be set meanwhile. Forward, it leaves out some time, which is as good as an absence.
Back, it shows some time twice, and what began before has waited for that as well.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from encbench.ports import Clock

REMEMBERED = 100
"""Absences; no step lives through more of them."""

SET = 2.0
"""Seconds by which a clock that was not set may seem to."""

AHEAD = 60.0
"""Seconds after now at which nothing has begun yet by any clock that was not set."""

Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Absences:
    """Spans from a beginning to an end; they do not overlap."""

    spans: tuple[Span, ...] = ()
    steps: tuple[tuple[datetime, float], ...] = ()
    """Each time that the clock was set back: the last moment that it cannot have shown since, and
    the seconds without an absence that it shows twice."""

    def waited(self, since: datetime, now: datetime) -> float:
        """Seconds from when something began until now, without the absences between."""
        return self.beyond(since, now) + self.set_back(since, now)

    def beyond(self, due: datetime, now: datetime) -> float:
        """The same since a moment that may be yet to come, or is of another clock.

        Negative before it. What the clock was set back by meanwhile is not known.
        """
        return (now - due).total_seconds() - sum(self._within(due, now))

    def set_back(self, since: datetime, now: datetime) -> float:
        """Seconds by which the clock was set back since something began.

        What seems to begin later than now began before the last time. Of what began in the time
        that is shown twice, and is past by now, it is not known, so it counts as begun afterwards.
        """
        if self.steps and (since - now).total_seconds() > AHEAD:
            return self.steps[-1][1]
        return sum(seconds for at, seconds in self.steps if since <= at)

    def _within(self, since: datetime, now: datetime) -> Iterable[float]:
        for begin, end in self.spans:
            yield max(0.0, (min(end, now) - max(begin, since)).total_seconds())

    def and_step(self, now: datetime, seconds: float, ago: float) -> "Absences":
        """These once the clock was set back by so many seconds, at most `ago` seconds ago."""
        twice = seconds - sum(self._within(now, now + timedelta(seconds=seconds)))
        spans = tuple((begin, min(end, now)) for begin, end in self.spans if begin < now)
        # A moment that is written down is cut to its second.
        latest = now - timedelta(seconds=ago + 1)
        steps = (*((min(at, latest), known) for at, known in self.steps), (latest, twice))
        return Absences(spans, steps[-REMEMBERED:])

    def and_one(self, begin: datetime, end: datetime) -> "Absences":
        """These and a later one, which takes the place of those that it covers."""
        kept = [one for one in self.spans if one[0] < begin]
        free = max([begin, *(one[1] for one in kept[-1:])])
        return replace(self, spans=(*kept, (free, end))[-REMEMBERED:])


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
        """There was an answer."""
        self._past = self.absences()
        self._last = (self._ticks(), self._clock.now())

    def begin(self, left: datetime) -> None:
        """This process leads from now on; the one before it did until then, by its own clock."""
        self._past = replace(self._past, steps=()).and_one(left, self._clock.now())

    def absences(self) -> Absences:
        """All of them, up to now, and how the clock was set."""
        if self._last is None:
            return self._past
        now, passed = self._clock.now(), self._ticks() - self._last[0]
        present = passed if passed <= self._limit else 0.0
        more = (now - self._last[1]).total_seconds() - present
        if more > SET:
            return self._past.and_one(now - timedelta(seconds=more), now)
        return self._past.and_step(now, -more, passed) if more < -SET else self._past

"""What a pass over an object comes to: the draft of its next status, and a decision."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from encbench.api.base import Model
from encbench.api.conditions import (
    Condition,
    find,
    is_false,
    is_true,
    parse_time,
    restamped,
    with_condition,
)
from encbench.api.lifecycle import ALONE, FAULT, HINDERED, MALFORMED, UNDERSTOOD
from encbench.reconcile.absences import Absences
from encbench.reconcile.objects import Object
from encbench.text.words import steady

LONGEST = 15.0
PATIENCE = 5.0
"""Seconds that something may take before it is called a hindrance, where it is usual at first."""


class Fault(str):
    """Why something came to nothing, where that was a fault of the operator's own."""


class Sight(Protocol):
    """What was seen of an object and around it."""

    @property
    def now(self) -> datetime:
        """When it was seen."""

    @property
    def absences(self) -> Absences:
        """When nothing could be seen or done."""


S = TypeVar("S", bound=Model)
T = TypeVar("T", bound=Model)
V = TypeVar("V", bound=Sight)
E = TypeVar("E")


@dataclass(frozen=True)
class Decision(Generic[T, E]):
    """The status to write, what to do after that, and when to look again."""

    status: T
    effects: tuple[E, ...] = ()
    requeue: float | None = None
    """Seconds; None is not before something changes."""


class Draft(Generic[S, T, V]):
    """The next status of `subject`, begun from the one that was read, and what decides it.

    `status` must have `conditions` and `observed_generation`.
    """

    def __init__(self, subject: Object[S, T], seen: V) -> None:
        self.subject, self.spec, self.seen = subject, subject.spec, seen
        generation = subject.generation
        self.status = subject.status.model_copy(update={"observed_generation": generation})
        self.set(conditions=restamped(self.conditions, generation))
        self._hindrance: tuple[str, str] | None = None
        if self.misfit:
            self.condition(UNDERSTOOD, False, MALFORMED, self.misfit)
        elif self.is_false(UNDERSTOOD):
            self.condition(UNDERSTOOD, True, "Understood")

    @property
    def misfit(self) -> str:
        """Why something that belongs to the subject is not understood; empty if all is."""
        return ""

    def hinder(self, reason: str, message: str) -> None:
        """Say what keeps the subject from going on in this pass; a `Fault` is its own reason."""
        self._hindrance = (FAULT if isinstance(message, Fault) else reason, str(message))

    def steady(self, kind: str, message: str) -> str:
        """The message, or what this condition says already where only numbers differ.

        A text of others may have another port or time with each attempt, and each change of the
        status brings the next pass at once.
        """
        fact = self.fact(kind)
        return message if fact is None else steady(message, fact.message)

    @property
    def hindered(self) -> bool:
        """Whether something keeps the subject from going on in this pass, or did in the last."""
        return self._hindrance is not None or self.is_true(HINDERED)

    def hold(self, kind: str, reason: str, message: str) -> None:
        """Hinder, and set this condition to False for the same reason."""
        self.condition(kind, False, reason, message)
        self.hinder(reason, message)

    def note_hindrance(self, *, over: bool = False) -> None:
        """Write down what was said, or that the subject goes on again, or is `over`."""
        if self._hindrance is not None and not over:
            self.condition(HINDERED, True, *self._hindrance)
        elif self.is_true(HINDERED):
            self.condition(HINDERED, False, "Unhindered")

    def set(self, **fields: Any) -> None:
        """Set fields of the status; values are of the declared types."""
        self.status = self.status.model_copy(update=fields)

    @property
    def conditions(self) -> list[Condition]:
        """The facts so far."""
        return self.status.conditions  # type: ignore[attr-defined,no-any-return]

    def condition(self, kind: str, status: bool | None, reason: str, message: str = "") -> None:
        """Set one condition; None is Unknown."""
        now, generation = self.seen.now, self.subject.generation
        found = with_condition(
            self.conditions, kind, status, reason, message, now=now, generation=generation
        )
        self.set(conditions=list(found))

    def take_back(self, kind: str) -> None:
        """Have no such condition: what it announced is not so any more."""
        self.set(conditions=[one for one in self.conditions if one.type != kind])

    def fact(self, kind: str) -> Condition | None:
        """The condition; None when it was never set."""
        return find(self.conditions, kind)

    def is_true(self, kind: str) -> bool:
        """Whether the condition holds."""
        return is_true(self.conditions, kind)

    def is_false(self, kind: str) -> bool:
        """Whether the condition is known not to hold."""
        return is_false(self.conditions, kind)

    def known(self, kind: str) -> bool:
        """Whether the condition is True or False."""
        return self.is_true(kind) or self.is_false(kind)

    def since(self, kind: str) -> float:
        """Seconds that something waited since the condition last changed; 0 if it was never set."""
        found = self.fact(kind)
        return self.age(found.last_transition_time if found else None)

    def age(self, moment: str | None) -> float:
        """Seconds that something waited since an RFC 3339 time; 0 when it is None.

        Those in which the operator could do nothing are left out.
        """
        return self.seen.absences.waited(parse_time(moment), self.seen.now) if moment else 0.0

    def beyond(self, due: str | None) -> float:
        """The same since a time that may be yet to come, as that by which a pod is to have ended.

        Negative before it.
        """
        return self.seen.absences.beyond(parse_time(due), self.seen.now) if due else 0.0

    def without_waits(self, waited: float) -> float:
        """The part of these seconds in which the subject did not wait for its nodes."""
        if self.is_false(ALONE):
            return 0.0
        return min(waited, self.since(ALONE)) if self.is_true(ALONE) else waited

    def elapsed(self, moment: str | None) -> float:
        """Seconds since an RFC 3339 time by the clock; 0 when it is None."""
        return (self.seen.now - parse_time(moment)).total_seconds() if moment else 0.0


def backoff(waited: float, shortest: float, longest: float = LONGEST) -> float:
    """Seconds until the next look at something that has not come for `waited` seconds.

    Ever more of them, because looking costs CPU.
    """
    return min(longest, max(shortest, waited / 10))

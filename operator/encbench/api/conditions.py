"""Conditions: independent facts about an object, each with a reason and a message to act on.

Source of the semantics: the API conventions of Kubernetes, "Typical status properties". A
transition time changes only with the status, so writing the same fact twice changes nothing.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, optional
from encbench.api.rules import Unique
from encbench.api.scalars import Int, Sentence, Time, Word
from encbench.wire.foreign import printable

Status = Literal["True", "False", "Unknown"]


class Condition(Model):
    """One fact."""

    type: Word = Field(description="Which fact.")
    status: Status = Field(description="True, False or Unknown.")
    reason: Word = Field(description="One word that gives the reason.")
    message: Sentence = Field("", description="One sentence that a person can act on.")
    last_transition_time: Time = Field(description="When the status last changed.")
    observed_generation: Int | None = optional("Generation of the spec that the fact is about.")


PhaseName = Annotated[str, Field(max_length=32)]
Conditions = Annotated[list[Condition], Field(max_length=16), Unique("type")]
"""All the facts about an object, one of each type."""


def find(conditions: Iterable[Condition], kind: str) -> Condition | None:
    """The condition of that type, or None."""
    return next((c for c in conditions if c.type == kind), None)


def is_true(conditions: Iterable[Condition], kind: str) -> bool:
    """Whether the condition of that type holds."""
    return any(c.type == kind and c.status == "True" for c in conditions)


def is_false(conditions: Iterable[Condition], kind: str) -> bool:
    """Whether the condition of that type is known not to hold."""
    return any(c.type == kind and c.status == "False" for c in conditions)


def with_condition(
    conditions: Iterable[Condition],
    kind: str,
    status: bool | None,
    reason: str,
    message: str = "",
    *,
    now: datetime,
    generation: int | None = None,
) -> tuple[Condition, ...]:
    """The conditions with this one set, in order of first appearance; `status=None` is Unknown."""
    before = tuple(conditions)
    text: Status = "Unknown" if status is None else ("True" if status else "False")
    old = find(before, kind)
    since = old.last_transition_time if old is not None and old.status == text else format_time(now)
    new = Condition(
        type=kind,
        status=text,
        reason=reason,
        message=printable(message, 4096),
        last_transition_time=since,
        observed_generation=generation,
    )
    if old is None:
        return (*before, new)
    return tuple(new if c.type == kind else c for c in before)


def restamped(conditions: Iterable[Condition], generation: int) -> list[Condition]:
    """The same facts about a later generation, if what has changed in the spec bears on none.

    `kubectl wait` takes a condition about an earlier generation for one that does not hold.
    """
    about = {"observed_generation": generation}
    return [
        c if c.observed_generation == generation else c.model_copy(update=about) for c in conditions
    ]


def format_time(moment: datetime) -> str:
    """RFC 3339 with whole seconds, as Kubernetes writes `metav1.Time`; the moment is in UTC."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def format_micro_time(moment: datetime) -> str:
    """The same with microseconds, as Kubernetes writes `metav1.MicroTime`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_time(text: str) -> datetime:
    """An aware datetime in UTC from RFC 3339."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))

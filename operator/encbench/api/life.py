"""The shape of a life: which conditions a kind has, and how its phase follows from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from encbench.api.conditions import Condition, Status, find
from encbench.api.kinds import Kind


@dataclass(frozen=True)
class ConditionType:
    """One fact that an object of a kind may state, and every reason that it may give."""

    name: str
    meaning: str
    true: Mapping[str, str] = field(default_factory=dict)
    """Meaning by reason, where the condition is True; the same for the two others."""
    false: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    """In the list of names: when an object has it at all."""

    def reasons(self) -> Iterator[tuple[Status, str, str]]:
        """Status, reason and meaning of each reason."""
        yield from (("True", *reason) for reason in self.true.items())
        yield from (("False", *reason) for reason in self.false.items())
        yield from (("Unknown", *reason) for reason in self.unknown.items())


@dataclass(frozen=True)
class Holds:
    """A condition has one of these statuses, and that reason where one is given."""

    name: str
    statuses: tuple[Status, ...] = ("True",)
    reason: str = ""

    def __call__(self, conditions: Iterable[Condition]) -> bool:
        """Whether it is so."""
        found = find(conditions, self.name)
        return (
            found is not None
            and found.status in self.statuses
            and self.reason in ("", found.reason)
        )

    def __str__(self) -> str:
        because = f" ({self.reason})" if self.reason else ""
        return f"`{self.name}` is {' or '.join(self.statuses)}{because}"


@dataclass(frozen=True)
class Phase:
    """One word for where an object stands: the first whose premises hold is its phase."""

    name: str
    premises: tuple[Holds, ...] = ()
    outcomes: tuple[str, ...] = ()
    """Of a trial: its outcome must be one of these, where any are given."""
    then: tuple[str, ...] = ()
    """The phases that may follow."""

    def holds(self, conditions: Sequence[Condition], outcome: str | None) -> bool:
        """Whether an object with these conditions, and a trial with this outcome, is in it."""
        ended = not self.outcomes or outcome in self.outcomes
        return ended and all(premise(conditions) for premise in self.premises)

    @property
    def when(self) -> str:
        """The premises in words."""
        parts = [str(premise) for premise in self.premises]
        if self.outcomes:
            parts.append(f"the outcome is {' or '.join(self.outcomes)}")
        return " and ".join(parts) or "otherwise"


@dataclass(frozen=True)
class Lifecycle:
    """The table of one kind."""

    kind: Kind
    conditions: tuple[ConditionType, ...]
    phases: tuple[Phase, ...] = ()
    """In the order in which they are tried; the last one always holds."""
    order: tuple[str, ...] = ()
    """Every phase, in the order in which people meet them; the first is that of a new object."""
    begins: tuple[str, ...] = ()
    """The phases that may follow that first one, where it is never derived."""
    outcomes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Of a trial: meaning by reason of each outcome that has reasons."""

    @property
    def transitions(self) -> tuple[tuple[str, str], ...]:
        """Every phase with every one that may follow it."""
        then = {one.name: one.then for one in self.phases}
        if self.order and self.order[0] not in then:
            then[self.order[0]] = self.begins
        return tuple((one, after) for one in self.order for after in then[one])

    def phase(self, conditions: Sequence[Condition], outcome: str | None = None) -> str:
        """The phase for eyes."""
        return next(one.name for one in self.phases if one.holds(conditions, outcome))

    @property
    def names(self) -> str:
        """The conditions as a status describes them."""
        parts = (one.name + (f" ({one.note})" if one.note else "") for one in self.conditions)
        return ", ".join(parts) + "."

    @property
    def phase_names(self) -> str:
        """The phases as a status describes them."""
        return f"For people only: {', '.join(self.order)}."

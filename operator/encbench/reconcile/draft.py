"""Writing a status: a draft that starts from the status as read."""

from datetime import datetime
from typing import Any, Generic, TypeVar

from encbench.api.base import Model
from encbench.api.conditions import find, is_false, is_true, parse_time, with_condition

T = TypeVar("T", bound=Model)


class Draft(Generic[T]):
    """The next status. `status` must have `conditions` and `observed_generation`."""

    def __init__(self, status: T, *, now: datetime, generation: int) -> None:
        self.status = status.model_copy(update={"observed_generation": generation})
        self.now = now
        self._generation = generation

    def set(self, **fields: Any) -> None:
        """Set fields of the status; values are of the declared types."""
        self.status = self.status.model_copy(update=fields)

    def condition(self, kind: str, status: bool | None, reason: str, message: str = "") -> None:
        """Set one condition; None is Unknown."""
        conditions = with_condition(
            self.status.conditions,  # type: ignore[attr-defined]
            kind,
            status,
            reason,
            message,
            now=self.now,
            generation=self._generation,
        )
        self.set(conditions=list(conditions))

    def is_true(self, kind: str) -> bool:
        """Whether the condition holds."""
        return is_true(self.status.conditions, kind)  # type: ignore[attr-defined]

    def is_false(self, kind: str) -> bool:
        """Whether the condition is known not to hold."""
        return is_false(self.status.conditions, kind)  # type: ignore[attr-defined]

    def known(self, kind: str) -> bool:
        """Whether the condition is True or False."""
        return self.is_true(kind) or self.is_false(kind)

    def reason(self, kind: str) -> str:
        """The condition's reason; empty when it was never set."""
        found = find(self.status.conditions, kind)  # type: ignore[attr-defined]
        return found.reason if found else ""

    def since(self, kind: str) -> float:
        """Seconds since the condition last changed; 0 when it was never set."""
        found = find(self.status.conditions, kind)  # type: ignore[attr-defined]
        return self._age(found.last_transition_time) if found else 0.0

    def age(self, moment: str | None) -> float:
        """Seconds since an RFC 3339 time; 0 when it is None."""
        return self._age(moment) if moment else 0.0

    def _age(self, moment: str) -> float:
        return (self.now - parse_time(moment)).total_seconds()

"""What a pass has decided, and the one way in which it becomes fact.

The status is written before any effect, so that every effect is announced; a crash in between
leaves the effect to the next pass, and each may be done twice.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from encbench.api.base import Model
from encbench.ports import Cluster
from encbench.reconcile.objects import Object

S = TypeVar("S", bound=Model)
E = TypeVar("E")


@dataclass(frozen=True)
class Decision(Generic[S, E]):
    """The status to write, what to do after that, and when to look again."""

    status: S
    effects: tuple[E, ...] = ()
    requeue: float | None = None
    """Seconds; None is not before something changes."""


async def carry_out(
    cluster: Cluster,
    subject: Object[Any, S],
    decision: Decision[S, E],
    perform: Callable[[E], Awaitable[bool]],
) -> float | None:
    """Write the status if it changed, then do the effects in order; when to look again.

    `perform` says whether it found something for the next pass, which then follows at once.
    """
    if decision.status != subject.status:
        await cluster.apply_status(subject.kind, subject.with_status(decision.status))
    found = [await perform(effect) for effect in decision.effects]
    return 0.0 if any(found) else decision.requeue

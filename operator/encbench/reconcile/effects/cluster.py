"""What a decision wants done, as data, and the one place that does it.

The status that records the intent is written before any effect (a crash in between leaves the
effect to the next pass); events are sent after, so that they never tell of what was not recorded.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from encbench.api.kinds import Kind
from encbench.kube import labels
from encbench.ports import Body, Cluster, Conflict
from encbench.reconcile.objects import Object, belongs_to


@dataclass(frozen=True)
class Create:
    """Create an object whose content is decided once (credentials, Jobs, trials)."""

    kind: Kind
    body: Body


@dataclass(frozen=True)
class Apply:
    """Bring an object to this state by server-side apply."""

    kind: Kind
    body: Body


@dataclass(frozen=True)
class Delete:
    """Delete one incarnation."""

    kind: Kind
    namespace: str
    name: str
    uid: str

    @classmethod
    def of(cls, found: Object[Any, Any]) -> "Delete":
        """One of our kinds, as it was seen."""
        return cls(found.kind, found.namespace, found.name, found.uid)


@dataclass(frozen=True)
class Announce:
    """Record an Event about the object that is reconciled."""

    reason: str
    note: str
    warning: bool = False


@dataclass(frozen=True)
class Retire:
    """Take the active label off the object that is reconciled: there is no work left with it."""


Effect = Create | Apply | Delete | Announce | Retire


class NotOurs(Exception):
    """An object of the name that we need belongs to somebody else, or to our predecessor."""


async def perform(cluster: Cluster, kind: Kind, subject: Body, effects: Iterable[Effect]) -> None:
    """Do the effects in order. `subject` is the object that is reconciled."""
    meta = subject["metadata"]
    for effect in effects:
        match effect:
            case Create():
                await _create(cluster, effect, meta["uid"])
            case Apply():
                await _apply(cluster, effect, meta["uid"])
            case Delete():
                await cluster.delete(effect.kind, effect.namespace, effect.name, effect.uid)
            case Announce():
                await cluster.event(
                    kind, subject, effect.reason, effect.note, warning=effect.warning
                )
            case Retire():
                await cluster.patch_metadata(
                    kind, meta["namespace"], meta["name"], labels={labels.ACTIVE: None}
                )


async def _create(cluster: Cluster, effect: Create, owner_uid: str) -> None:
    """POST; a name that is taken is adopted when it is ours, else NotOurs."""
    try:
        await cluster.create(effect.kind, effect.body)
    except Conflict:
        there = await _found(cluster, effect)
        if there is None:
            raise
        _check_owner(effect, there, owner_uid)


async def _apply(cluster: Cluster, effect: Apply, owner_uid: str) -> None:
    """Server-side apply; NotOurs when it would take over somebody else's object."""
    there = await _found(cluster, effect)
    if there is not None:
        _check_owner(effect, there, owner_uid)
    await cluster.apply(effect.kind, effect.body)


async def _found(cluster: Cluster, effect: Create | Apply) -> Body | None:
    meta = effect.body["metadata"]
    return await cluster.get(effect.kind, meta["namespace"], meta["name"])


def _check_owner(effect: Create | Apply, there: Body, owner_uid: str) -> None:
    if not belongs_to(there, owner_uid):
        name = there["metadata"]["name"]
        raise NotOurs(
            f"{effect.kind.kind} {name} exists already: it is of an earlier campaign and about to "
            "go, or somebody else's, to be renamed or deleted"
        )

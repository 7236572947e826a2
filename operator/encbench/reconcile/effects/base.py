"""What effects have found, from then until a status or a record says it.

An effect runs after the status that announces it, so what it finds is for the next pass, which
reads it here. If the operator dies in between, the effect is repeated: everything that must not
differ then is stored in the bucket as well, where the first one counts (`trial.first_stored`).
"""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from encbench.reconcile.deps import Deps
from encbench.reconcile.effects import cluster
from encbench.reconcile.effects.effect import ObjectEffect
from encbench.reconcile.objects import Object

Own = TypeVar("Own", bound=Object[Any, Any])
E = TypeVar("E")
R = TypeVar("R")


class Effects(ABC, Generic[Own, E, R]):
    """Does the effects of one kind, and keeps in memory what they find."""

    nothing: R
    """Before anything was found."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._found: dict[tuple[str, str], tuple[str, R]] = {}

    @abstractmethod
    async def perform(self, one: Own, effect: E) -> bool:
        """Do one; whether it found something for the next pass."""

    def begin(self, one: Own, effect: E) -> None:
        """A slow effect is about to wait for its turn."""

    @abstractmethod
    def blame(self, one: Own, effect: E, problem: str) -> None:
        """Keep why a slow effect came to nothing, so that the next decision sees it."""

    async def _on_cluster(self, one: Own, *effects: ObjectEffect) -> bool:
        return await cluster.perform(self._deps.cluster, one, *effects)

    def found(self, one: Own) -> R:
        """What is known of this incarnation."""
        uid, found = self._found.get((one.namespace, one.name), ("", self.nothing))
        return found if uid == one.uid else self.nothing

    def keep(self, one: Own, found: R) -> None:
        """Replace what is known of it."""
        self._found[one.namespace, one.name] = (one.uid, found)

    def forget(self, namespace: str, name: str) -> None:
        """Nothing will be asked about it any more."""
        self._found.pop((namespace, name), None)

    def look_after(self, one: Own) -> None:
        """It was looked at, and is being decided about."""

    def bury(self, namespace: str, name: str) -> None:
        """The object is gone, or on its way."""
        self.forget(namespace, name)

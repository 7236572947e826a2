"""What effects have found, from then until a status or a record says it.

An effect runs after the status that announces it, so what it finds is for the next pass, which
reads it here. If the operator dies in between, the effect is repeated: everything that must not
differ then is stored in the bucket as well, where the first one counts (`trial.first_stored`).
"""

from typing import Any, Generic, TypeVar

from encbench.reconcile.objects import Object

R = TypeVar("R")


class Kept(Generic[R]):
    """Findings about all objects of one kind, in memory."""

    def __init__(self, nothing: R) -> None:
        self._nothing = nothing
        self._found: dict[tuple[str, str], tuple[str, R]] = {}

    def of(self, one: Object[Any, Any]) -> R:
        """What is known of this incarnation."""
        uid, found = self._found.get((one.namespace, one.name), ("", self._nothing))
        return found if uid == one.uid else self._nothing

    def keep(self, one: Object[Any, Any], found: R) -> None:
        """Replace what is known of it."""
        self._found[one.namespace, one.name] = (one.uid, found)

    def forget(self, namespace: str, name: str) -> None:
        """Nothing will be asked about it any more."""
        self._found.pop((namespace, name), None)

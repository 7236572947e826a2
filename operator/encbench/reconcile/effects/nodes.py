"""The effects of a kind that works on nodes: it takes them, keeps them, and gives them back."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from encbench.kube.leases import Unit
from encbench.ports import Rejected, Unavailable
from encbench.reconcile.claims import FoundOnNodes
from encbench.reconcile.deps import Deps
from encbench.reconcile.effects import effect as do
from encbench.reconcile.effects.base import E, Effects, Own
from encbench.reconcile.effects.cluster import NotOurs
from encbench.reconcile.nodes import NodeLeases

F = TypeVar("F", bound=FoundOnNodes)


class NodeEffects(Effects[Own, do.NodeEffect | E, F]):
    """Does those on leases, and leaves the others to the kind."""

    def __init__(self, deps: Deps, nodes: NodeLeases) -> None:
        super().__init__(deps)
        self._nodes = nodes

    @abstractmethod
    def unit(self, one: Own, /) -> Unit:
        """The unit of work to which it belongs, alone or with others."""

    @abstractmethod
    def member(self, name: str, /) -> str:
        """The name by which its unit knows it."""

    @abstractmethod
    def longest(self, one: Own) -> float:
        """Seconds that it may work, at most, if no pass looks at it again."""

    @abstractmethod
    async def perform_own(self, one: Own, effect: E) -> bool:
        """Do one that is not about nodes; whether it found something for the next pass."""

    async def perform(self, one: Own, effect: do.NodeEffect | E) -> bool:
        """See `Effects`."""
        match effect:
            case do.TakeNodes(use):
                return await self._nodes.take(use)
            case do.LeaveNodes(unit, member):
                await self._nodes.leave(unit, member)
                return False
            case _:
                return await self.perform_own(one, effect)

    async def _make(self, one: Own, objects: Callable[[], Sequence[do.ObjectEffect]]) -> bool:
        """Create objects; what keeps them from it is for the step's deadline to name."""
        try:
            await self._on_cluster(one, *objects())
        except (Rejected, Unavailable, NotOurs) as error:
            self.keep(one, replace(self.found(one), refused=str(error)))
            raise
        if self.found(one).refused:
            self.keep(one, replace(self.found(one), refused=""))
        return False

    def found(self, one: Own) -> F:
        """What is known of it, and how it stands with its nodes."""
        standing = self._nodes.standing(self.unit(one), self.member(one.name), self.longest(one))
        return replace(super().found(one), nodes=standing)

    def look_after(self, one: Own) -> None:
        """It keeps its nodes."""
        self._nodes.look_after(self.unit(one), self.member(one.name))

    def bury(self, namespace: str, name: str) -> None:
        """Give its nodes back once its pods have ended."""
        super().bury(namespace, name)
        self._nodes.abandon(namespace, self.member(name))

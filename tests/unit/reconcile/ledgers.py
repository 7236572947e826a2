"""The operator's ledger of a simulated campaign."""

from encbench.reconcile.campaign.ledger import Ledger
from tests.unit.reconcile.world import World, parts, study


def ledger_of(world: World) -> Ledger:
    """The ledger in the operator's own memory."""
    effects = world.operators[0].loop._reconcilers[world.campaign().kind].effects  # type: ignore[attr-defined]
    return effects.found(world.campaign()).ledger  # type: ignore[no-any-return]


async def in_the_middle() -> World:
    """A campaign of three blocks, of which one is measured."""
    world = World()
    world.apply(*parts(), study("plain", blocks=3))
    await world.run(lambda: world.campaign().status.progress.succeeded == 3, limit=20_000)
    return world

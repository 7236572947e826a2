"""Three simulated campaigns in one namespace, over the same nodes."""

from encbench.api.kinds import CAMPAIGN
from encbench.reconcile.objects import Campaign, campaign
from tests.unit.reconcile.world import SPACE, World, parts, study

NAMES = ("one", "two", "three")


def together(blocks: int = 2) -> World:
    """A world with all three, of so many blocks each."""
    world = World()
    bodies = [study("tde", blocks=blocks) for _ in NAMES]
    for body, name in zip(bodies, NAMES, strict=True):
        body["metadata"]["name"] = name
    world.apply(*parts(), *bodies)
    return world


def campaigns(world: World) -> list[Campaign]:
    """The campaigns as they are now."""
    return [campaign(body) for body in world.cluster.all(CAMPAIGN, SPACE)]


def all_over(world: World) -> bool:
    """Whether all have ended."""
    return all(one.status.completion_time for one in campaigns(world))

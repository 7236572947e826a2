"""Campaigns that 0.1.0 has begun: the operator goes on with its objects and files as they are."""

from dataclasses import replace

import pytest

from encbench.api.kinds import LEASE
from tests.unit.reconcile.world import World, parts, study


@pytest.mark.parametrize("interleave", [None, {"rounds": 4}])
async def test_what_the_recorders_of_0_1_0_have_stored_counts(
    interleave: dict[str, int] | None,
) -> None:
    world = World()
    world.plan = lambda _, usual: replace(usual, earlier=True)
    blocks = {"min": 2, "maxReplacements": 0, **({"interleave": interleave} if interleave else {})}
    world.apply(*parts(), study(blocks=blocks))
    await world.run(world.running(3 if interleave else 1))
    world.restart()
    await world.run(world.ended)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}, world.describe()


def without_cells(world: World) -> None:
    """The Leases of nodes as 0.1.0 wrote them, which named a campaign alone as their holder."""
    for key, body in world.cluster._objects.items():
        holder = body.get("spec", {}).get("holderIdentity") if key[0] == LEASE else None
        if holder:
            found = {**body["spec"], "holderIdentity": "/".join(holder.split("/")[:3])}
            world.cluster._store(key, {**body, "spec": found})


async def until_its_end(*, is_earlier: bool) -> float:
    """Seconds from the upgrade in the first trial to the campaign's end."""
    world = World()
    world.apply(*parts(), study(blocks=2))
    await world.run(world.running())
    held = [body["spec"]["holderIdentity"] for body in world.cluster.all(LEASE)]
    assert held
    if is_earlier:
        without_cells(world)
    world.restart()
    upgraded = world.clock.time
    await world.run(world.ended)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}, world.describe()
    return world.clock.time - upgraded


async def test_its_own_leases_hold_no_campaign_up() -> None:
    assert await until_its_end(is_earlier=True) < await until_its_end(is_earlier=False) + 5

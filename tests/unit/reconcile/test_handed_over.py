"""Campaigns that 0.1.0 has begun: the operator goes on with its objects and files as they are."""

from dataclasses import replace

import pytest

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

"""Campaigns that 0.1.0 has begun: the operator goes on with its objects and files as they are."""

from dataclasses import replace

import pytest

from encbench.api.kinds import LEASE, TESTBED
from tests.unit.reconcile.external import world_with
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


async def test_testbeds_of_external_databases_have_the_names_of_0_1_0() -> None:
    """Under others the data would be loaded anew in the middle of a block."""
    world = world_with()
    body = study("tls", blocks=1)
    body["metadata"]["name"] = "2026-11-rds"
    world.apply(body)
    await world.run(lambda: bool(world.trials()))
    found = [bed["metadata"]["name"] for bed in world.cluster.all(TESTBED)]
    assert found
    assert all(name.startswith("2026-11-rds-c") for name in found), found


async def test_those_with_a_service_begin_with_a_letter() -> None:
    world = World()
    body = study(blocks=1)
    body["metadata"]["name"] = "2026-11-own"
    world.apply(*parts(), body)
    await world.run(lambda: bool(world.cluster.all(TESTBED)))
    assert all(
        bed["metadata"]["name"].startswith("t-2026-11-own-c") for bed in world.cluster.all(TESTBED)
    )

"""Testbeds and Trials that were not written by the operator: it does nothing for them.

The chart's policy `records` refuses them at once; these are clusters without it.
"""

import copy
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, JOB, SECRET, STATEFUL_SET, TESTBED, TRIAL, Kind
from encbench.ports import Body
from encbench.reconcile.strangers import has_planned
from tests.support import manifests
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study

MADE = (STATEFUL_SET, JOB, SECRET)
"""What the operator makes for them."""


def understood(world: World, kind: Kind, name: str) -> Body:
    facts = world.cluster.one(kind, SPACE, name).get("status", {}).get("conditions", [])
    return next((fact for fact in facts if fact["type"] == "Understood"), {})


def made(world: World) -> int:
    return sum(len(world.cluster.all(kind, SPACE)) for kind in MADE)


@pytest.mark.parametrize("kind", [TESTBED, TRIAL])
async def test_one_without_a_campaign_is_named_and_left_alone(kind: Kind) -> None:
    world = World()
    world.cluster.add(kind, manifests.body(kind, "planted", SPACE))
    await world.settle(300)
    fact = understood(world, kind, "planted")
    assert fact["status"] == "False"
    assert "only the operator creates such objects, so delete this one" in fact["message"]
    assert made(world) == 0
    assert world.store.objects == {}


async def copied(world: World, **changes: Any) -> str:
    """A trial of the campaign's, planted a second time with another name and these changes."""
    await world.run(world.running())
    body = copy.deepcopy(world.latest("Trial", "")[0])
    body["metadata"] = {
        "name": "planted",
        "namespace": SPACE,
        "labels": body["metadata"]["labels"],
        "ownerReferences": body["metadata"]["ownerReferences"],
    }
    del body["status"]
    body["spec"] |= changes
    world.cluster.add(TRIAL, body)
    return "planted"


async def test_results_are_not_stored_below_the_prefix_of_another_tenant() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    name = await copied(world, storagePrefix="another-tenant/study-c0ffee00")
    await world.run(world.ended)
    fact = understood(world, TRIAL, name)
    assert "spec.storagePrefix is not that of Campaign study" in fact["message"]
    assert not [key for key in world.store.objects if key.startswith("another-tenant")]
    assert not [job for job in world.cluster.all(JOB, SPACE) if job["metadata"]["name"] == name]
    world.cluster.remove(TRIAL, SPACE, name)
    assert_sound(world)


async def test_a_child_whose_campaign_has_gone_is_left_to_the_garbage_collector() -> None:
    """For a moment it is still there; nothing is begun for it, and nothing said."""
    world = World()
    world.apply(*parts(), study("plain", blocks=2))
    await world.run(world.running())
    (one,), nobody = world.trials(), FakeCluster()
    assert await has_planned(world.cluster, one)
    assert not await has_planned(nobody, one)
    nobody.add(
        CAMPAIGN, {**study("plain", blocks=2), "metadata": {"name": NAME, "namespace": SPACE}}
    )
    assert not await has_planned(nobody, one), "a later campaign of that name is another one"

"""A cell that was given up leaves its room to others, but for what is to be looked at."""

from typing import Any

from encbench.api.kinds import (
    CAMPAIGN,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    POD_DISRUPTION_BUDGET,
    STATEFUL_SET,
    TESTBED,
    Kind,
)
from encbench.kube import labels
from encbench.reconcile.testbed.failed import KEPT
from tests.unit.reconcile.accidents import load_fails
from tests.unit.reconcile.cells import four_cells
from tests.unit.reconcile.scheduler import Scheduler
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study


def databases(world: World) -> list[str]:
    """The names of their pods."""
    return [
        body["metadata"]["name"]
        for body in world.cluster.all(POD)
        if body["metadata"]["labels"][labels.COMPONENT] == "database"
    ]


def names(world: World, kind: Kind) -> set[str]:
    return {body["metadata"]["name"] for body in world.cluster.all(kind)}


async def test_the_next_cell_has_the_room_of_one_that_was_given_up() -> None:
    """On a cluster that holds the databases of one, and one more."""
    spec: dict[str, Any] = {"allowColocation": True, "replacements": 0}
    world = four_cells(("n1",), 1, instances=("small",), room=3, **spec)
    name = await load_fails(world)
    await world.run(world.running())
    assert name in names(world, POD_DISRUPTION_BUDGET), "the campaign goes on"
    await world.run(world.ended, limit=60_000, seconds=20_000)
    await world.settle(120)

    assert [(one.status.outcome, one.spec.workload_ref) for one in world.trials()] == [
        ("Succeeded", "other")
    ] * 4
    assert names(world, TESTBED) == {name}
    assert databases(world) == [f"{name}-0"], "its logs may say why"


async def test_a_database_that_never_ran_does_not_take_the_room_of_the_next_night() -> None:
    world = World()
    world.controllers.scheduler = Scheduler(("n1",), room=1)
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    await world.settle(120)
    (name,) = names(world, TESTBED)
    assert databases(world) == [], "room is free, and it does not come"
    assert world.cluster.one(STATEFUL_SET, SPACE, name)["spec"]["replicas"] == 0
    world.cluster.one(PERSISTENT_VOLUME_CLAIM, SPACE, f"{name}-data")

    writes = len(world.cluster.writes)
    await world.settle(3600)
    assert len(world.cluster.writes) == writes, "it is stopped once"


async def test_one_that_ran_has_logs_to_read_until_the_next_night() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, replacements=0))
    name = await load_fails(world)
    await world.run(world.ended)
    for _ in range(10):
        await world.settle((KEPT - 300) / 10)
    assert databases(world) == [f"{name}-0"]
    assert name not in names(world, POD_DISRUPTION_BUDGET), "a drain need not wait"
    await world.settle(600)
    assert databases(world) == []
    assert names(world, TESTBED) == {name}, "it says why"
    assert names(world, PERSISTENT_VOLUME_CLAIM) == {f"{name}-data"}
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)

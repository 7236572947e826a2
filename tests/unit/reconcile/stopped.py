"""Campaigns whose servers are stopped on purpose."""

from typing import Any

from encbench.api.kinds import POD
from encbench.kube import labels
from tests.support.fake_agent import FakeStop
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.world import World, parts, study

WRITES = {"script": "oltp_write_only", "tables": 2, "tableSize": 1000}


def crashing(stop: str = "Crash", modes: tuple[str, ...] = ("plain",), **spec: Any) -> World:
    """A campaign of one block whose servers are stopped."""
    world = World()
    world.apply(*parts(recovery={"stop": stop}, sysbench=WRITES))
    world.apply(study(*modes, **{"blocks": 1, "reset": "trial", "replacements": 0, **spec}))
    return world


async def finished(world: World) -> World:
    """Run it to its end, which must be sound."""
    await world.run(world.ended)
    await world.settle(150)
    assert_sound(world)
    return world


def stops(world: World, change: Any) -> None:
    """Have a test's say in how each stop goes: of the server, when it is armed."""
    usual = world.agent.armed

    def armed(address: str, stop: FakeStop) -> None:
        change(world.agent.servers[address], stop)
        usual(address, stop)

    world.agent.armed = armed


def lose_client(world: World, uid: str) -> None:
    """End the pods of a trial's clients."""
    name = next(t.name for t in world.trials() if t.uid == uid)
    for body in world.cluster.all(POD):
        if body["metadata"]["labels"].get(labels.TRIAL) == name:
            world.cluster.end(body)

"""A database's volume that is nearly full, and who says so."""

import asyncio
from typing import Any

import pytest

from encbench.api.kinds import JOB, TESTBED
from encbench.ports import Unavailable
from encbench.reconcile import agents, fullness
from encbench.reconcile.fullness import nearly_full
from encbench.reconcile.objects import Trial
from encbench.reconcile.objects import testbed as as_testbed
from encbench.reconcile.testbed.facts import TestbedFound
from encbench.reconcile.testbed.observe import observe
from encbench.wire.agent import VolumeRoom
from tests.unit.reconcile.accidents import load_fails, once
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.seen import a_pod
from tests.unit.reconcile.world import SPACE, World, parts, study

MIB, GIB = 1 << 20, 1 << 30
FULL = VolumeRoom(bytes=20 * GIB, freeBytes=3 * MIB, files=0, freeFiles=0)


@pytest.mark.parametrize(
    ("size", "free", "files", "free_files", "said"),
    [
        (20 * GIB, 3 * MIB, 0, 0, "the volume of bed-0 has 3 MiB left"),
        (20 * GIB, 400 * MIB, 0, 0, "the volume of bed-0 has 400 MiB left"),
        (20 * GIB, 410 * MIB, 0, 0, ""),
        (GIB, 63 * MIB, 0, 0, "the volume of bed-0 has 63 MiB left"),
        (GIB, 64 * MIB, 1000, 20, ""),
        (GIB, 64 * MIB, 1000, 19, "the volume of bed-0 has 19 inodes left"),
    ],
)
def test_when_a_volume_is_nearly_full(
    size: int, free: int, files: int, free_files: int, said: str
) -> None:
    room = VolumeRoom(bytes=size, freeBytes=free, files=files, freeFiles=free_files)
    assert nearly_full(room, "bed-0") == said


def test_an_agent_of_an_earlier_version_does_not_say_it() -> None:
    assert nearly_full(None, "bed-0") == ""


@pytest.mark.parametrize("why", [Unavailable("it is away"), None])
async def test_an_agent_that_does_not_answer_holds_up_no_pass(
    monkeypatch: pytest.MonkeyPatch, why: Exception | None
) -> None:
    world = World()

    async def silent(*_: Any) -> None:
        if why is not None:
            raise why
        await asyncio.sleep(60)

    async def way(*_: Any) -> tuple[str, Any]:
        return "bed-0.invalid:1", None

    monkeypatch.setattr(fullness, "SECONDS", 0.01)
    monkeypatch.setattr(agents, "agent", way)
    monkeypatch.setattr(world.agent, "server", silent)
    assert await fullness.look(world.deps, "ns", "bed", a_pod()) == ""


async def test_a_trial_whose_tool_fails_names_the_volume() -> None:
    hit, world = once("plain", exit_code=1)
    usual = world.plan

    def fill(trial: Trial, planned: Plan) -> Plan:
        for server in world.agent.servers.values():
            server.room = FULL
        return usual(trial, planned)

    world.plan = fill
    await world.run(world.ended)
    await world.settle()
    (broken,) = [t for t in world.trials() if t.name in hit]
    assert broken.status.reason == "ToolFailed"
    message = broken.status.message or ""
    assert message.startswith("the tool ended with code 1")
    assert message.endswith("-0 has 3 MiB left")


async def test_of_a_load_that_fails_the_volume_is_looked_at() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))

    async def full(name: str) -> str:
        for server in world.agent.servers.values():
            server.room = FULL
        body = world.cluster.one(TESTBED, SPACE, name)
        return (await observe(world.deps, as_testbed(body), TestbedFound())).full

    await world.run(lambda: bool(world.latest(JOB.kind, "")))
    loading = world.latest(JOB.kind, "")[0]["metadata"]["name"].removesuffix("-load")
    assert await full(loading) == "", "nothing is asked while it goes on"
    failed = await load_fails(world)
    assert failed == loading
    assert await full(failed) == f"the volume of {failed}-0 has 3 MiB left"

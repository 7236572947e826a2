"""A database's volume that is nearly full, and who says so."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import JOB, POD, TESTBED
from encbench.api.workload import Recovery
from encbench.ports import Access, Unavailable
from encbench.reconcile import agents, fullness
from encbench.reconcile.effects.effect import Prove
from encbench.reconcile.effects.trial import TrialEffects
from encbench.reconcile.fullness import nearly_full
from encbench.reconcile.objects import Trial
from encbench.reconcile.objects import testbed as as_testbed
from encbench.reconcile.pods import ContainerFacts, JobFacts
from encbench.reconcile.testbed import observe as of_testbed
from encbench.reconcile.testbed.facts import TestbedFound
from encbench.reconcile.testbed.observe import observe
from encbench.reconcile.trial import observe as of_trial
from encbench.wire.agent import VolumeRoom
from tests.support.fake_agent import FakeServer
from tests.support.sidecars import access
from tests.unit.reconcile.accidents import load_fails, once
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.pods import container
from tests.unit.reconcile.seen import a_client, a_pod, a_testbed, a_trial, ago
from tests.unit.reconcile.world import SPACE, World, parts, study

MIB, GIB = 1 << 20, 1 << 30
FULL = VolumeRoom(bytes=20 * GIB, freeBytes=3 * MIB, files=0, freeFiles=0)
ROOMY = VolumeRoom(bytes=20 * GIB, freeBytes=9 * GIB, files=0, freeFiles=0)


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
    monkeypatch.setattr(world.agent, "room", silent)
    assert await fullness.look(world.deps, "ns", "bed", a_pod()) == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"starting": True}, "the volume of bed-0 has 3 MiB left"),
        ({"old": True}, ""),
        ({"token": "another"}, ""),
    ],
    ids=["its server is away", "an earlier agent", "another token"],
)
async def test_a_volume_says_its_room_though_its_server_is_away(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], said: str
) -> None:
    world, where = World(), "bed-0.invalid:1"
    world.agent.servers[where] = FakeServer(**{"token": "secret", "room": FULL, **changes})

    async def way(*_: Any) -> tuple[str, Access]:
        return where, access("secret")

    monkeypatch.setattr(agents, "agent", way)
    assert await fullness.look(world.deps, "ns", "bed", a_pod("bed-0")) == said


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


async def proving() -> tuple[World, Trial, Prove]:
    """A trial that runs, and its second proof."""
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    (trial,) = world.trials()
    bed = as_testbed(world.cluster.one(TESTBED, SPACE, trial.spec.testbed_ref.name))
    database = await agents.database_pod(world.cluster, SPACE, bed.name)
    return world, trial, Prove(bed, database, "after")


async def test_a_proof_that_is_not_made_leaves_word_of_the_volume(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, trial, prove = await proving()
    for server in world.agent.servers.values():
        server.room = FULL

    async def silent(*_: Any, **__: Any) -> None:
        raise Unavailable("no marker can be written")

    monkeypatch.setattr(world.agent, "evidence", silent)
    effects = TrialEffects(world.deps, world.operators[0].nodes)
    await effects.perform(trial, prove)
    found = effects.found(trial)
    assert found.problem == "no marker can be written"
    assert found.full == f"the volume of {prove.testbed.name}-0 has 3 MiB left"


@pytest.mark.parametrize("goes", [False, True])
async def test_a_server_that_a_full_volume_keeps_away_leaves_word_of_it(goes: bool) -> None:
    world, trial, prove = await proving()
    for server in world.agent.servers.values():
        server.room, server.starting = FULL, True
    effects = TrialEffects(world.deps, world.operators[0].nodes)
    await effects.perform(trial, prove)
    said = f"the volume of {prove.testbed.name}-0 has 3 MiB left"
    assert effects.found(trial).full == said
    for server in world.agent.servers.values():
        server.room = ROOMY
    if goes:
        world.agent.servers.clear()
    await effects.perform(trial, prove)
    assert effects.found(trial).full == (said if goes else ""), "only an answer takes it back"


async def test_of_a_load_that_fails_the_volume_is_looked_at() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))

    async def full(name: str, reason: str = "Loading") -> str:
        for server in world.agent.servers.values():
            server.room = FULL
        body = world.cluster.one(TESTBED, SPACE, name)
        loaded = {"type": "Loaded", "status": "False", "reason": reason, "message": ""}
        facts = [one for one in body["status"]["conditions"] if one["type"] != "Loaded"]
        body["status"]["conditions"] = [*facts, {**loaded, "lastTransitionTime": ago(1)}]
        return (await observe(world.deps, as_testbed(body), TestbedFound())).full

    await world.run(lambda: bool(world.latest(JOB.kind, "")))
    loading = _loading(world)
    assert await full(loading) == "", "nothing is asked while it goes on"
    late = await full(loading, "LoadTimeout")
    assert late == f"the volume of {loading}-0 has 3 MiB left", "its Job is stopped only then"
    failed = await load_fails(world)
    assert failed == loading
    assert await full(failed) == f"the volume of {failed}-0 has 3 MiB left"


async def test_a_load_that_succeeds_although_a_full_volume_ended_its_server_names_it() -> None:
    """BenchmarkSQL's scripts end with 0 whatever failed in them."""
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: bool(world.latest(JOB.kind, "")))
    bed = _loading(world)
    for server in world.agent.servers.values():
        server.room, server.starting = FULL, True
    _end_server(world, f"{bed}-0")

    def failed() -> bool:
        facts = world.cluster.one(TESTBED, SPACE, bed)["status"]["conditions"]
        return any(fact["type"] == "Failed" and fact["status"] == "True" for fact in facts)

    await world.run(failed)
    told = find(as_testbed(world.cluster.one(TESTBED, SPACE, bed)).status.conditions, "Failed")
    assert told is not None
    assert told.message.startswith(f"during the load container server in pod {bed}-0 ended with")
    assert told.message.endswith(f"; the volume of {bed}-0 has 3 MiB left")


def _loading(world: World) -> str:
    """The testbed whose load was made first."""
    return str(world.latest(JOB.kind, "")[0]["metadata"]["name"].removesuffix("-load"))


def _end_server(world: World, name: str) -> None:
    """What the kubelet says of a database's pod whose server has ended."""
    status = world.cluster.one(POD, SPACE, name)["status"]
    ended = container("server", restarts=1, terminated={"exitCode": 1, "reason": "Error"})
    known = [ended if one["name"] == "server" else one for one in status["containerStatuses"]]
    world.cluster.set_status(POD, SPACE, name, {**status, "containerStatuses": known})


@pytest.mark.parametrize(
    ("codes", "over"), [((), False), ((None,), False), ((0,), True), ((None, 1), True)]
)
def test_a_load_whose_pod_goes_on_beside_its_tool_is_over(
    codes: tuple[int | None, ...], over: bool
) -> None:
    pods = tuple(a_pod("load", ContainerFacts("tool", exit_code=code)) for code in codes)
    assert of_testbed._is_over(a_testbed(), JobFacts("load", pods=pods)) is over
    assert not of_testbed._is_over(a_testbed(), None)


@pytest.mark.parametrize(
    ("trial", "asked"),
    [
        (a_trial(), True),
        (a_trial({"Measured": ("False", 1.0)}), False),
        (a_trial(outcome="Failed"), False),
    ],
    ids=["now", "measured", "over"],
)
def test_a_volume_is_looked_at_until_its_trial_knows_how_its_tool_ended(
    trial: Trial, asked: bool
) -> None:
    clients = [a_client("uploaded", exit_code=0), a_client("finished", exit_code=1)]
    assert of_trial._has_failed(trial, clients) is asked
    assert not of_trial._has_failed(trial, clients[:1])
    stopped = trial.spec.workload.model_copy(update={"recovery": Recovery(stop="Crash")})
    crashing = replace(trial, spec=trial.spec.model_copy(update={"workload": stopped}))
    assert not of_trial._has_failed(crashing, clients), "its server is stopped under it"
    assert not of_trial._has_failed(trial, [a_client("running"), a_client(None)])

"""The full proof of a testbed: what it waits for, and from when its deadline runs."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from encbench.api.conditions import find, parse_time
from encbench.api.kinds import POD, TESTBED
from encbench.core.evidence import Proof
from encbench.ports import Rejected, Unavailable
from encbench.reconcile import objects
from encbench.reconcile.absences import Absences
from encbench.reconcile.effects import agent
from encbench.reconcile.effects.effect import ProveFully
from encbench.reconcile.effects.testbed import ROUND_PAUSE, TestbedEffects
from encbench.reconcile.objects import Testbed
from encbench.reconcile.pods import pod_facts
from encbench.reconcile.testbed.facts import TestbedFound
from tests.unit.reconcile.timeline import START
from tests.unit.reconcile.world import SPACE, World, parts, study

NEVER = 10**6
LIMIT = 600
"""Seconds for a proof, and for the rest before it."""


def campaign(**spec: Any) -> World:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, **spec))
    return world


@pytest.fixture(name="pauses")
def pauses_that_pass_at_once(monkeypatch: pytest.MonkeyPatch) -> "Pauses":
    return Pauses(monkeypatch)


class Pauses:
    """Between two rounds of a rest: time passes in the world at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[TestbedFound] = []
        """What was known during each."""
        self._patch = monkeypatch

    def pass_in(self, world: World, found: Callable[[], TestbedFound] = TestbedFound) -> None:
        async def sleep(seconds: float) -> None:
            world.clock.time += seconds
            self.seen.append(found())

        self._patch.setattr("encbench.reconcile.effects.testbed.asyncio.sleep", sleep)


@pytest.mark.parametrize("what", ["unwritten", "reading_back", "sessions"])
async def test_it_waits_until_the_server_is_at_rest(what: str, pauses: Pauses) -> None:
    """Files that lack pages would prove nothing of themselves."""
    world = campaign()
    pauses.pass_in(world)
    await world.run(lambda: bool(world.agent.servers))
    (address,) = world.agent.servers
    setattr(world.agent.servers[address], what, 5)
    await world.run(lambda: ("evidence", address) in world.agent.calls)
    own = [method for method, where in world.agent.calls if where == address]
    assert own[: own.index("evidence")].count("settle") == 5 + 1
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_an_agent_that_is_silent_while_it_rests_ends_it_by_the_deadlines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = campaign()

    async def silent(*_: Any, **__: Any) -> None:
        raise Unavailable("no agent answers")

    monkeypatch.setattr(world.agent, "settle", silent)
    monkeypatch.setattr(world.agent, "evidence", silent)
    await world.run(world.ended)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "TestbedFailed"
    assert "could not be proven in time: no agent answers" in failed.message
    assert world.clock.time - START < 2 * LIMIT + 120


async def test_a_fault_of_ours_before_it_begins_ends_it_by_its_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def odd(*_: Any) -> str:
        raise ValueError("s3cr3t")

    monkeypatch.setattr("encbench.reconcile.effects.testbed.proof_key", odd)
    world = campaign()
    await world.run(world.ended)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert "could not be proven in time" in failed.message


# -- before the stop for a golden copy


async def to_be_copied(pauses: Pauses, unwritten: int) -> tuple[World, str]:
    """A campaign whose first server has just begun, and its address."""
    world = campaign(reset="trial", stepDeadlines={"reset": "30m"})
    pauses.pass_in(world)
    await world.run(lambda: bool(world.agent.servers))
    (address,) = world.agent.servers
    world.agent.servers[address].unwritten = unwritten
    return world, address


def is_copied(world: World) -> bool:
    return any("copied golden" in steps for steps in world.controllers.copies.values())


async def test_a_server_has_written_what_the_load_left_when_it_is_stopped(pauses: Pauses) -> None:
    """Its stop has ten minutes, and a server that is killed leaves nothing to copy."""
    world, address = await to_be_copied(pauses, unwritten=5)
    await world.run(lambda: is_copied(world))
    assert world.agent.calls.count(("settle", address)) == 5 + 1
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_a_server_that_is_never_at_rest_is_stopped_in_the_end(pauses: Pauses) -> None:
    world, _ = await to_be_copied(pauses, unwritten=NEVER)
    began = world.clock.time
    await world.run(lambda: is_copied(world))
    assert 1800 < world.clock.time - began < 1800 + 60


async def test_so_is_one_whose_agent_is_silent(
    pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = await to_be_copied(pauses, unwritten=0)

    async def silent(*_: Any, **__: Any) -> None:
        raise Unavailable("no agent answers")

    monkeypatch.setattr(world.agent, "settle", silent)
    began = world.clock.time
    await world.run(lambda: is_copied(world))
    assert 1800 < world.clock.time - began < 1800 + 60


# -- asked for by hand


class Proving:
    """The proof of one testbed that was loaded, asked for by hand."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.effects = TestbedEffects(world.deps, world.operators[0].nodes)
        pods = {body["metadata"]["name"]: body for body in world.cluster.all(POD, SPACE)}
        beds = [objects.testbed(body) for body in world.cluster.all(TESTBED, SPACE)]
        self.bed: Testbed = next(bed for bed in beds if f"{bed.name}-0" in pods)
        database = pod_facts(pods[f"{self.bed.name}-0"])
        self.effect = ProveFully(database)
        self.server = next(
            server for at, server in world.agent.servers.items() if at.startswith(f"{database.ip}:")
        )

    @property
    def found(self) -> TestbedFound:
        return self.effects.found(self.bed)

    async def ask(self, seconds: float = 0.0) -> bool:
        self.world.clock.time += seconds
        return await self.effects.perform(self.bed, self.effect)


@pytest.fixture(name="proving")
async def one_that_can_be_asked() -> Proving:
    world = campaign()
    await world.run(lambda: bool(world.agent.markers))
    return Proving(world)


async def test_a_search_has_the_deadline_of_its_step(proving: Proving) -> None:
    """A limit of its own would end that of a large database again and again."""
    assert proving.world.agent.searches == [LIMIT]


def watched(
    proving: Proving, monkeypatch: pytest.MonkeyPatch, answers: list[Exception | None]
) -> list[TestbedFound]:
    """What is known while each search is under way."""
    during = []

    async def prove(*_: Any, **__: Any) -> Proof:
        during.append(proving.found)
        error = answers.pop(0)
        if error is not None:
            raise error
        return Proof(ok=True, summary="in force")

    monkeypatch.setattr(agent, "prove", prove)
    return during


async def test_its_own_time_begins_after_the_rest_in_the_same_slot(
    proving: Proving, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    during = watched(proving, monkeypatch, [None])
    pauses.pass_in(proving.world, lambda: proving.found)
    proving.server.unwritten = 50
    assert await proving.ask(), "it is proven by the first errand"
    assert len(pauses.seen) == 50
    assert {one.asked for one in pauses.seen} == {None}
    assert all("still writing" in one.problem for one in pauses.seen)
    (found,) = during
    assert found.resting is not None
    assert found.asked is not None
    assert parse_time(found.asked) - parse_time(found.resting) == timedelta(seconds=50)
    assert not found.problem, "a search that runs is hindered by nothing"


async def test_it_says_how_many_sessions_of_lost_clients_are_in_the_way(
    proving: Proving, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(proving, monkeypatch, [None])
    pauses.pass_in(proving.world, lambda: proving.found)
    proving.server.sessions = 2
    assert await proving.ask()
    assert [one.problem for one in pauses.seen] == [
        f"the server is still ending {which} of clients that are gone"
        for which in ("2 sessions", "1 session")
    ]


async def test_a_server_that_never_rests_is_proven_as_it_is(
    proving: Proving, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    during = watched(proving, monkeypatch, [Unavailable("no answer"), None])
    pauses.pass_in(proving.world, lambda: proving.found)
    proving.server.reading_back = NEVER
    assert not await proving.ask()
    assert await proving.ask()
    assert len(pauses.seen) == LIMIT / ROUND_PAUSE, "it has this time once"
    assert during[0].asked == during[1].asked
    assert not during[0].problem


async def test_a_rest_does_not_count_the_time_in_which_we_were_away(
    proving: Proving, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = proving.world
    watched(proving, monkeypatch, [None])
    pauses.pass_in(world)
    proving.server.reading_back = NEVER
    world._absences = Absences().and_one(
        world.clock.now() + timedelta(seconds=10), world.clock.now() + timedelta(seconds=70)
    )
    assert await proving.ask()
    assert len(pauses.seen) == LIMIT + 60


async def test_a_rest_ends_its_errand_where_no_agent_answers(
    proving: Proving, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others wait for the slot, and the next errand may know another pod."""

    async def silent(*_: Any) -> None:
        raise Unavailable("no agent answers")

    pauses.pass_in(proving.world, lambda: proving.found)
    monkeypatch.setattr(proving.world.agent, "settle", silent)
    assert not await proving.ask()
    assert (proving.found.asked, proving.found.problem) == (None, "no agent answers")
    assert not pauses.seen
    during = watched(proving, monkeypatch, [None])
    assert await proving.ask(LIMIT), "its rest is over"
    assert during[0].asked != during[0].resting


# -- a store that was away


async def test_its_time_begins_once_the_store_has_answered(
    proving: Proving, monkeypatch: pytest.MonkeyPatch
) -> None:
    during = watched(proving, monkeypatch, [Unavailable("no answer"), None])
    store = proving.world.store
    store.away = True
    assert not await proving.ask()
    assert (proving.found.asked, bool(proving.found.proof.store_problem)) == (None, True)
    store.away = False
    assert not await proving.ask(3600.0)
    first = during[0]
    assert first.asked is not None
    assert abs(parse_time(first.asked) - proving.world.clock.now()) < timedelta(seconds=2)
    assert not first.proof.store_problem, "a search that runs is not hindered by the store"
    assert await proving.ask(60.0)
    assert during[1].asked == first.asked, "one deadline for all attempts"
    assert not during[1].problem, "a search that runs is hindered by nothing"


async def test_what_hinders_it_stands_while_a_silent_agent_is_asked_again(
    proving: Proving, monkeypatch: pytest.MonkeyPatch
) -> None:
    during = watched(proving, monkeypatch, [Unavailable("no answer"), Unavailable("no answer")])
    assert not await proving.ask()
    assert not await proving.ask(LIMIT + 1.0), "there is no time left for a rest"
    assert [one.problem for one in during] == ["", "no answer"]


async def test_what_the_store_did_not_take_is_stored_without_another_scan(
    proving: Proving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be full for half an hour, in which a scan would begin every few seconds."""
    during = watched(proving, monkeypatch, [None])
    store = proving.world.store
    store.fail_next(Rejected("no space"))
    assert not await proving.ask()
    assert proving.found.proof.store_problem == "no space"
    store.away = True
    assert not await proving.ask(60.0)
    assert proving.found.proof.store_problem == "the fake store is away"
    store.away = False
    assert await proving.ask(3600.0)
    assert len(during) == 1
    assert proving.found.proof.digest is not None

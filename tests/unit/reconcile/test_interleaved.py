"""Interleaved blocks: all trials of a block at once, one start, one fate."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import POD, TESTBED, TRIAL, Kind
from encbench.api.lifecycle import MEASURED
from encbench.api.trial import TrialStatus, Turns
from encbench.core.records import TrialRecord
from encbench.core.slices import read_file
from encbench.ports import Access, Body, Rejected, Unavailable
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.services import Services
from encbench.reconcile.trial import collect, slots
from encbench.reconcile.trial.facts import Patience, TrialFound, TrialGathered, TrialSeen
from encbench.reconcile.trial.gather import gather
from encbench.reconcile.trial.observe import observe
from encbench.wire.recorder import StateAnswer
from encbench.wire.slices import SlicesFile, SlotsAnswer, SlotsOrder
from tests.support import manifests
from tests.unit.reconcile import clients
from tests.unit.reconcile.oracle import recorded_images
from tests.unit.reconcile.seen import a_trial, with_status
from tests.unit.reconcile.world import SPACE, World, parts, study

INTERLEAVE = {"slice": "2s", "settle": "500ms", "rounds": 5}


def in_turns(blocks: int = 1, **more: Any) -> dict[str, Any]:
    body: dict[str, Any] = study(
        "tde", blocks={"min": blocks, "maxReplacements": 1, "interleave": {**INTERLEAVE}, **more}
    )
    return body


async def finished(world: World, body: dict[str, Any]) -> list[Trial]:
    world.apply(*parts(), body)
    await world.run(world.ended)
    return world.trials()


def record(world: World, trial: Trial) -> TrialRecord:
    key = trial.status.artefact_key
    assert key is not None
    return TrialRecord.model_validate(json.loads(world.store.objects[key]))


async def test_a_block_runs_at_once_and_starts_together() -> None:
    world = World()
    trials = await finished(world, in_turns(2))
    assert {t.status.outcome for t in trials} == {"Succeeded"}, world.describe()
    assert len(trials) == 6
    starts = {
        block: {t.status.release_at for t in trials if t.spec.block == block} for block in (1, 2)
    }
    assert all(len(moments) == 1 for moments in starts.values()), starts
    first, second = (next(iter(starts[block])) or 0.0 for block in (1, 2))
    # Two warm-up seconds, and three arms' slots of 2.05 s in five rounds.
    assert second - first > 2 + 3 * 5 * 2.05
    for trial in trials:
        assert recorded_images(world, trial) == {"server", "agent", "tool", "recorder", "turnstile"}


async def test_figures_are_those_of_the_slices() -> None:
    world = World()
    for trial in await finished(world, in_turns()):
        found = record(world, trial)
        assert found.slices is not None
        assert [row.round for row in found.slices.rows] == list(range(5))
        assert found.result is not None
        counted = sum(row.transactions for row in found.slices.rows)
        assert found.transactions == counted
        assert found.result.tps == pytest.approx(counted / (5 * 1.5), rel=1e-4)
        assert found.cpu.database is not None
        assert found.cpu.database.cores == pytest.approx(0.5, rel=1e-3)
        assert len(found.slices.server) == 3 * 5
        assert {"slots.json", "client-0/slices.json"} <= set(found.artefacts)


@pytest.mark.parametrize("skew", [300.0, -300.0, -0.8])
async def test_an_agent_whose_clock_is_wrong_reads_at_the_same_moments(skew: float) -> None:
    world = World()
    world.apply(*parts(), in_turns())
    await world.run(lambda: len(world.trials()) == 3)
    for server in world.agent.servers.values():
        assert not server.slots
        server.clock_offset = skew
    await world.run(world.ended)
    for trial in world.trials():
        stored = json.loads(world.store.objects[record(world, trial).key_of("slots.json")])
        assert trial.status.release_at is not None
        assert stored["answer"]["startAt"] == pytest.approx(trial.status.release_at + skew)
        assert record(world, trial).slices.server  # type: ignore[union-attr]


async def test_an_agent_that_fails_once_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the clients know their start, because the block would go on without the readings."""
    world = World()
    begin, failed = world.agent.begin_slots, set[str]()

    async def fails_once(address: str, access: Access, order: SlotsOrder) -> SlotsAnswer:
        if address not in failed:
            failed.add(address)
            raise Unavailable("the agent did not answer")
        return await begin(address, access, order)

    monkeypatch.setattr(world.agent, "begin_slots", fails_once)
    trials = await finished(world, in_turns())
    assert len(failed) == 3
    assert {trial.status.outcome for trial in trials} == {"Succeeded"}, world.describe()
    assert all(record(world, trial).cpu.database is not None for trial in trials)


@pytest.mark.parametrize("seconds", [0.3, 0.5, 0.7, 1.0, 1.4])
@pytest.mark.parametrize("arm", [1, 2, 3])
async def test_an_agent_that_is_slow_to_fail_does_not_break_its_block(
    seconds: float, arm: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    begin = world.agent.begin_slots

    async def slow(address: str, access: Access, order: SlotsOrder) -> SlotsAnswer:
        found = next(t for t in world.trials() if t.uid == order["run"])
        if found.spec.order == arm:
            world.clock.time += seconds
            raise Unavailable("the agent did not answer")
        return await begin(address, access, order)

    monkeypatch.setattr(world.agent, "begin_slots", slow)
    trials = await finished(world, in_turns())
    assert {trial.status.outcome for trial in trials} == {"Succeeded"}, world.describe()
    for trial in trials:
        assert (record(world, trial).cpu.database is None) == (trial.spec.order == arm)


async def test_readings_at_another_start_count_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as those of an agent that did not hear of the start that its block agreed on at last."""
    world = World()
    look = world.agent.slots

    async def elsewhere(address: str, access: Access, run: str) -> SlotsAnswer:
        answer = await look(address, access, run)
        start = answer["startAt"]
        return answer if start is None else SlotsAnswer(**{**answer, "startAt": start - 1.5})

    monkeypatch.setattr(world.agent, "slots", elsewhere)
    for trial in await finished(world, in_turns()):
        assert trial.status.outcome == "Succeeded"
        assert record(world, trial).cpu.database is None
        assert "of a start that the block did not have" in why_withheld(world, trial)


def loses(
    world: World, monkeypatch: pytest.MonkeyPatch, times: int, error: Exception
) -> dict[str, int]:
    """Each agent keeps its readings to itself that often; how often each was asked for them."""
    look, asked = world.agent.slots, dict[str, int]()

    async def answers(address: str, access: Access, run: str) -> SlotsAnswer:
        answer = await look(address, access, run)
        if answer["state"] != "unknown":
            asked[address] = asked.get(address, 0) + 1
            if asked[address] <= times:
                raise error
        return answer

    monkeypatch.setattr(world.agent, "slots", answers)
    return asked


async def test_readings_are_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    asked = loses(world, monkeypatch, 3, Unavailable("the agent did not answer"))
    trials = await finished(world, in_turns())
    assert list(asked.values()) == [4, 4, 4]
    assert {trial.status.outcome for trial in trials} == {"Succeeded"}, world.describe()
    assert all(record(world, trial).cpu.database is not None for trial in trials)


def why_withheld(world: World, trial: Trial) -> str:
    """Why the trial has no CPU of its server."""
    return record(world, trial).cpu.withheld["database"]


async def test_a_record_says_why_an_agent_s_readings_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    loses(world, monkeypatch, 9, Rejected("the agent answered with too\nmany values"))
    for trial in await finished(world, in_turns()):
        assert why_withheld(world, trial) == (
            "there are no readings of the server at the edges of the slices "
            "(the agent answered with too many values)"
        )


async def test_a_record_says_why_an_agent_stopped_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    look = world.agent.slots

    async def ended(address: str, access: Access, run: str) -> SlotsAnswer:
        answer = await look(address, access, run)
        if answer["state"] == "done":
            answer |= {"state": "failed", "rows": [], "error": "no proxy is running"}
        return answer

    monkeypatch.setattr(world.agent, "slots", ended)
    for trial in await finished(world, in_turns()):
        assert why_withheld(world, trial).endswith("of the slices (no proxy is running)")
        assert "slots.json" in record(world, trial).artefacts


async def test_a_record_says_that_an_agent_forgot_the_readings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It does when it starts anew."""
    world = World()
    look = world.agent.slots

    async def forgot(address: str, access: Access, run: str) -> SlotsAnswer:
        answer = await look(address, access, run)
        if answer["state"] == "done":
            answer["state"] = "unknown"
        return answer

    monkeypatch.setattr(world.agent, "slots", forgot)
    for trial in await finished(world, in_turns()):
        assert why_withheld(world, trial).endswith("(the agent has none of this block)")


async def test_files_of_slices_are_read_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are foreign, and those of 64 clients take seconds."""
    world = World()
    threads: list[threading.Thread] = []

    def reads(content: bytes, key: str, slots: int) -> SlicesFile:
        assert slots == 5
        threads.append(threading.current_thread())
        return read_file(content, key, slots)

    monkeypatch.setattr(collect, "read_file", reads)
    trials = await finished(world, in_turns())
    assert {trial.status.outcome for trial in trials} == {"Succeeded"}, world.describe()
    assert len(threads) == 3
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    ("exit_code", "content", "end"),
    [
        (0, b"[" + b"0," * 20_000, ("Invalid", "ArtefactsLost")),
        (0, b"", ("Invalid", "ArtefactsLost")),
        (1, b"", ("Failed", "ToolFailed")),
    ],
    ids=["many", "empty", "failed"],
)
async def test_a_file_of_slices_that_cannot_be_read_loses_only_a_run_that_ended_well(
    exit_code: int, content: bytes, end: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turnstile whose tool failed at once leaves an empty one."""
    monkeypatch.setattr(clients, "slices", lambda *_: content)
    world = World()
    world.plan = lambda _, usual: replace(usual, exit_code=exit_code)
    trials = await finished(world, in_turns())
    ends = {(trial.status.outcome, trial.status.reason) for trial in trials}
    assert end in ends, world.describe()


@pytest.mark.parametrize(
    ("rounds", "replicas", "is_long"), [(333, 8, False), (334, 8, True), (4, 9, True)]
)
async def test_many_slots_of_all_arms_or_many_clients_make_a_block_a_long_one(
    rounds: int, replicas: int, is_long: bool
) -> None:
    arms = ["a", "b", "c"]
    turns = Turns(slice_seconds=2, settle_seconds=0.5, rounds=rounds, seed=1, trials=arms)
    one = a_trial(replicas=replicas)
    one = replace(one, spec=one.spec.model_copy(update={"turns": turns}))
    deps = World().deps
    async with slots.alone(deps, one):
        assert deps.long_block.locked() == is_long


@pytest.mark.parametrize("most", [14, 15])
async def test_trials_of_a_long_block_are_read_one_at_a_time(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five rounds of three arms are a long one beyond 14 slots: their readings take much memory."""
    monkeypatch.setattr(slots, "MANY_SLOTS", most)
    world = World()
    look, get, read = world.agent.slots, world.store.get, list[bool]()

    async def asked(address: str, access: Access, run: str) -> SlotsAnswer:
        answer = await look(address, access, run)
        if answer["state"] == "done":
            read.append(world.deps.long_block.locked())
        return answer

    async def got(key: str, limit: int | None = None) -> bytes | None:
        if key.endswith("slices.json"):
            read.append(world.deps.long_block.locked())
        return await get(key, limit)

    monkeypatch.setattr(world.agent, "slots", asked)
    monkeypatch.setattr(world.store, "get", got)
    await finished(world, in_turns())
    assert read == [most < 15] * 6
    assert not world.deps.long_block.locked()


async def test_readings_are_asked_for_while_prometheus_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The agent keeps those of few blocks, and the next ones may begin meanwhile."""
    world = World()
    asked = loses(world, monkeypatch, 1, Unavailable("the agent did not answer"))
    services = Services({"Prometheus": lambda: world.metrics.raw("nothing", 0.0, 1.0)})
    world.deps = replace(world.deps, services=services)
    world.restart()
    world.apply(*parts(), in_turns())
    await world.run(lambda: any(trial.status.release_at for trial in world.trials()))
    world.metrics.away = True
    await services.look()
    await world.settle(300)
    assert list(asked.values()) == [2, 2, 2]


@pytest.mark.parametrize(("client", "outage"), [(0.7, 0), (4.0, 20)])
async def test_the_next_block_s_order_costs_no_readings(client: float, outage: int) -> None:
    """It comes before they are read where clients start fast, or once the store is back."""
    world = World()
    world.controllers.delays = replace(world.controllers.delays, client=client)
    world.apply(*parts(), in_turns(2))
    if outage:
        await world.run(partial(any_is_measured, world))
        world.store.away = True
        await world.settle(outage)
        world.store.away = False
    await world.run(world.ended)
    for trial in world.trials():
        assert record(world, trial).cpu.database is not None, trial.spec.block


def any_is_measured(world: World) -> bool:
    return any(find(trial.status.conditions, MEASURED) for trial in world.trials())


async def lost(deps: Deps, trial: Trial, seen: TrialSeen, patience: Patience) -> TrialGathered:
    """`gather` where the database's node does not answer."""
    assert seen.database is not None
    silent = replace(seen, database=replace(seen.database, is_silent=True))
    return await gather(deps, trial, silent, patience)


@pytest.mark.parametrize(
    ("error", "ready", "waits"),
    [
        (Unavailable("the agent did not answer"), True, True),
        (Unavailable("the agent did not answer"), False, False),
        (Rejected("the agent has too much to say"), True, False),
    ],
)
async def test_a_trial_ends_without_readings_that_do_not_come(
    monkeypatch: pytest.MonkeyPatch, error: Exception, ready: bool, waits: bool
) -> None:
    """The agent has the archive's time, but none where its pod or its node has gone."""
    world = World()
    asked = loses(world, monkeypatch, 10**6, error)
    body = in_turns()
    body["spec"]["stepDeadlines"] = {"archive": "2m"}
    if not ready:
        monkeypatch.setattr("encbench.reconcile.effects.trial.gather", lost)
    trials = await finished(world, body)
    for trial in trials:
        found = record(world, trial)
        assert trial.status.outcome == "Succeeded", world.describe()
        assert found.cpu.database is None
        assert "metrics.json" in found.artefacts
        assert (found.timings["windowToArchived"] > 120) is waits
    assert all((count > 1) is waits for count in asked.values())
    cpu = [query for query in world.metrics.queries if "testbed=" in query and "cpu" in query]
    assert len(cpu) == len(trials), "the samples are asked for once"


async def refuses(address: str, access: Access, order: SlotsOrder) -> SlotsAnswer:
    raise Rejected("the agent is of another mind")


async def waits(address: str, access: Access, order: SlotsOrder) -> SlotsAnswer:
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize("begin_slots", [refuses, waits])
async def test_an_agent_that_does_not_answer_costs_its_readings_and_not_the_block(
    monkeypatch: pytest.MonkeyPatch,
    begin_slots: Callable[[str, Access, SlotsOrder], Awaitable[SlotsAnswer]],
) -> None:
    world = World()
    release, released = world.recorder.release, list[tuple[float, float]]()

    async def noted(address: str, access: Access, start_at: float, *more: Any) -> StateAnswer:
        released.append((world.clock.unix(), start_at))
        return await release(address, access, start_at, *more)

    monkeypatch.setattr("encbench.reconcile.effects.trial.AGENT_SECONDS", 0.02)
    monkeypatch.setattr(world.agent, "begin_slots", begin_slots)
    monkeypatch.setattr(world.recorder, "release", noted)
    async with asyncio.timeout(30):
        trials = await finished(world, in_turns())
    assert {trial.status.outcome for trial in trials} == {"Succeeded"}, world.describe()
    assert len(released) == len(trials)
    assert all(at < start for at, start in released)
    for trial in trials:
        found = record(world, trial)
        assert (found.cpu.database, found.disk) == (None, None)
        assert "there are no readings of the server" in found.cpu.withheld["database"]


async def test_no_two_arms_ever_run_at_the_same_time() -> None:
    world = World()
    turns = sorted(
        (row.begin, row.end)
        for trial in await finished(world, in_turns())
        for row in record(world, trial).slices.rows  # type: ignore[union-attr]
    )
    assert len(turns) == 15
    assert all(end < begin for (_, end), (begin, _) in pairwise(turns))


def once(world: World, **changes: Any) -> None:
    """Changes the run of the first block's treatment."""
    world.plan = lambda trial, usual: (
        replace(usual, **changes)
        if trial.spec.block == 1 and trial.spec.arm.role == "treatment"
        else usual
    )


async def test_one_broken_trial_breaks_the_block_and_all_of_it_is_replaced() -> None:
    world = World()
    once(world, exit_code=1)
    trials = await finished(world, in_turns())
    by_block = {
        block: sorted(t.status.outcome or "" for t in trials if t.spec.block == block)
        for block in (1, 2)
    }
    assert by_block[2] == ["Succeeded"] * 3, world.describe()
    assert by_block[1].count("Failed") == 1
    assert "Succeeded" in by_block[1] or by_block[1].count("Invalid") == 2


async def test_a_block_is_replaced_whose_client_missed_a_slot() -> None:
    """Rounds are compared one by one, so every arm has to run in each of them."""
    world = World()
    once(world, left_out=1)
    trials = await finished(world, in_turns())
    (broken,) = [t for t in trials if t.status.reason == "SlotMissed"]
    assert broken.status.outcome == "Invalid"
    assert "but its tool had ended by then" in (broken.status.message or "")
    assert record(world, broken).result is None
    assert [t.status.outcome for t in trials if t.spec.block == 2] == ["Succeeded"] * 3


@pytest.mark.parametrize("skew", [0.0, 300.0])
@pytest.mark.parametrize(("connects", "outcome"), [(1.9, "Succeeded"), (2.4, "Failed")])
async def test_a_client_has_to_begin_in_the_warmup(
    connects: float, outcome: str, skew: float
) -> None:
    """Within its first slot it would count fewer transactions than it has time for."""
    world = World()
    once(world, connects=connects, skew=skew)
    trials = await finished(world, in_turns())
    (one,) = [t for t in trials if t.spec.block == 1 and t.spec.arm.role == "treatment"]
    assert one.status.outcome == outcome, one.status.message
    if outcome == "Failed":
        said = "the load of client 0 began 0.4 s after load.warmup"
        assert (one.status.message or "").startswith(said)


async def test_a_client_that_dies_ends_its_siblings() -> None:
    world = World()
    world.apply(*parts(), in_turns())
    await world.run(world.running(3))
    await world.settle(5)
    world.cluster.remove(POD, SPACE, f"{world.trials()[0].name}-0-x")
    await world.run(world.ended)
    first = [t for t in world.trials() if t.spec.block == 1]
    reasons = sorted(t.status.reason or "" for t in first)
    assert reasons == ["BlockBroken", "BlockBroken", "Disrupted"], world.describe()


async def test_no_client_of_a_broken_block_runs_beside_the_next_one() -> None:
    world = World()
    world.cluster.grace_seconds = 60
    world.controllers.delays = replace(world.controllers.delays, end=10.0)
    world.apply(*parts(), in_turns())
    await world.run(world.running(3))
    await world.settle(5)
    world.cluster.remove(POD, SPACE, f"{world.trials()[0].name}-0-x")
    await world.run(lambda: any(t.spec.block == 2 and t.status.release_at for t in world.trials()))
    assert "running" not in {client.status for client in world.recorder.clients.values()}


@pytest.mark.parametrize("after", [0.5, 3.0, 8.0, 20.0])
async def test_an_operator_that_dies_changes_nothing(after: float) -> None:
    world = World()
    world.apply(*parts(), in_turns())
    await world.run(lambda: len(world.trials()) == 3)
    await world.settle(after)
    world.restart()
    await world.run(world.ended)
    good = [t for t in world.trials() if t.status.outcome == "Succeeded"]
    assert len(good) == 3, world.describe()


def slows_starts(world: World, seconds: Callable[[int], float]) -> dict[str, list[float | None]]:
    """Each write of a start takes that long, by the trial's place in the block; those written."""
    apply, written = world.cluster.apply_status, dict[str, list[float | None]]()

    async def slow(kind: Kind, body: Body) -> Body:
        if kind == TRIAL:
            known = written.setdefault(body["metadata"]["name"], [])
            start = (body.get("status") or {}).get("releaseAt")
            if (known or [None])[-1] != start:
                known.append(start)
                world.clock.time += seconds(body["spec"]["order"])
        return await apply(kind, body)

    world.cluster.apply_status = slow  # type: ignore[method-assign]
    return written


@pytest.mark.parametrize("seconds", [2.4, 3.7, 6.0, 8.0])
@pytest.mark.parametrize("slow", [{1}, {1, 2}, {1, 2, 3}], ids=str)
async def test_an_api_server_that_is_slow_puts_the_start_off(
    slow: set[int], seconds: float
) -> None:
    world = World()
    written = slows_starts(world, lambda order: seconds if order in slow else 0.0)
    trials = await finished(world, in_turns())
    assert [trial.status.outcome for trial in trials] == ["Succeeded"] * 3, world.describe()
    assert len({trial.status.release_at for trial in trials}) == 1
    if seconds * len(slow) < 6:
        assert all(len(starts) == 1 for starts in written.values())
    for trial in trials:
        found = record(world, trial)
        assert found.slices is not None
        assert found.slices.server, "the agent has read at the edges of these slots"


async def test_a_start_that_never_comes_in_time_is_given_up() -> None:
    world = World()
    slows_starts(world, lambda _: 12.0)
    trials = await finished(world, in_turns())
    assert {trial.status.reason for trial in trials} == {"StartTimeout", "BlockBroken"}
    assert all(client.status == "waiting" for client in world.recorder.clients.values())


@pytest.mark.parametrize("order", [1, 2, 3])
async def test_a_block_whose_clients_were_released_in_part_is_broken(
    order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that was released cannot be called back, so no other start can be agreed on."""
    world = World()
    release = world.recorder.release
    world.apply(*parts(), in_turns())
    await world.run(lambda: len(world.trials()) == 3)
    bed = next(t.spec.testbed_ref.name for t in world.trials() if t.spec.order == order)

    async def released(address: str, *more: Any) -> StateAnswer:
        if world.recorder.recorders[address].testbed == bed and world.clock.time < until:
            raise Unavailable("the recorder does not answer")
        return await release(address, *more)

    until = world.clock.time + 30
    monkeypatch.setattr(world.recorder, "release", released)
    await world.run(world.ended)
    first = [trial for trial in world.trials() if trial.spec.block == 1]
    assert "Succeeded" not in {trial.status.outcome for trial in first}
    assert "Disrupted" in {trial.status.reason for trial in first}


async def test_solo_blocks_come_after_and_run_alone() -> None:
    world = World()
    trials = await finished(world, in_turns(solo=1))
    alone = [t for t in trials if t.spec.turns is None]
    assert {t.spec.block for t in alone} == {1001}
    assert {t.status.outcome for t in trials} == {"Succeeded"}
    starts = sorted(t.status.release_at or 0.0 for t in alone)
    assert all(later - earlier > 8 for earlier, later in pairwise(starts))


def waiting(status: TrialStatus) -> str:
    fact = find(status.conditions, "Released")
    return fact.reason if fact else ""


@pytest.mark.parametrize(
    ("facts", "ready"),
    [
        ({"Released": "False"}, True),
        ({"Released": "False", "Alone": "True"}, True),
        ({"Released": "False", "Alone": "False"}, False),
        ({"Alone": "False"}, False),
        ({}, False),
    ],
)
async def test_a_sibling_is_ready_once_its_nodes_are_its_own(
    facts: dict[str, str], ready: bool
) -> None:
    world = World()
    world.apply(*parts(), in_turns())
    await world.run(lambda: len(world.trials()) == 3)
    first, other, _ = sorted(world.trials(), key=lambda one: one.spec.order)
    known = {"Prepared": ("True", 1.0), "ProvenBefore": ("True", 1.0)}
    known |= {kind: (value, 1.0) for kind, value in facts.items()}
    status = with_status(manifests.body(TRIAL, other.name, SPACE), known)["status"]
    world.cluster.set_status(TRIAL, SPACE, other.name, status)
    seen = await observe(world.deps, first, TrialFound())
    assert [one.ready for one in seen.siblings] == [ready, False]
    assert [one.under_way for one in seen.siblings] == [not ready, True]
    assert [one.ready_since is not None for one in seen.siblings] == [ready, False]


async def test_a_trial_that_is_made_again_alone_ends_at_once() -> None:
    """A person deleted one of a finished block; its siblings start no second time."""
    world = World()
    trials = await finished(world, in_turns())
    for gone in trials:
        seen = await observe(world.deps, replace(gone, status=TrialStatus()), TrialFound())
        assert all(one.ended for one in seen.siblings)
        assert not any(one.under_way for one in seen.siblings)


async def test_a_trial_says_that_it_waits_for_the_others() -> None:
    world = World()
    world.apply(*parts(), in_turns())
    await world.run(lambda: any(waiting(t.status) == "Waiting" for t in world.trials()))
    assert {t.status.phase for t in world.trials()} <= {"Preparing", "Running", "Pending"}


@pytest.mark.parametrize(("said", "part"), [({}, 1), ({"databaseCpu": "Shared"}, 3)])
async def test_databases_may_request_the_cpu_of_one(said: dict[str, Any], part: int) -> None:
    world = World()
    body = in_turns()
    body["spec"]["blocks"]["interleave"] |= said
    world.apply(*parts(), body)
    await world.run(lambda: len(world.cluster.all(TESTBED, SPACE)) == 3)
    assert {bed["spec"]["cpuShare"] for bed in world.cluster.all(TESTBED, SPACE)} == {part}


@pytest.mark.parametrize("uid", ["", "of-an-earlier-one"])
async def test_trials_of_an_earlier_campaign_of_that_name_are_not_there(uid: str) -> None:
    """They may still be being deleted, and have ended."""
    world = World()
    first, *_ = await finished(world, in_turns())
    ref = first.spec.campaign_ref
    own = first.spec.model_copy(
        update={"campaign_ref": ref.model_copy(update={"uid": uid or ref.uid})}
    )
    anew = replace(first, spec=own, status=TrialStatus())
    seen = await observe(world.deps, anew, TrialFound())
    assert {sibling.ended for sibling in seen.siblings} == {not uid}

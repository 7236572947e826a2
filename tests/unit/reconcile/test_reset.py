"""Resets and residency in whole campaigns: which data and which start each trial is measured on."""

import json
from functools import partial
from typing import Any, NoReturn

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import JOB, POD, STATEFUL_SET, TESTBED, TRIAL
from encbench.kube import labels
from encbench.ports import Unavailable
from tests.support.fake_agent import FakeServer
from tests.unit.reconcile.driver import Killed, now_and_then
from tests.unit.reconcile.killing import Killer, Write, kind_of, watch_cluster
from tests.unit.reconcile.oracle import assert_sound, final_state, leftovers
from tests.unit.reconcile.world import SPACE, World, parts, study


def databases(world: World) -> set[str]:
    return {body["metadata"]["name"] for body in world.latest(POD.kind, "-0")}


async def finished(world: World) -> World:
    await world.run(world.ended)
    await world.settle()
    assert_sound(world)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    return world


def histories(world: World) -> list[list[str]]:
    """What each testbed's data went through, without the trials' names before the block."""
    return [
        [step.replace("study-", "").split("-t2-")[-1] for step in steps]
        for _, steps in sorted(world.controllers.copies.items())
    ]


def trials_on(world: World, testbed: str) -> list[str]:
    """As their starts are named, in order."""
    own = [t for t in world.trials() if t.spec.testbed_ref.name == testbed]
    return [f"{t.name}.{t.uid}" for t in sorted(own, key=lambda t: t.status.start_time or "")]


@pytest.mark.parametrize("events", [True, False], ids=["events", "no events"])
async def test_every_trial_starts_from_the_golden_copy(events: bool) -> None:
    world = World(events=events)
    world.apply(*parts(), study("plain", blocks=2, reset="trial"))
    await finished(world)
    assert len(world.trials()) == 4
    for testbed, steps in world.controllers.copies.items():
        own = trials_on(world, testbed)
        assert len(own) == 2
        resets = [step for name in own for step in (f"restored {name}", f"started {name}")]
        assert steps == ["started", "copied golden", "started golden", *resets]


async def test_the_proof_is_of_a_server_that_started_from_the_golden_copy() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, reset="trial"))
    await world.run(lambda: bool(world.store.written))
    proven = [key for key in world.store.written if key.endswith("proof.json")]
    assert proven
    for key in proven:
        name = key.split("/")[-2]
        assert world.controllers.copies[name][-1] == "started golden"
    await finished(world)


async def test_a_block_number_is_reset_once_for_all_its_conditions() -> None:
    world = World()
    load = {"concurrency": [2, 4], "warmup": "2s", "duration": "6s"}
    world.apply(*parts(load=load), study("plain", blocks=2, reset="block"))
    await finished(world)
    assert len(world.trials()) == 8
    for steps in world.controllers.copies.values():
        resets = [s for n in (1, 2) for s in (f"restored block-{n}", f"started block-{n}")]
        assert steps == ["started", "copied golden", "started golden", *resets]


@pytest.mark.parametrize("reset", ["none", "trial"])
async def test_on_demand_only_the_measured_database_runs(reset: str) -> None:
    world = World()
    most, while_measured = 0, []

    def look() -> bool:
        nonlocal most
        there = databases(world)
        if any(client.status == "running" for client in world.recorder.clients.values()):
            while_measured.append(there)
        most = max(most, len(there))
        return world.ended()

    world.apply(*parts(), study("tde", blocks=1, reset=reset, residency="OnDemand"))
    await world.run(look)
    await finished(world)
    assert most == 1, "their memory does not fit side by side"
    assert {len(there) for there in while_measured} == {1}
    assert len(set().union(*while_measured)) == 3
    for testbed, steps in world.controllers.copies.items():
        (own,) = trials_on(world, testbed)
        golden = ["copied golden", "started golden"] if reset == "trial" else []
        restored = [f"restored {own}"] if reset == "trial" else []
        assert steps == ["started", *golden, *restored, f"started {own}"]


@pytest.mark.parametrize("residency", ["OnDemand", "Resident"])
async def test_a_trial_that_is_made_again_is_measured_on_a_start_of_its_own(residency: str) -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, reset="trial", residency=residency))
    await world.run(world.running())
    gone = next(t for t in world.trials() if t.status.release_at and not t.status.window)
    world.cluster.remove(TRIAL, SPACE, gone.name)
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    assert world.cluster.created[TRIAL.kind, gone.name] == 2
    (again,) = [t for t in world.trials() if t.name == gone.name]
    steps = world.controllers.copies[gone.spec.testbed_ref.name]
    assert [step for step in steps if gone.name in step] == [
        f"{step} {one.name}.{one.uid}" for one in (gone, again) for step in ("restored", "started")
    ]


async def test_an_idle_testbed_says_that_it_is() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=1, residency="OnDemand"))
    await world.run(world.running())
    phases = sorted(b["status"]["phase"] for b in world.cluster.all(TESTBED, SPACE))
    assert phases == ["Idle", "Idle", "Ready"]
    replicas = sorted(b["spec"]["replicas"] for b in world.cluster.all(STATEFUL_SET, SPACE))
    assert replicas == [0, 0, 1]
    await finished(world)


async def test_with_a_cold_cache_every_trial_has_a_start_of_its_own_and_the_data_stays() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=2, cache="Cold"))
    await finished(world)
    for testbed, steps in world.controllers.copies.items():
        assert steps == ["started", *(f"started {name}" for name in trials_on(world, testbed))]


async def test_nothing_is_restarted_where_nobody_asks_for_it() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=2))
    await finished(world)
    assert list(world.controllers.copies.values()) == [["started"], ["started"]]
    applied = [call for call in world.cluster.calls if call.kind == STATEFUL_SET and call.writes]
    assert len(applied) == 2


async def test_a_reset_is_not_taken_for_a_crash_and_a_crash_is_not_taken_for_a_reset() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, reset="trial"))
    await world.run(world.running())
    await world.settle(3)
    (name,) = [t.spec.testbed_ref.name for t in world.trials()]
    world.cluster.remove(POD, SPACE, f"{name}-0")
    await finished(world)
    ends = sorted((t.status.outcome or "", t.status.reason or "") for t in world.trials())
    # The other arm's trial of the broken block is not run any more.
    assert ends == [("Invalid", "Disrupted"), ("Succeeded", ""), ("Succeeded", "")]
    own = trials_on(world, name)
    again = [f"restored {own[0]}", f"started {own[0]}", f"started {own[0]}"]
    then = [step for trial in own[1:] for step in (f"restored {trial}", f"started {trial}")]
    steps = world.controllers.copies[name]
    assert steps[3:] == [*again, *then], "what the crash left is never measured on"


async def test_a_copy_that_is_refused_fails_the_testbed_with_its_words() -> None:
    world = World()
    world.controllers.refuses = '{"failure": "the golden copy takes 9 MiB, there are 3 MiB"}'
    world.apply(*parts(), study("plain", blocks=1, reset="trial"))
    await world.run(world.ended, seconds=600)
    failed = find(world.campaign().status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "TestbedFailed"
    assert "the golden copy takes 9 MiB, there are 3 MiB" in failed.message


@pytest.mark.parametrize("what", ["unwritten", "reading_back"])
async def test_the_next_trial_waits_until_the_server_is_at_rest(what: str) -> None:
    """Until its changes are written, and its pool is full again."""
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    (trial,) = world.trials()
    for server in world.agent.servers.values():
        setattr(server, what, 5)
    await world.run(
        lambda: any(t.status.release_at for t in world.trials() if t.name != trial.name)
    )
    assert {getattr(server, what) for server in world.agent.servers.values()} == {0}
    await finished(world)
    settled = [address for method, address in world.agent.calls if method == "settle"]
    # Five rounds that did not settle it and one that did, before and after each trial.
    assert len(settled) >= 2 * 2 + 5


@pytest.mark.parametrize("fails", [False, True], ids=["", "with a proof that fails at first"])
async def test_a_record_says_what_waited_to_be_written_after_its_trial(fails: bool) -> None:
    """A second settling finds nothing, because the first has written it.

    What waited before the trial is none of it.
    """
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: len(world.agent.servers) == 2)
    for server in world.agent.servers.values():
        server.dirty_bytes = 3 << 20
    await world.run(world.running())
    (trial,) = world.trials()
    for server in world.agent.servers.values():
        server.unwritten, server.dirty_bytes = 2, 7 << 20
        server.answers = partial(_unreadable, server) if fails else None
    await world.run(world.ended)
    key = f"/trials/{trial.uid}/trial.json"
    (own,) = (one for one in world.store.objects if one.endswith(key))
    assert json.loads(world.store.objects[own])["dirtyBytes"] == 7 << 20


@pytest.mark.parametrize("is_other", [False, True], ids=["", "with its agent"])
async def test_what_waited_is_known_to_the_process_that_goes_on(is_other: bool) -> None:
    """Of an operator that is killed once its server is at rest, with the second proof to come."""
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: len(world.agent.servers) == 2)
    await world.run(world.running())
    (trial,) = world.trials()
    for server in world.agent.servers.values():
        server.dirty_bytes = 7 << 20
        server.answers = partial(_killing, server, is_other)
    await world.run(world.ended)
    assert world.deaths == 2, "once for each server"
    key = f"/trials/{trial.uid}/trial.json"
    (own,) = (one for one in world.store.objects if one.endswith(key))
    found = json.loads(world.store.objects[own]).get("dirtyBytes")
    assert found == (None if is_other else 7 << 20)


def _killing(server: FakeServer, is_other: bool, full: bool) -> NoReturn:
    """The operator ends, and maybe the agent's process too."""
    server.answers = None
    server.asked = None if is_other else server.asked
    raise Killed(f"full: {full}")


def _unreadable(server: FakeServer, full: bool) -> NoReturn:
    """No evidence, this once."""
    server.answers = None
    raise Unavailable(f"cannot read a file, full: {full}")


# -- the operator dies


def prepared(residency: str) -> World:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, reset="trial", residency=residency))
    return world


async def killed(residency: str, targets: list[Write], after: bool) -> tuple[World, Killer]:
    world, killer = prepared(residency), Killer(targets, after=after)
    watch_cluster(world, killer)
    await world.run(world.ended)
    await world.settle(150)
    assert_sound(world)
    return world, killer


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("residency", ["Resident", "OnDemand"])
async def test_killed_at_every_write_about_a_start(residency: str, after: bool) -> None:
    whole, killer = await killed(residency, [], after)
    kinds = ("StatefulSet", "Testbed")
    writes = [w for w in dict.fromkeys(killer.log) if kind_of(w) in kinds]
    assert len([w for w in writes if kind_of(w) == "StatefulSet"]) >= 8
    for first in range(3):
        targets = writes[first::3]
        world, killer = await killed(residency, targets, after)
        assert world.deaths == len(targets) - len(killer.left)
        assert len(killer.left) < len(targets)
        assert final_state(world) == final_state(whole), f"killed at {targets}"
        assert histories(world) == histories(whole)


@pytest.mark.parametrize("seed", range(3))
async def test_two_operators_do_not_stop_each_others_databases(seed: int) -> None:
    world = World()
    world.add_hesitant_operator(now_and_then(seed, chance=0.2, longest=10.0))
    world.apply(*parts(), study("plain", blocks=2, reset="trial"))
    await finished(world)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}


async def test_clients_that_an_operator_starts_after_a_trial_s_end_go_again() -> None:
    """One that was stopped for longer than the trial took, between its last look and this act."""
    world = World()
    left = [25.0]

    def hesitation(request: str, args: tuple[Any, ...]) -> float:
        if request == "create" and args[0] == JOB and left:
            return left.pop() if args[1]["metadata"]["labels"].get(labels.TRIAL) else 0.0
        return 0.0

    world.add_hesitant_operator(hesitation, first=True)
    world.apply(*parts(), study("plain", blocks=2, reset="trial"))
    await world.run(world.ended)
    await world.settle()
    made = {name: n for (kind, name), n in world.cluster.created.items() if kind == JOB.kind}
    assert sorted(made.values()) == [1, 1, 1, 1, 1, 2]
    assert not leftovers(world)
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}

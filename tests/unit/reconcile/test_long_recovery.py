"""Recoveries that take longer than a start of the database may, while its pod is not ready."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.workload import Recovery
from encbench.reconcile.stage import may_stop_its_server
from tests.support.fake_agent import FakeServer, FakeStop
from tests.unit.reconcile.seen import a_trial
from tests.unit.reconcile.stopped import crashing, finished, lose_client, stops
from tests.unit.reconcile.world import World

PROVISION, RECOVERY = 10.0, 60.0


DEADLINES = {"provision": f"{PROVISION:.0f}s", "recovery": f"{RECOVERY:.0f}s"}


def slowly(seconds: float, stop: str = "Crash", *, lost: bool = False, **spec: Any) -> World:
    """A campaign whose servers need so long to answer again, or never do."""
    world = crashing(stop, stepDeadlines=DEADLINES, **spec)

    def change(server: FakeServer, _: FakeStop) -> None:
        server.recovery_seconds, server.lost = seconds, lost

    stops(world, change)
    return world


@pytest.mark.parametrize("stop", ["Crash", "Clean"])
async def test_it_counts_and_is_no_hindrance(stop: str) -> None:
    world = await finished(slowly(3 * PROVISION, stop))
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}, world.describe()
    assert "PodNotReady" not in {event.reason for event in world.cluster.events}


async def test_one_that_never_ends_fails_its_trial_and_not_its_testbed() -> None:
    world = await finished(slowly(0.0, lost=True))
    for trial in world.trials():
        assert (trial.status.outcome, trial.status.reason) == ("Failed", "RecoveryFailed")


async def test_the_block_after_it_waits_for_the_set_that_is_lost_with_it() -> None:
    world = crashing(stepDeadlines=DEADLINES, replacements=1)
    stopped: list[str] = []

    def first(server: FakeServer, stop: FakeStop) -> None:
        stopped.append(stop.run)
        server.lost = stop.run == stopped[0]

    stops(world, first)
    await finished(world)
    status = world.campaign().status
    assert (status.phase, len(status.lost_sets)) == ("Succeeded", 1), world.describe()


async def test_the_server_of_a_trial_that_ends_early_comes_back_as_well() -> None:
    world = slowly(3 * PROVISION, replacements=1)
    seen: list[str] = []

    def first(_: FakeServer, stop: FakeStop) -> None:
        if not seen:
            world.timeline.at(stop.due + 3, lambda: lose_client(world, stop.run))
        seen.append(stop.run)

    stops(world, first)
    await finished(world)
    early = next(t for t in world.trials() if t.uid == seen[0])
    assert (early.status.outcome, early.status.reason) == ("Invalid", "Disrupted")
    status = world.campaign().status
    assert (status.phase, status.lost_sets) == ("Succeeded", []), world.describe()


def test_its_deadlines_hold_from_its_release_to_its_end() -> None:
    trial = a_trial({"Released": ("True", 1.0)})
    assert not may_stop_its_server(trial), "it stops none"
    workload = trial.spec.workload.model_copy(update={"recovery": Recovery(stop="Crash")})
    spec = trial.spec.model_copy(update={"workload": workload})
    assert may_stop_its_server(replace(trial, spec=spec))
    assert not may_stop_its_server(replace(a_trial(), spec=spec)), "before"
    for facts, may in (({}, True), ({"Measured": ("False", 2.0)}, False)):
        over = a_trial({"Released": ("True", 1.0), **facts}, outcome="Failed")
        assert may_stop_its_server(replace(over, spec=spec)) is may, "after"

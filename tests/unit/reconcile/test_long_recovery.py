"""Recoveries that take longer than a start of the database may, while its pod is not ready."""

from dataclasses import replace

import pytest

from encbench.api.workload import Recovery
from encbench.reconcile.stage import may_stop_its_server
from tests.support.fake_agent import FakeServer, FakeStop
from tests.unit.reconcile.seen import a_trial
from tests.unit.reconcile.stopped import crashing, finished, stops
from tests.unit.reconcile.world import World

PROVISION, RECOVERY = 10.0, 60.0


def slowly(seconds: float, stop: str = "Crash", *, lost: bool = False) -> World:
    """A campaign whose servers need so long to answer again, or never do."""
    world = crashing(
        stop, stepDeadlines={"provision": f"{PROVISION:.0f}s", "recovery": f"{RECOVERY:.0f}s"}
    )

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


def test_its_deadlines_hold_from_its_release_to_its_end() -> None:
    trial = a_trial({"Released": ("True", 1.0)})
    assert not may_stop_its_server(trial), "it stops none"
    workload = trial.spec.workload.model_copy(update={"recovery": Recovery(stop="Crash")})
    spec = trial.spec.model_copy(update={"workload": workload})
    assert may_stop_its_server(replace(trial, spec=spec))
    assert not may_stop_its_server(replace(a_trial(), spec=spec)), "before"
    over = a_trial({"Released": ("True", 1.0)}, outcome="Failed")
    assert not may_stop_its_server(replace(over, spec=spec)), "after"

"""A client whose clock is wrong: lengths are the tool's own, and Prometheus is asked rightly."""

from dataclasses import replace

import pytest

from encbench.core.artefact import decode
from encbench.core.records import TrialRecord
from tests.unit.reconcile.oracle import assert_sound
from tests.unit.reconcile.timeline import START
from tests.unit.reconcile.world import DURATION, World, parts, study


async def records(skew: float) -> tuple[World, list[TrialRecord]]:
    world = World()
    world.plan = lambda trial, usual: replace(usual, skew=skew)
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    assert world.clock.time - START < 120, "nobody waits for another clock"
    assert_sound(world)
    found = [(t.status.artefact_key or "") for t in world.trials()]
    return world, [decode(TrialRecord, world.store.objects[key], key) for key in found]


@pytest.mark.parametrize("skew", [300.0, -300.0])
async def test_the_skew_is_recorded_and_nothing_else_changes(skew: float) -> None:
    _, right = await records(0.0)
    _, wrong = await records(skew)
    for one, other in zip(right, wrong, strict=True):
        assert other.clients[0].clock_skew_seconds == pytest.approx(skew, abs=0.1)
        assert other.window is not None
        assert one.window is not None
        assert other.window.start == pytest.approx(one.window.start, abs=0.1)
        assert other.window.end - other.window.start == pytest.approx(DURATION)
        assert other.cpu.database is not None
        assert one.cpu.database is not None
        assert other.cpu.database.cores == pytest.approx(one.cpu.database.cores)
        assert other.result is not None
        assert one.result is not None
        assert other.result.tps == one.result.tps


async def test_a_clock_that_is_right_is_not_corrected() -> None:
    world, found = await records(0.5)
    assert [record.clients[0].clock_skew_seconds for record in found] == [0.0, 0.0]
    for record in found:
        series = record.key_of("client-0/series.csv")
        first = float(world.store.objects[series].splitlines()[1].split(b",")[0])
        assert record.window is not None
        assert first < record.window.start

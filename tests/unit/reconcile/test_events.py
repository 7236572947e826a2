"""Lost, late and repeated events, and two operators at once: nothing twice, nothing forgotten."""

import pytest

from tests.unit.reconcile.oracle import assert_sound, final_state, leftovers
from tests.unit.reconcile.watched import Change
from tests.unit.reconcile.world import START, World, parts, study


async def test_without_any_event_the_sweep_finds_everything() -> None:
    deaf, usual = World(events=False), World()
    for world in (deaf, usual):
        world.apply(*parts(), study("plain", blocks=1))
        await world.run(world.ended)
        await world.settle(150)
        assert_sound(world)
    assert final_state(deaf) == final_state(usual)
    assert not leftovers(deaf)


async def test_old_and_repeated_events_change_nothing() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    seen: list[Change] = []

    def look() -> bool:
        seen.extend(world.delivered)
        return world.ended()

    await world.run(look)
    await world.settle()
    before = len(world.cluster.writes), len(world.store.written), dict(world.cluster.created)
    assert len(seen) > 100
    for change in seen:
        world.operators[0].see(change)
    await world.settle(300)
    after = len(world.cluster.writes), len(world.store.written), dict(world.cluster.created)
    assert after == before


async def test_a_deleted_trial_whose_events_come_late_is_not_made_again() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1, ttlSecondsAfterFinished=10))
    await world.run(world.ended)
    trials = [Change(t.kind, t.body) for t in world.trials()]
    await world.settle(60)
    assert not world.trials()
    for change in trials:
        world.operators[0].see(change)
    await world.settle(60)
    assert not world.trials()


@pytest.mark.parametrize("seed", range(6))
async def test_two_operators_at_once_do_everything_once(seed: int) -> None:
    alone, both = World(), World()
    both.add_hesitant_operator(seed, chance=0.1, longest=6.0)
    for world in (alone, both):
        world.apply(*parts(), study("plain", blocks=1))
        await world.run(world.ended)
        await world.settle(150)
        assert_sound(world)
    assert final_state(both) == final_state(alone)
    assert not leftovers(both)
    runs = sorted((t.status.window.start, t.status.window.end) for t in both.trials() if t.status.window)
    assert all(end < start for (_, end), (start, _) in zip(runs, runs[1:], strict=False))
    assert runs[0][0] > START

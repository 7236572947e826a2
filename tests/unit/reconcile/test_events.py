"""Lost, late and repeated events, and two operators at once: nothing twice, nothing forgotten."""

from tests.unit.reconcile.driver import now_and_then
from tests.unit.reconcile.oracle import FinalState, assert_sound, final_state, leftovers
from tests.unit.reconcile.watched import Change
from tests.unit.reconcile.world import World, parts, study


async def test_without_any_event_the_sweep_finds_everything() -> None:
    assert await finished(World(events=False)) == await finished(World())


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


async def test_two_operators_at_once_do_everything_once() -> None:
    usual = await finished(World())
    for seed in range(4):
        world = World()
        world.add_hesitant_operator(now_and_then(seed, chance=0.1, longest=6.0))
        assert await finished(world) == usual, seed
        windows = [t.status.window for t in world.trials()]
        (_, first), (second, _) = sorted((w.start, w.end) for w in windows if w)
        assert first < second


async def finished(world: World) -> FinalState:
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    await world.settle(150)
    assert_sound(world)
    assert not leftovers(world)
    return final_state(world)

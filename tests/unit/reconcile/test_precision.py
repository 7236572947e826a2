"""Two stages in a whole campaign: the pilot fixes the number of blocks once, and nothing else does.

The trials' TPS are drawn from their names, so that two runs of one plan measure the same.
"""

from dataclasses import replace
from typing import Any

from encbench.api.kinds import CAMPAIGN
from encbench.core.naming import digest
from encbench.ports import Body
from encbench.reconcile.objects import Trial
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.oracle import assert_sound, final_state, leftovers, report
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study


def precise() -> Body:
    """A campaign with a pilot of four blocks and at most one more."""
    blocks = {"min": 4, "max": 5, "maxReplacements": 2}
    return study("plain", blocks=blocks, precision={"targetHalfWidth": 0.02})


def noisy() -> World:
    """A world whose trials at two threads differ by 20 %, and at eight hardly at all."""

    def plan(trial: Trial, usual: Plan) -> Plan:
        noise = int(digest(["noise", trial.name])[:4], 16) / 0xFFFF - 0.5
        spread = 0.2 if trial.spec.concurrency == 2 else 0.001
        return replace(usual, tps=round(usual.tps * (1 + spread * noise)))

    world = World()
    world.plan = plan
    return world


async def test_a_condition_with_its_blocks_stops_while_another_goes_on_to_the_cap() -> None:
    world = noisy()
    load = {"concurrency": [2, 8], "warmup": "2s", "duration": "6s"}
    world.apply(*parts(load=load), precise())
    await world.run(world.ended)
    await world.settle()
    assert_sound(world)
    assert not leftovers(world)
    status = world.campaign().status
    plans = {plan.concurrency: plan for plan in status.block_plans}
    assert (plans[8].planned_blocks, plans[8].wanted_blocks, plans[8].capped) == (4, 4, False)
    assert (plans[2].planned_blocks, plans[2].pilot_blocks, plans[2].capped) == (5, 4, True)
    assert plans[2].widest_arm == "plain-control"
    assert plans[2].wanted_blocks is not None
    assert plans[2].wanted_blocks > 100
    assert {t.spec.block for t in world.trials() if t.spec.concurrency == 8} == {1, 2, 3, 4}
    assert {t.spec.block for t in world.trials() if t.spec.concurrency == 2} == {1, 2, 3, 4, 5}
    assert status.progress.planned == status.progress.succeeded == 2 * (4 + 5)
    rows = report(world).status.rows
    assert {(r.concurrency, r.blocks, r.planned_blocks) for r in rows} == {(2, 5, 5), (8, 4, 4)}
    artefacts = report(world).status.artefacts
    assert artefacts is not None
    page = world.store.objects[artefacts.json_.key].decode()
    assert "capped at 5 blocks where the pilot asked for" in page


async def finished(stop_at: int | None = None) -> World:
    """A campaign run to its end, and suspended for a while once that many trials have begun."""
    world = noisy()
    world.apply(*parts(), precise())
    if stop_at is not None:
        await world.run(
            lambda: sum(t.status.release_at is not None for t in world.trials()) >= stop_at
        )
        world.cluster.set_spec(CAMPAIGN, SPACE, NAME, suspend=True)
        await world.settle(100)
        assert len(world.trials()) == stop_at, "nothing new is started"
        assert world.campaign().status.phase == "Suspended"
        world.cluster.set_spec(CAMPAIGN, SPACE, NAME, suspend=False)
    await world.run(world.ended)
    await world.settle(120)
    assert_sound(world)
    return world


async def test_suspending_and_resuming_changes_no_result() -> None:
    undisturbed = await finished()
    for stop_at in (3, 8):  # in the pilot, and with the pilot's last trial under way
        world = await finished(stop_at)
        assert final_state(world) == final_state(undisturbed)
        assert world.campaign().status.block_plans == undisturbed.campaign().status.block_plans
        assert rows(world) == rows(undisturbed)
        assert order(world) == order(undisturbed)


def rows(world: World) -> list[dict[str, Any]]:
    return [row.to_dict() for row in report(world).status.rows]


def order(world: World) -> list[tuple[Any, ...]]:
    """What ran, where, and with which seed, in the order it ran."""
    ran = sorted(world.trials(), key=lambda t: t.status.release_at or 0.0)
    return [(t.name, t.spec.testbed_ref.name, t.spec.seed, t.spec.block, t.spec.order) for t in ran]

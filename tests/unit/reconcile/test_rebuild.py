"""Testbeds in a whole campaign: turns on them, and sets that are built anew."""

from dataclasses import replace
from datetime import datetime
from functools import partial

import pytest

from encbench.api.conditions import is_true
from encbench.api.kinds import POD, STATEFUL_SET, TESTBED, TRIAL
from encbench.core.artefact import decode
from encbench.core.plan import building_order, cells
from encbench.core.records import IndexRecord
from encbench.kube import labels
from encbench.reconcile.campaign import children
from encbench.reconcile.campaign.decide import IDLE
from encbench.reconcile.pods import ENDING_SLACK
from tests.unit.reconcile.oracle import assert_sound, leftovers, report
from tests.unit.reconcile.world import SPACE, World, parts, study

REBUILT = {"min": 4, "maxReplacements": 1, "perTestbed": 1}


async def test_baseline_and_control_take_turns_on_two_testbeds() -> None:
    world = World()
    world.apply(*parts(), study("tde", blocks=2))
    await world.run(world.ended)
    homes = {
        (t.spec.block, t.spec.arm.name): t.spec.testbed_ref.name.rsplit("-", 1)[-1]
        for t in world.trials()
    }
    assert {home for (_, arm), home in homes.items() if arm == "tde"} == {"tde"}
    swapped = [homes[block, "plain"] == "control" for block in (1, 2)]
    for block, is_swapped in enumerate(swapped, 1):
        assert homes[block, "plain-control"] == ("plain" if is_swapped else "control")
    assert swapped[0] != swapped[1]
    assert_sound(world)


async def test_testbeds_are_built_anew_and_the_old_ones_go() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=REBUILT))
    together: list[set[int]] = []

    def look() -> bool:
        sets = {body["spec"]["generation"] for body in world.latest(TESTBED.kind, "")}
        if sets and (not together or together[-1] != sets):
            together.append(sets)
        return world.ended()

    await world.run(look)
    await world.settle()
    assert is_true(world.campaign().status.conditions, "Complete")
    assert together == [{1}, {2}, {3}, {4}], "one set at a time, each once"
    made = [name for kind, name in world.cluster.created if kind == STATEFUL_SET.kind]
    assert len(made) == len(set(made)) == 8
    for trial in world.trials():
        mark = f"g{trial.spec.block}-" if trial.spec.block > 1 else "-"
        assert mark in trial.spec.testbed_ref.name.removeprefix("study-c")
    assert_sound(world)
    assert not leftovers(world)
    artefacts = report(world).status.artefacts
    assert artefacts is not None
    index = decode(IndexRecord, world.store.objects[artefacts.index.key], artefacts.index.key)
    assert [(t.generation, t.arm) for t in index.testbeds] == [
        (generation, arm) for generation in (1, 2, 3, 4) for arm in ("plain", "plain-control")
    ]
    assert all(t.proof is not None and t.proof.ok for t in index.testbeds)
    assert {t.spec.testbed_ref.name for t in world.trials()} == {t.name for t in index.testbeds}


@pytest.mark.parametrize("residency", ["Resident", "OnDemand"])
async def test_each_set_is_built_in_an_order_of_its_own_that_a_restart_keeps(
    residency: str,
) -> None:
    """The first ones have the choice of nodes and extents."""
    world = World()
    world.apply(*parts(), study("tde", blocks=REBUILT, residency=residency))
    made: list[str] = []

    def has_made(count: int) -> bool:
        made[:] = [name for kind, name in world.cluster.created if kind == TESTBED.kind]
        return len(made) >= count

    for count in (2, 5, 6):
        await world.run(partial(has_made, count))
        world.restart()
    own = world.campaign()
    spec, resolved = own.spec, own.status.resolved
    assert resolved is not None
    (cell,) = cells(spec, {"oltp": world.trials()[0].spec.workload})
    plan = children.CellPlan(own, resolved, cell)
    drawn = [building_order(spec.seed, cell, generation) for generation in (1, 2)]
    assert made == [
        children.testbed_name(plan, arm, generation)
        for generation, order in enumerate(drawn, 1)
        for arm in order
    ]
    assert drawn != [cell.arms, cell.arms], "or this shows nothing"


@pytest.mark.parametrize("whole", [False, True], ids=["trial", "block"])
async def test_after_a_trial_of_an_earlier_set_is_deleted_no_two_sets_stand(whole: bool) -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=REBUILT))
    together: list[set[int]] = []
    await world.run(lambda: world.campaign().status.progress.succeeded == 4)
    first = sorted(t.name for t in world.trials() if t.spec.block == 1)
    for name in first if whole else first[:1]:
        world.cluster.remove(TRIAL, SPACE, name)
    world.restart()

    def look() -> bool:
        together.append({body["spec"]["generation"] for body in world.latest(TESTBED.kind, "")})
        return world.ended()

    await world.run(look)
    await world.settle()
    assert max(map(len, together)) == 1
    assert is_true(world.campaign().status.conditions, "Complete")
    blocks = {t.spec.block for t in world.trials()}
    assert blocks == {2, 3, 4, 5} | (set() if whole else {1}), "the first one is replaced"
    assert {row.blocks for row in report(world).status.rows} == {4}
    assert not leftovers(world)


@pytest.mark.parametrize("seconds", [7.0, 1e6])
async def test_a_set_waits_for_the_databases_before_it(seconds: float) -> None:
    """No longer than they have to end, because one may be unable to."""
    world = World()
    world.cluster.grace_seconds = 60
    world.controllers.delays = replace(world.controllers.delays, end=seconds)
    world.apply(*parts(), study("plain", blocks=REBUILT))
    alone: list[datetime] = []
    """When there was no testbed, and a database that ended."""

    def look() -> bool:
        metas = (pod["metadata"] for pod in world.cluster.all(POD))
        ending = [meta for meta in metas if "deletionTimestamp" in meta]
        databases = [meta for meta in ending if meta["labels"][labels.COMPONENT] == "database"]
        if databases and not world.latest(TESTBED.kind, ""):
            assert "clearing away" in (world.campaign().status.step or "")
            alone.append(world.clock.now())
        return any(body["spec"]["generation"] == 2 for body in world.latest(TESTBED.kind, ""))

    await world.run(look)
    waited = (world.clock.now() - alone[0]).total_seconds()
    least = min(seconds, 60 + ENDING_SLACK)
    assert least - 1 <= waited <= least + IDLE


async def test_a_set_waits_for_databases_that_are_not_deleted_yet() -> None:
    """Kubernetes deletes what belonged to a testbed some time after it."""
    first = World()
    first.apply(*parts(), study("plain", blocks=REBUILT))
    await first.run(lambda: bool(first.cluster.all(POD)))
    (old, *_) = first.cluster.all(POD)
    world, marks = World(), {**old["metadata"]["labels"], labels.TESTBED: "gone"}
    owners = [{**owner, "name": "gone"} for owner in old["metadata"]["ownerReferences"]]
    kept = {"name": "gone-0", "namespace": SPACE, "labels": marks, "ownerReferences": owners}
    body = world.cluster.add(POD, {**old, "metadata": kept})
    world.apply(*parts(), study("plain", blocks=REBUILT))
    await world.settle(30)
    assert not world.cluster.all(TESTBED)
    assert "clearing away" in (world.campaign().status.step or "")
    world.cluster.remove(POD, SPACE, body["metadata"]["name"])
    await world.run(lambda: bool(world.cluster.all(TESTBED)))


async def test_a_broken_block_moves_on_to_the_next_set() -> None:
    world = World()
    world.plan = lambda trial, plan: replace(plan, errors=900 * (trial.spec.block == 2))
    world.apply(*parts(), study("plain", blocks=REBUILT))
    await world.run(world.ended)
    await world.settle()
    assert is_true(world.campaign().status.conditions, "Complete")
    assert max(t.spec.block for t in world.trials()) == 5
    assert {row.blocks for row in report(world).status.rows} == {4}
    assert_sound(world)
    assert not leftovers(world)


async def test_the_report_has_the_sets_of_solo_blocks_and_none_in_between() -> None:
    world = World()
    blocks = {**REBUILT, "interleave": {"slice": "2s", "rounds": 5}, "solo": 2}
    world.apply(*parts(), study("plain", blocks=blocks))
    await world.run(world.ended, limit=20_000)
    assert is_true(world.campaign().status.conditions, "Complete"), world.describe()
    artefacts = report(world).status.artefacts
    assert artefacts is not None
    index = decode(IndexRecord, world.store.objects[artefacts.index.key], artefacts.index.key)
    assert {bed.generation for bed in index.testbeds} == {1, 2, 3, 4, 1001, 1002}
    assert {t.spec.testbed_ref.name for t in world.trials()} == {t.name for t in index.testbeds}
    assert all(bed.proof is not None and bed.proof.ok for bed in index.testbeds)


async def test_a_set_that_fails_gives_the_cell_up_and_stays() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=REBUILT))

    def second_set() -> bool:
        return any(body["spec"]["generation"] == 2 for body in world.latest(TESTBED.kind, ""))

    await world.run(second_set)
    world.controllers.delays = replace(world.controllers.delays, database=10_000.0)
    await world.run(world.ended, limit=50_000, seconds=20_000)
    failed = next(c for c in world.campaign().status.conditions if c.type == "Failed")
    assert failed.reason == "TestbedFailed"
    assert {body["spec"]["generation"] for body in world.cluster.all(TESTBED)} == {2}
    assert {row.blocks for row in report(world).status.rows} == {1}

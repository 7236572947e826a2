"""Deleting a campaign: everything of it goes but the records of finished trials."""

from typing import Any

import pytest

from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    NAMESPACE,
    OVERHEAD_REPORT,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    SECRET,
    STATEFUL_SET,
)
from encbench.reconcile.campaign.cleanup import CLIENT_GRACE, FINALIZER
from encbench.reconcile.loop import SWEEP_SECONDS
from tests.unit.reconcile.driver import Operator
from tests.unit.reconcile.oracle import leftovers
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study


async def in_mid_run() -> World:
    """One trial is finished, the second runs and has uploaded something already."""
    world = World()
    world.apply(*parts(), study("plain", blocks=2))
    await world.run(world.running(2))
    await world.settle(3)
    return world


def folders(world: World) -> dict[str, list[str]]:
    """Files by trial's folder."""
    found: dict[str, list[str]] = {}
    for key in world.store.objects:
        if "/trials/" in key:
            folder, _, name = key.split("/trials/")[1].partition("/")
            found.setdefault(folder, []).append(name)
    return found


async def test_deleted_in_mid_run_only_finished_records_are_left() -> None:
    world = await in_mid_run()
    finished, running = sorted(world.trials(), key=lambda t: t.status.release_at or 0)
    assert finished.status.outcome == "Succeeded"
    assert "proof-before.json" in folders(world)[running.uid]

    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)
    await world.settle()
    assert list(folders(world)) == [finished.uid]
    assert "trial.json" in folders(world)[finished.uid]
    assert not leftovers(world)
    assert not world.trials()
    assert not world.cluster.all(CONFIG_MAP)


async def test_a_leader_that_was_frozen_leaves_no_record_behind_a_deleted_campaign() -> None:
    world, frozen = World(), list[str]()

    def hesitation(request: str, args: tuple[Any, ...]) -> float:
        if request != "put_if_absent" or not args[0].endswith("/trial.json") or frozen:
            return 0.0
        frozen.append(args[0])
        return 60.0

    world.operators.clear()
    world.add_hesitant_operator(hesitation, leads=lambda: not frozen)
    world.apply(*parts(), study("plain", blocks=2))
    await world.run(lambda: bool(frozen))
    world.operators.append(Operator(world.deps, world.clock, [SPACE]))
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)
    assert not folders(world)
    await world.settle(120)
    assert not folders(world)


async def test_it_waits_for_clients_that_may_still_upload() -> None:
    world = await in_mid_run()
    running = max(world.trials(), key=lambda t: t.status.release_at or 0)
    pod = world.cluster.one(POD, SPACE, f"{running.name}-0-x")
    await world.cluster.patch_metadata(
        POD, SPACE, pod["metadata"]["name"], finalizers=["test/grace"]
    )
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.settle(45)
    assert not world.gone()
    await world.cluster.patch_metadata(POD, SPACE, pod["metadata"]["name"], finalizers=[])
    await world.run(world.gone)
    assert running.uid not in folders(world)


async def test_a_client_on_a_lost_node_is_named_and_not_waited_for_for_ever() -> None:
    world = await in_mid_run()
    running = max(world.trials(), key=lambda t: t.status.release_at or 0)
    pod = f"{running.name}-0-x"
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=["test/lost"])
    deleted = world.clock.time
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.settle(30)
    assert pod in world.campaign().status.step
    await world.run(world.gone)
    assert 299 <= world.clock.time - deleted < 310


async def test_it_does_not_give_up_because_the_api_server_was_away() -> None:
    world = await in_mid_run()
    running = max(world.trials(), key=lambda t: t.status.release_at or 0)
    pod = f"{running.name}-0-x"
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=["test/grace"])
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.cut_off(400, known=True)
    await world.settle(100)
    assert not world.gone()
    await world.cluster.patch_metadata(POD, SPACE, pod, finalizers=[])
    await world.run(world.gone)
    assert running.uid not in folders(world)


async def test_with_the_store_away_it_gives_up_after_a_while() -> None:
    world = await in_mid_run()
    world.store.away = True
    deleted = world.clock.time
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.settle(200)
    assert not world.gone()
    assert not leftovers(world), "what is in the cluster goes at once"
    await world.run(world.gone)
    assert world.clock.time - deleted < 330


async def test_with_the_store_away_for_a_short_time_it_waits_and_cleans_up() -> None:
    world = await in_mid_run()
    running = max(world.trials(), key=lambda t: t.status.release_at or 0)
    world.store.away = True
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.settle(100)
    world.store.away = False
    await world.run(world.gone)
    assert running.uid not in folders(world)


async def test_with_the_kinds_of_its_children_gone_it_gives_up_as_well() -> None:
    world = await in_mid_run()
    deleted = world.clock.time
    world.api.has_role = False
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)
    assert 299 <= world.clock.time - deleted < 340


async def test_a_finished_campaign_takes_its_report_along_and_leaves_the_bucket() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    await world.settle()
    before = set(world.store.objects)
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)
    assert set(world.store.objects) == before
    assert not world.cluster.all(OVERHEAD_REPORT)


async def test_the_same_name_again_at_once_is_another_campaign() -> None:
    world = await in_mid_run()
    kinds = (STATEFUL_SET, SECRET, PERSISTENT_VOLUME_CLAIM, POD)
    old = [(kind, body) for kind in kinds for body in world.cluster.all(kind)]
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)
    # The garbage collector is slow: for a while everything is still there, without its owner.
    for kind, body in old:
        body["metadata"].pop("resourceVersion")
        world.cluster.add(kind, body)
    world.apply(study("plain", blocks=1))
    await world.settle(20)
    assert not world.trials()
    for kind, body in old:
        world.cluster.remove(kind, SPACE, body["metadata"]["name"])
    world.cluster.created.clear()
    await world.run(world.ended)
    await world.settle()
    assert world.campaign().status.phase == "Succeeded"
    assert len(world.store.objects) > 0
    names = {name for kind, name in world.cluster.created if kind == STATEFUL_SET.kind}
    assert len(names) == 2, "both databases were made anew"


async def delete_namespace(world: World) -> None:
    """As the namespace's controller does: the mark, then the Role, then everything at once."""
    await world.cluster.patch_metadata(NAMESPACE, "", SPACE, finalizers=["kubernetes"])
    world.cluster.remove(NAMESPACE, "", SPACE)
    world.api.has_role = False
    world.cluster.remove(CAMPAIGN, SPACE, NAME)


async def test_a_deleted_namespace_is_not_held() -> None:
    world = await in_mid_run()
    running = max(world.trials(), key=lambda t: t.status.release_at or 0)
    deleted = world.clock.time
    await delete_namespace(world)
    await world.run(world.gone)
    assert world.clock.time - deleted <= CLIENT_GRACE + 1
    await world.settle(1)
    assert running.uid not in folders(world), "what its client uploaded last is gone as well"


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_deleted_namespace_without_a_trial_goes_at_once(restarted: bool) -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=2))
    await world.settle(4)
    assert FINALIZER in world.campaign().finalizers
    world.store.away = True
    deleted = world.clock.time
    await delete_namespace(world)
    if restarted:
        world.restart()
    await world.run(world.gone)
    assert world.clock.time - deleted < 10, "neither Role nor store is waited for"


async def test_of_a_deleted_namespace_nothing_is_tried_for_ever() -> None:
    world = await in_mid_run()
    await delete_namespace(world)
    await world.run(world.gone)
    await world.settle(2 * SWEEP_SECONDS)
    (operator,) = world.operators
    before = operator.passes
    await world.settle(10 * SWEEP_SECONDS)
    assert operator.passes == before


async def test_a_role_that_comes_late_is_waited_for() -> None:
    world = World()
    world.api.has_role = False
    world.apply(*parts(), study("plain", blocks=1))
    await world.settle(30)
    assert not world.campaign().status.step
    world.api.has_role = True
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_a_finished_campaign_can_be_deleted_without_an_operator() -> None:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.ended)
    await world.settle()
    world.operators[0].next_sweep = float("inf")
    world.operators[0].events = False
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)

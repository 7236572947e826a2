"""An operator that leaves for good: campaigns can be deleted without it."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from encbench.api.kinds import CAMPAIGN
from encbench.kube import labels
from encbench.kube.shards import Shard, shard_of
from encbench.ports import Clock, Cluster, Conflict, Rejected, Unavailable
from encbench.reconcile import farewell
from encbench.reconcile.campaign.cleanup import FINALIZER, GIVE_UP
from encbench.reconcile.farewell import claim, let_forgotten_go, let_go
from tests.unit.reconcile.world import INSTALLATION, NAME, SPACE, World, parts, study


async def in_mid_run() -> World:
    world = World()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    assert FINALIZER in world.campaign().finalizers
    return world


async def test_a_campaign_in_mid_run_can_be_deleted_afterwards() -> None:
    world = await in_mid_run()
    await let_go(world.cluster, [SPACE], "")
    (operator,) = world.operators
    operator.next_sweep, operator.events = float("inf"), False
    operator.queue.due.clear()
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)


async def test_until_then_the_operator_goes_on_without_claiming_it_again() -> None:
    world = await in_mid_run()
    await let_go(world.cluster, [SPACE], "")
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    assert FINALIZER not in world.campaign().finalizers


async def test_one_that_is_refused_does_not_wait_for_the_operator() -> None:
    world = World()
    world.apply(study("plain", blocks=1))  # Without its parts.
    await world.run(lambda: world.campaign().status.step.startswith("waiting for its parts"))
    await let_go(world.cluster, [SPACE], "")
    await world.settle()
    assert world.campaign().finalizers == ()


async def test_other_finalizers_stay_and_other_writers_are_heeded() -> None:
    world = await in_mid_run()
    await world.cluster.patch_metadata(CAMPAIGN, SPACE, NAME, finalizers=["other", FINALIZER])
    world.cluster.fail_next(Conflict("changed meanwhile"), verb="patch_metadata")
    await let_go(world.cluster, [SPACE], "")
    assert world.campaign().finalizers == ("other",)


async def test_a_namespace_without_rights_does_not_keep_it_from_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = await in_mid_run()
    world.cluster.fail_next(Rejected("forbidden"), verb="list", kind=CAMPAIGN)
    with caplog.at_level(logging.WARNING):
        await let_go(world.cluster, ["gone", SPACE], "")
    assert "campaigns in gone" in caplog.text
    assert FINALIZER not in world.campaign().finalizers


@pytest.mark.parametrize(("mine", "goes"), [(INSTALLATION, True), ("another", False)])
async def test_it_lets_go_of_what_it_claimed_in_a_namespace_that_it_watches_no_longer(
    mine: str, goes: bool
) -> None:
    world = await in_mid_run()
    await let_go(world.cluster, ["other"], mine)
    assert (FINALIZER not in world.campaign().finalizers) is goes


@pytest.mark.parametrize("index", [0, 1])
async def test_a_campaign_that_another_installation_claimed_is_marked_at_the_start(
    index: int,
) -> None:
    """Uninstalling that one takes nothing off it then."""
    world = await in_mid_run()
    await claim(world.cluster, [SPACE], Shard(index, 2), "another")
    await let_go(world.cluster, ["other"], INSTALLATION)
    assert (FINALIZER in world.campaign().finalizers) is (index == shard_of(SPACE, NAME, 2))


@pytest.mark.parametrize(
    ("error", "verb"),
    [(Unavailable("away"), "list"), (Conflict("changed meanwhile"), "patch_metadata")],
)
async def test_marking_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, error: Exception, verb: str
) -> None:
    monkeypatch.setattr(farewell, "AGAIN_SECONDS", 0.0)
    world = await in_mid_run()
    world.cluster.fail_next(error, verb=verb, kind=CAMPAIGN)
    await claim(world.cluster, [SPACE], Shard(), "another")
    assert world.campaign().labels[labels.OPERATOR] == "another"


async def a_pass(
    cluster: Cluster, clock: Clock, watched: Sequence[str], shard: Shard | None = None
) -> None:
    """What an operator does at its start and every two minutes."""
    task = asyncio.create_task(let_forgotten_go(cluster, clock, watched, shard or Shard()))
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()


@pytest.mark.parametrize(
    ("watched", "seconds", "goes"),
    [
        (["other"], GIVE_UP + 1, True),
        (["other"], GIVE_UP - 1, False),
        ([SPACE], GIVE_UP + 1, False),
    ],
    ids=["forgotten", "perhaps another release's", "watched"],
)
async def test_a_deleted_campaign_that_is_no_longer_watched_goes(
    watched: list[str], seconds: float, goes: bool
) -> None:
    world = await in_mid_run()
    (operator,) = world.operators
    operator.next_sweep, operator.events = float("inf"), False
    operator.queue.due.clear()
    await a_pass(world.cluster, world.clock, watched)
    assert FINALIZER in world.campaign().finalizers, "it is not deleted yet"
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    world.clock.time += seconds
    await a_pass(world.cluster, world.clock, watched)
    left = world.cluster.all(CAMPAIGN, SPACE)
    assert (left == []) is goes


@pytest.mark.parametrize("index", [0, 1])
async def test_one_shard_lets_it_go(index: int) -> None:
    world = await in_mid_run()
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    world.clock.time += GIVE_UP + 1
    await a_pass(world.cluster, world.clock, ["other"], Shard(index, 2))
    left = world.cluster.all(CAMPAIGN, SPACE)
    assert (left == []) is (index == shard_of(SPACE, NAME, 2))


async def test_without_rights_the_operator_goes_on_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = await in_mid_run()
    world.cluster.fail_next(Rejected("forbidden"), verb="list", kind=CAMPAIGN)
    with caplog.at_level(logging.WARNING):
        await a_pass(world.cluster, world.clock, ["other"])
    assert "not watched: forbidden" in caplog.text

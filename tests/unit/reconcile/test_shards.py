"""Operators that share the campaigns: each acts for its own, and none is left out."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, LEASE, TESTBED, TRIAL, Kind
from encbench.kube import labels
from encbench.kube.shards import Shard, shard_of
from encbench.ports import Meter, Pages
from tests.support.fake_faults import WRITES
from tests.unit.reconcile.driver import Operator
from tests.unit.reconcile.three_campaigns import NAMES, all_over, campaigns, together
from tests.unit.reconcile.world import SPACE, World

SHARDS = 2
ACTING = {name: shard_of(SPACE, name, SHARDS) for name in NAMES}


class Noted:
    """A way to the API server that notes which campaign's objects are written."""

    def __init__(self, port: Any) -> None:
        self._port = port
        self.wrote: set[str] = set()

    async def pages(self, *args: Any) -> Pages:
        yield await self._port.list(*args)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)

        async def noted(kind: Kind, *args: Any, **kwargs: Any) -> Any:
            if name in WRITES and kind != LEASE:
                on_what = args[0]["metadata"]["name"] if isinstance(args[0], dict) else args[1]
                self.wrote.add(on_what.split("-")[0])
            return await method(kind, *args, **kwargs)

        return noted


class Shown(Meter):
    """Of which campaigns a process has figures."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def only(self, namespace: str, names: Any) -> None:
        self.names |= {*names}


def of_shard(world: World, index: int) -> tuple[Operator, Noted]:
    way: Any = Noted(world.api)
    deps = replace(world.deps, cluster=way, direct=way, shard=Shard(index, SHARDS))
    return Operator(deps, world.clock, [SPACE]), way


async def test_each_writes_its_own_campaigns_and_nothing_else() -> None:
    assert {*ACTING.values()} == {0, 1}, "or this shows nothing"
    world = together(blocks=1)
    world.operators, ways = map(list, zip(*(of_shard(world, i) for i in range(2)), strict=True))
    await world.run(lambda: all_over(world), limit=20000)
    await world.settle(150)
    assert {one.status.phase for one in campaigns(world)} == {"Succeeded"}
    for index, way in enumerate(ways):
        assert way.wrote == {name for name, shard in ACTING.items() if shard == index}
    windows = sorted(
        (one.status.window.start, one.status.window.end)
        for one in world.trials()
        if one.status.window
    )
    assert len(windows) == 3 * 3
    one_by_one = all(end < start for (_, end), (start, _) in pairwise(windows))
    assert one_by_one, "the Leases of nodes hold between shards too"


async def test_another_shards_objects_are_not_touched_whatever_wakes_it() -> None:
    world = together(blocks=1)
    await world.run(lambda: bool(world.latest(TRIAL.kind, "")))
    running = world.trials()[0]
    campaign = running.spec.campaign_ref.name
    own, _ = of_shard(world, ACTING[campaign])
    other, foreign = of_shard(world, 1 - ACTING[campaign])
    for kind, name in (
        (CAMPAIGN, campaign),
        (TESTBED, running.spec.testbed_ref.name),
        (TRIAL, running.name),
    ):
        assert await other.loop._reconcilers[kind].reconcile(SPACE, name) is None
        assert await own.loop._reconcilers[kind].reconcile(SPACE, name) is not None
    assert foreign.wrote == set()


async def test_a_label_takes_no_trial_to_another_shard() -> None:
    world = together(blocks=1)
    await world.run(lambda: bool(world.latest(TRIAL.kind, "")))
    trial = world.trials()[0]
    strange = next(n for n in NAMES if ACTING[n] != ACTING[trial.spec.campaign_ref.name])
    await world.cluster.patch_metadata(TRIAL, SPACE, trial.name, labels={labels.CAMPAIGN: strange})
    operator, _ = of_shard(world, ACTING[strange])
    assert await operator.loop._reconcilers[TRIAL].reconcile(SPACE, trial.name) is None


@pytest.mark.parametrize("index", [0, 1])
async def test_a_sweep_wakes_and_counts_its_own(index: int) -> None:
    world = together()
    shown = Shown()
    deps = replace(world.deps, meter=shown, shard=Shard(index, SHARDS))
    operator = Operator(deps, world.clock, [SPACE])
    operator.loop._meter = shown
    await operator.loop.sweep_once()
    own = {name for name, shard in ACTING.items() if shard == index}
    assert {key.name for key in operator.queue.due} == own == shown.names

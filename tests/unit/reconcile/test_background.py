"""Slow effects beside the workers: bounded, each once at a time, and told of when they find."""

import asyncio
import logging
from dataclasses import replace
from typing import Any, get_args

import pytest

from encbench.adapters.meter import PrometheusMeter
from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL, Kind
from encbench.ports import Unavailable
from encbench.reconcile.background import Errand, Errands, Lane
from encbench.reconcile.effects.effect import (
    SLOW,
    AskChecks,
    DisarmServer,
    Prove,
    ProveFully,
    Settle,
)
from encbench.reconcile.failures import FIRST, Failures
from tests.support import manifests
from tests.support.fake_cluster import FakeCluster
from tests.support.metered import series
from tests.unit.reconcile.driver import AtOnce
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study


def errand(name: str) -> Errand:
    return Errand(TRIAL, "ns", name, "1", "Prove")


class Work:
    """Something slow, which a test ends."""

    def __init__(self) -> None:
        self.running = self.most = self.begun = 0
        self.ends = asyncio.Event()
        self.result: bool | Exception = True

    async def __call__(self) -> bool:
        self.begun += 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.ends.wait()
        finally:
            self.running -= 1
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


async def turns(number: int = 20) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_no_more_at_once_than_the_limit() -> None:
    found: list[str] = []
    background, work = Errands(lambda one: found.append(one.name), limit=3), Work()
    for number in range(10):
        assert await background.do(errand(str(number)), work) is None
    await turns()
    assert work.running == 3
    work.ends.set()
    await turns(100)
    assert (work.most, work.begun) == (3, 10)
    assert sorted(found) == [str(number) for number in range(10)]


async def test_an_errand_under_way_is_not_begun_again() -> None:
    background, work = Errands(lambda _: None), Work()
    for _ in range(3):
        await background.do(errand("run"), work)
        await turns()
    assert work.begun == 1
    work.ends.set()
    await turns()
    await background.do(errand("run"), work)
    await turns()
    assert work.begun == 2


@pytest.mark.parametrize("result", [False, Unavailable("away"), ValueError("odd")])
async def test_what_came_to_nothing_wakes_nobody_and_can_be_tried_again(
    result: bool | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    found: list[Errand] = []
    background, work = Errands(found.append), Work()
    work.result = result
    work.ends.set()
    with caplog.at_level(logging.INFO):
        await background.do(errand("run"), work)
        await turns()
    assert not found
    expected = [] if result is False else [isinstance(result, ValueError)]
    assert [bool(record.exc_info) for record in caplog.records] == expected
    for record in caplog.records:
        one = errand("run")
        assert f"{one.what} of {one.kind.kind} {one.namespace}/run" in record.getMessage()
        assert record.__dict__["subject"]["namespace"] == one.namespace
    await background.do(errand("run"), work)
    await turns()
    assert work.begun == 2


async def test_a_fault_is_counted_told_and_logged_in_whole_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Every attempt ends alike, and the pass that wanted it has ended well."""
    cluster, meter = FakeCluster(), PrometheusMeter("1")
    cluster.add(TRIAL, manifests.body(TRIAL, "run", "ns"))
    background = Errands(lambda _: None, faults=Failures(cluster), meter=meter)
    work = Work()
    work.result = KeyError("bug")
    work.ends.set()
    for _ in range(FIRST):
        await background.do(errand("run"), work)
        await turns()
    assert series(meter, "encbench_reconcile_total") == {("failed", "Trial"): FIRST}
    (event,) = cluster.events
    assert (event.name, event.reason) == ("run", "ReconcileFailed")
    assert [bool(record.exc_info) for record in caplog.records] == [True, False, False]
    assert {record.getMessage() for record in caplog.records} == {
        "Prove of Trial ns/run: KeyError('bug')"
    }
    for result in (False, KeyError("another")):
        work.result = result
        await background.do(errand("run"), work)
        await turns()
    assert [bool(record.exc_info) for record in caplog.records[3:]] == [True], "it was well between"


async def test_what_is_dropped_leaves_no_count_to_another_of_its_name() -> None:
    cluster = FakeCluster()
    background = Errands(lambda _: None, faults=Failures(cluster))
    work = Work()
    work.result = KeyError("bug")
    work.ends.set()
    for uid in range(2):
        cluster.add(TRIAL, manifests.body(TRIAL, "run", "ns"))
        for _ in range(FIRST - 1):
            await background.do(replace(errand("run"), uid=str(uid)), work)
            await turns()
        cluster.remove(TRIAL, "ns", "run")
        background.drop(TRIAL, "ns", "run")
    assert not cluster.events


async def test_neither_scans_nor_a_store_that_hangs_hold_up_anything_else() -> None:
    background = Errands(lambda _: None, limit=2)
    work: dict[Lane, Work] = {lane: Work() for lane in get_args(Lane)}
    for number in range(4):
        for lane, own in work.items():
            await background.do(replace(errand(str(number)), lane=lane), own)
    await turns()
    assert [own.running for own in work.values()] == [2, 2, 2]
    for own in work.values():
        own.ends.set()
    await turns(100)
    assert [own.begun for own in work.values()] == [4, 4, 4]


@pytest.mark.parametrize("one", SLOW, ids=lambda one: one.__name__)
def test_proofs_share_their_slots_with_nothing_that_only_stores(one: type[Any]) -> None:
    asks_an_agent = one in (Settle, ProveFully, Prove, AskChecks, DisarmServer)
    assert (SLOW[one] == "store") is not asks_an_agent


async def test_what_is_dropped_ends_and_frees_its_slot() -> None:
    found: list[str] = []
    background, work = Errands(lambda one: found.append(one.name), limit=1), Work()
    for name in ("runs", "waits", "other"):
        await background.do(errand(name), work)
    await turns()
    await background.do(errand("new"), work)
    for name in ("runs", "waits", "new"):
        background.drop(TRIAL, "ns", name)
    assert background.under_way == 1
    await background.do(errand("runs"), work)
    await turns()
    assert (work.begun, work.running, background.under_way) == (2, 1, 2)
    work.ends.set()
    await turns(100)
    assert found == ["other", "runs"]
    assert background.under_way == 0


async def test_a_testbed_that_failed_or_is_gone_needs_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dropped = set[tuple[Kind, str, str]]()
    monkeypatch.setattr(AtOnce, "drop", lambda _, *place: dropped.add(place))
    world = World()
    world.controllers.delays = replace(world.controllers.delays, database=10_000.0)
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(lambda: bool(world.cluster.all(TESTBED)))
    assert not dropped
    await world.run(world.ended, limit=50_000, seconds=20_000)
    beds = {(TESTBED, SPACE, bed["metadata"]["name"]) for bed in world.cluster.all(TESTBED)}
    assert beds & dropped
    dropped.clear()
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)
    await world.settle(10)
    assert beds <= dropped

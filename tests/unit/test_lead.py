"""A leading operator: what it does beside its loop."""

import argparse
import asyncio
import logging

import pytest

from encbench import __main__ as main
from encbench.adapters.meter import PrometheusMeter
from encbench.api.kinds import TESTBED
from encbench.kube.shards import Shard
from encbench.reconcile.absences import Always
from encbench.reconcile.background import Errand
from encbench.reconcile.loop import Loop
from encbench.reconcile.reconcilers import KindReconciler
from tests.unit.reconcile.world import SPACE, World

ARGS = argparse.Namespace(
    namespace=[SPACE], lease_namespace="", release_namespace="", admission_policy=[]
)


class Elected(Always):
    """An election that is won at once."""

    async def elected(self) -> Shard:
        return Shard()


async def test_a_task_beside_the_loop_that_dies_is_logged_as_it_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fault = ValueError("not foreseen")

    async def dies(*_: object) -> None:
        raise fault

    async def goes_on(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("encbench.reconcile.farewell.claim", dies)
    monkeypatch.setattr("encbench.handlers.watch", goes_on)
    monkeypatch.setattr("encbench.reconcile.loop.Loop.run", goes_on)
    meter = PrometheusMeter("0")
    leads = asyncio.create_task(
        main.lead(ARGS, World().deps, meter, Elected(), asyncio.Event())  # type: ignore[arg-type]
    )
    with caplog.at_level(logging.ERROR):
        for _ in range(20):
            await asyncio.sleep(0)
    assert not leads.done(), "it is none of the essential ones"
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[1] is fault
    leads.cancel()
    await asyncio.gather(leads, return_exceptions=True)


async def test_what_it_has_begun_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may begin the same."""
    begun, ended = asyncio.Event(), list[str]()

    async def scan() -> bool:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.append("scan")
        return True

    async def loop(own: Loop) -> None:
        reconciler = own._reconcilers[TESTBED]
        assert isinstance(reconciler, KindReconciler)
        await reconciler.slowly.do(Errand(TESTBED, SPACE, "bed", "uid", "ProveFully"), scan)
        await asyncio.Event().wait()

    async def goes_on(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("encbench.reconcile.farewell.claim", goes_on)
    monkeypatch.setattr("encbench.handlers.watch", goes_on)
    monkeypatch.setattr("encbench.reconcile.loop.Loop.run", loop)
    meter = PrometheusMeter("0")
    leads = asyncio.create_task(
        main.lead(ARGS, World().deps, meter, Elected(), asyncio.Event())  # type: ignore[arg-type]
    )
    await begun.wait()
    leads.cancel()
    await asyncio.gather(leads, return_exceptions=True)
    assert ended == ["scan"]

"""Which objects a change concerns, and what the sweep finds."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta

import pytest

from encbench.api.conditions import format_time
from encbench.api.kinds import CAMPAIGN, JOB, POD, TESTBED, TRIAL, Kind
from encbench.kube.labels import ACTIVE, labels, metadata, owner_reference
from encbench.ports import Body, Conflict, Meter, Rejected, Unavailable, WebhookFailed
from encbench.reconcile.campaign.cleanup import FINALIZER
from encbench.reconcile.effects.cluster import NotOurs
from encbench.reconcile.loop import WORKERS, Key, Loop, Reconciler, _end, concerned, is_at_rest
from encbench.reconcile.queue import WorkQueue
from tests.support import manifests
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.timeline import SimClock

TRIAL_KEY, TESTBED_KEY = Key(TRIAL, "ns", "run"), Key(TESTBED, "ns", "bed")
CAMPAIGN_KEY = Key(CAMPAIGN, "ns", "study")


def child(owner: Body | None = None, **own: str) -> Body:
    return {"metadata": metadata("child", "ns", labels("x", **own), owner or {})}


def test_an_object_of_ours_concerns_itself_and_its_owner() -> None:
    body = manifests.body(TRIAL, "run", "ns")
    body["metadata"]["ownerReferences"] = [owner_reference(CAMPAIGN, "study", "1")]
    assert concerned(TRIAL, body) == [TRIAL_KEY, CAMPAIGN_KEY]


def test_a_job_concerns_the_object_that_owns_it() -> None:
    body = child(owner_reference(TESTBED, "bed", "1"))
    assert TESTBED_KEY in concerned(JOB, body)


def test_a_pod_concerns_the_testbed_or_the_trial_that_it_is_labelled_with() -> None:
    body = child({"kind": "Job", "name": "run", "uid": "1", "controller": True}, testbed="bed")
    assert concerned(POD, body)[1:] == [TESTBED_KEY]
    client = child({"kind": "Job", "name": "run", "uid": "1"}, testbed="bed", trial="run")
    assert concerned(POD, client)[1:] == [TRIAL_KEY], "no testbed looks at clients"
    job = child(owner_reference(TRIAL, "run", "1"), testbed="bed", trial="run")
    assert concerned(JOB, job)[1:] == [TRIAL_KEY]


def test_a_trial_concerns_the_testbed_that_follows_it() -> None:
    body = manifests.body(TRIAL, "run", "ns")
    body["metadata"]["labels"] = labels("trial", testbed="bed")
    assert concerned(TRIAL, body) == [TRIAL_KEY, TESTBED_KEY]


def test_a_database_that_ends_concerns_its_campaign() -> None:
    owner = {"kind": "StatefulSet", "name": "bed", "uid": "1", "controller": True}
    body = {"metadata": metadata("bed-0", "ns", labels("database", campaign="study"), owner)}
    assert CAMPAIGN_KEY not in concerned(POD, body)
    body["metadata"]["deletionTimestamp"] = "2026-11-25T12:00:00Z"
    assert CAMPAIGN_KEY in concerned(POD, body)


def test_an_owner_that_does_not_control_is_not_concerned() -> None:
    owner = {**owner_reference(CAMPAIGN, "study", "1"), "controller": False}
    assert CAMPAIGN_KEY not in concerned(JOB, child(owner))


class Idle:
    """A reconciler that has nothing to do."""

    async def reconcile(self, namespace: str, name: str) -> float | None:
        return None


class Adding(WorkQueue[Key]):
    """A queue that only notes what is added."""

    def __init__(self, keys: set[Key]) -> None:
        super().__init__(_nothing, on_error=lambda key, error, delay: None)
        self._keys = keys

    def add(self, key: Key, delay: float = 0.0) -> None:
        self._keys.add(key)


async def _nothing(key: Key) -> float | None:
    return None


def a_loop(cluster: FakeCluster, *namespaces: str) -> tuple[Loop, set[Key]]:
    keys: set[Key] = set()
    reconcilers: dict[Kind, Reconciler] = {kind: Idle() for kind in (CAMPAIGN, TESTBED, TRIAL)}
    loop = Loop(cluster, reconcilers, namespaces or ["ns"], SimClock())
    loop._queue = loop._trials = Adding(keys)
    return loop, keys


async def test_the_sweep_leaves_finished_trials_alone() -> None:
    cluster = FakeCluster()
    cluster.add(CAMPAIGN, manifests.body(CAMPAIGN, "study", "ns"))
    cluster.add(TESTBED, manifests.body(TESTBED, "bed", "ns"))
    running = manifests.body(TRIAL, "run", "ns")
    running["metadata"]["labels"] = {ACTIVE: "true"}
    cluster.add(TRIAL, running)
    cluster.add(TRIAL, manifests.body(TRIAL, "finished", "ns"))
    loop, keys = a_loop(cluster)
    await loop.sweep_once()
    assert keys == {CAMPAIGN_KEY, TESTBED_KEY, TRIAL_KEY}


def over(name: str, condition: str = "Complete", **meta: object) -> Body:
    body = manifests.body(CAMPAIGN, name, "ns")
    body["metadata"] |= meta
    since = "2030-01-01T00:00:00Z"
    fact = {"type": condition, "status": "True", "reason": "Why", "lastTransitionTime": since}
    return {**body, "status": {"conditions": [fact], "observedGeneration": 1}}


class Counting(Meter):
    """Notes which campaigns there are."""

    def __init__(self) -> None:
        self.there: list[str] = []

    def only(self, namespace: str, names: Sequence[str]) -> None:
        self.there += names


async def test_the_sweep_wakes_no_campaign_for_which_there_is_nothing_to_do() -> None:
    cluster, meter = FakeCluster(), Counting()
    cluster.add(CAMPAIGN, over("complete"))
    cluster.add(CAMPAIGN, over("failed", "Failed"))
    cluster.add(CAMPAIGN, over("refused", "Stalled"))
    cluster.add(CAMPAIGN, over("claimed", finalizers=[FINALIZER]))
    cluster.add(CAMPAIGN, over("changed"))
    cluster.set_spec(CAMPAIGN, "ns", "changed", suspend=True)
    cluster.add(CAMPAIGN, over("deleted", finalizers=["other"]))
    cluster.remove(CAMPAIGN, "ns", "deleted")
    loop, keys = a_loop(cluster)
    loop._meter = meter
    await loop.sweep_once()
    woken = {"refused", "claimed", "changed", "deleted"}
    assert {key.name for key in keys} == woken
    assert set(meter.there) == {*woken, "complete", "failed"}, "they are still there"


async def test_the_sweep_wakes_a_campaign_whose_trials_are_to_go_by_now() -> None:
    cluster = FakeCluster()

    def add(name: str, ttl: int = 60, *facts: Body, **status: object) -> Body:
        body, ended = over(name), SimClock().now() - timedelta(seconds=60)
        body["spec"]["ttlSecondsAfterFinished"] = ttl
        body["status"] |= {"completionTime": format_time(ended), "reportRef": name, **status}
        body["status"]["conditions"] += facts
        return cluster.add(CAMPAIGN, body)

    due = add("due")
    add("not-due", 61)
    add("without-a-report", reportRef=None)
    (fact,) = over("cleared")["status"]["conditions"]
    add("cleared", 60, {**fact, "type": "Cleared"})
    loop, keys = a_loop(cluster)
    await loop.sweep_once()
    assert {key.name for key in keys} == {"due"}
    unread = {**due, "status": {**due["status"], "completionTime": "yesterday"}}
    assert not is_at_rest(unread, SimClock().now()), "its pass says what is wrong"


async def test_the_sweep_of_one_namespace_does_not_depend_on_another(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cluster = FakeCluster()
    cluster.add(CAMPAIGN, manifests.body(CAMPAIGN, "study", "ns"))
    loop, keys = a_loop(cluster, "going", "broken", "ns")
    cluster.fail_next(Rejected("campaigns is forbidden"), verb="list", kind=CAMPAIGN)
    cluster.fail_next(ValueError("no JSON"), verb="list", kind=CAMPAIGN)
    await loop.sweep_once()
    assert keys == {CAMPAIGN_KEY}
    said = [(record.levelname, bool(record.exc_info)) for record in caplog.records]
    assert said == [("WARNING", False), ("ERROR", True)]


async def test_a_change_of_something_that_nobody_reconciles_is_passed_over() -> None:
    loop, keys = a_loop(FakeCluster())
    loop.changed(POD, child({}, trial="run"))
    assert keys == {TRIAL_KEY}


async def test_failures_that_a_person_can_act_on_are_told_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loop, _ = a_loop(FakeCluster())
    with caplog.at_level(logging.INFO):
        for error in (Unavailable("a"), Conflict("b"), Rejected("c"), NotOurs("d"), ValueError()):
            loop._failed(TRIAL_KEY, error, 1.0)
    assert [bool(r.exc_info) for r in caplog.records] == [False] * 4 + [True]
    levels = [record.levelname for record in caplog.records]
    assert levels == ["INFO", "INFO", "ERROR", "ERROR", "ERROR"]


async def test_a_webhook_that_fails_is_no_outage(caplog: pytest.LogCaptureFixture) -> None:
    """It may last until a person acts."""
    loop, _ = a_loop(FakeCluster())
    loop._failed(TRIAL_KEY, WebhookFailed("guard.example"), 1.0)
    assert [(r.levelname, bool(r.exc_info)) for r in caplog.records] == [("WARNING", False)]
    assert _end(WebhookFailed("guard.example")) == "webhook"
    assert _end(Unavailable("away")) == "unavailable"


class Hanging:
    """A reconciler that waits for something that does not come."""

    def __init__(self) -> None:
        self.passes = 0
        self.is_full = asyncio.Event()

    async def reconcile(self, namespace: str, name: str) -> float | None:
        self.passes += 1
        if self.passes == WORKERS:
            self.is_full.set()
        await asyncio.Event().wait()
        return None


async def test_trials_do_not_wait_for_campaigns_and_testbeds() -> None:
    cluster, hanging, seen = FakeCluster(), Hanging(), asyncio.Event()

    class Seeing:
        async def reconcile(self, namespace: str, name: str) -> float | None:
            seen.set()
            return None

    loop = Loop(cluster, {CAMPAIGN: hanging, TESTBED: hanging, TRIAL: Seeing()}, ["ns"], SimClock())
    work = asyncio.create_task(loop.run())
    for number in range(WORKERS + 1):
        loop.wake(Key(TESTBED, "ns", f"bed-{number}"))
    async with asyncio.timeout(5):
        await hanging.is_full.wait()
        loop.wake(TRIAL_KEY)
        await seen.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

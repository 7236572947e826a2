"""A store or a Prometheus that is away is named while no trial needs it yet."""

import asyncio
import logging
from dataclasses import replace

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import CAMPAIGN
from encbench.ports import Rejected, Unavailable
from encbench.reconcile.services import PERIOD, SOON, Services, services
from tests.support.fake_metrics import FakeMetrics
from tests.support.fake_store import FakeStore
from tests.unit.reconcile.world import World, parts, study


class Asked:
    """A service that answers as a test says."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.speaks = asyncio.Event()
        self.speaks.set()
        self.count = 0

    async def __call__(self) -> None:
        self.count += 1
        await self.speaks.wait()
        if self.error is not None:
            raise self.error


async def test_what_is_away_is_known_until_it_answers_again() -> None:
    store, metrics = Asked(), Asked()
    both = Services({"the object store": store, "Prometheus": metrics})
    assert both.problem == ""
    store.error = Unavailable("no route to the store")
    await both.look()
    assert both.problem == "no route to the store"
    metrics.error = Unavailable("Prometheus is away")
    await both.look()
    assert both.problem == "Prometheus is away; no route to the store"
    store.error = metrics.error = None
    await both.look()
    assert both.problem == ""


async def test_what_goes_and_comes_back_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    store = Asked()
    one = Services({"the object store": store})
    assert one.up == {}, "nothing is known yet"
    with caplog.at_level(logging.INFO):
        for error in (None, Unavailable("no route"), Unavailable("no route to it"), None, None):
            store.error = error
            await one.look()
            assert one.up == {"object store": error is None}
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "the object store cannot be used: no route"),
        ("INFO", "the object store can be used again"),
    ]


async def test_a_refusal_is_a_problem() -> None:
    """The questions are such that what refuses them will refuse those of a trial."""
    store = Asked()
    one = Services({"the object store": store})
    store.error = Rejected("InvalidBucketName")
    await one.look()
    assert one.problem == "InvalidBucketName"
    store.error = None
    await one.look()
    assert one.problem == ""


async def test_a_fault_of_our_own_is_a_problem_and_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = Asked()
    one = Services({"the object store": store})
    store.error = ValueError("of the secret s3cr3t")
    for _ in range(3):
        await one.look()
        assert "the object store could not be asked: a fault" in one.problem
        assert "s3cr3t" not in one.problem
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[1] is store.error
    store.error = None
    await one.look()
    assert one.problem == ""
    store.error = KeyError("of another time")
    await one.look()
    assert len(caplog.records) == 2


async def test_one_that_says_nothing_is_named_and_not_asked_again() -> None:
    store, metrics = Asked(), Asked()
    both = Services({"the object store": store, "Prometheus": metrics})
    store.speaks.clear()
    for _ in range(3):
        await both.look(limit=0.05)
        assert both.problem == "the object store has not answered for 0 s"
    assert (store.count, metrics.count) == (1, 3)
    store.speaks.set()
    await both.look(limit=1)
    assert both.problem == ""


async def test_the_questions_are_harmless() -> None:
    store, metrics = FakeStore(), FakeMetrics()
    both = services(store, metrics)
    await both.look()
    assert both.problem == ""
    assert not store.objects


async def test_clients_without_a_url_are_a_problem_before_one_needs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = FakeStore()

    async def none(key: str, seconds: int) -> str:
        raise Unavailable("http://minio_lan:9000 is not a valid URL")

    monkeypatch.setattr(store, "presign_put", none)
    both = services(store, FakeMetrics())
    await both.look()
    assert both.problem == "http://minio_lan:9000 is not a valid URL"


async def test_the_first_question_makes_the_bucket_and_no_later_one() -> None:
    store = FakeStore(has_bucket=False, away=True)
    both = services(store, FakeMetrics())
    await both.look()
    assert both.problem == "the fake store is away"
    store.away = False
    await both.look()
    assert (both.problem, store.has_bucket) == ("", True)
    store.has_bucket = False
    await both.look()
    assert (both.problem, store.has_bucket) == ("there is no bucket encbench", False)


@pytest.mark.parametrize("refusal", [Unavailable("AccessDenied"), Rejected("MethodNotAllowed")])
async def test_keys_that_may_make_no_bucket_are_good_enough_for_what_is_in_it(
    refusal: Exception,
) -> None:
    store = FakeStore()
    store.fail_next(refusal, verb="ensure_bucket")
    both = services(store, FakeMetrics())
    await both.look()
    assert both.problem == ""


async def test_a_bucket_that_is_missed_says_why_it_was_not_created() -> None:
    store = FakeStore(has_bucket=False)
    both = services(store, FakeMetrics())
    store.fail_next(Unavailable("AccessDenied"), verb="ensure_bucket")
    await both.look()
    assert both.problem == "there is no bucket encbench; it could not be created: AccessDenied"
    await both.look()
    assert (both.problem, store.has_bucket) == ("", True)


async def test_what_is_away_is_asked_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    store = Asked()
    store.error = Unavailable("no route to the store")

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        store.error = None
        if len(pauses) == 2:
            raise asyncio.CancelledError

    monkeypatch.setattr("encbench.reconcile.services.asyncio.sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        await Services({"the object store": store}).watch()
    assert pauses == [SOON, PERIOD]


async def test_a_running_campaign_names_it_in_step_condition_and_event() -> None:
    store = Asked()
    world = World()
    world.deps = replace(world.deps, services=Services({"the object store": store}))
    world.restart()
    world.apply(*parts(), study("plain", blocks=1))
    await world.run(world.running())
    store.error = Unavailable("no route to the store")
    await world.deps.services.look()
    until = world.clock.time + 30

    def named() -> bool:
        fact = find(world.campaign().status.conditions, "Hindered")
        return fact is not None and (fact.status, fact.reason) == ("True", "NotStored")

    await world.run(named)
    assert world.clock.time < until
    assert "no route to the store" in world.campaign().status.step
    told = [
        one for one in world.cluster.events if (one.kind, one.reason) == (CAMPAIGN, "NotStored")
    ]
    assert [one.warning for one in told] == [True]
    assert "no route to the store" in told[0].note
    store.error = None
    await world.deps.services.look()
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    assert not named()

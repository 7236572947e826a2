"""kopf's side: what an event of a watch costs before the loop hears of it, and whom it wakes."""

import asyncio
import copy
import logging
from collections.abc import Mapping
from typing import Any, cast

import kopf
import pytest
from kopf._cogs.structs.credentials import Vault
from kopf._core.engines.activities import authenticator

from encbench import handlers
from encbench.adapters.watchcache import WATCHED, WatchCache
from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL, Kind
from encbench.handlers import NothingHandled, kopf_settings
from encbench.kube import labels
from encbench.kube.shards import Shard, shard_of
from encbench.ports import Body, NotServed, Rejected, Unavailable
from encbench.reconcile.loop import Loop
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.timeline import SimClock


def test_no_object_of_an_event_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kopf builds the essence of every event's object, and has each storage clear it."""
    copied: list[Any] = []
    whole = copy.deepcopy

    def counted(value: Any, memo: Any = None) -> Any:
        copied.append(value)
        return whole(value, memo)

    monkeypatch.setattr(copy, "deepcopy", counted)
    settings = kopf_settings()
    storage = settings.persistence.diffbase_storage
    body: Any = {"metadata": {"name": "a"}, "spec": {"whole": ["spec"]}, "status": {}}
    built = storage.build(body=body, extra_fields=set())
    cleared = settings.persistence.progress_storage.clear(essence=built)
    assert isinstance(storage, NothingHandled)
    assert storage.fetch(body=body) is None
    assert not cleared
    assert all(not value for value in copied)


class Idle:
    """A reconciler that has nothing to do."""

    async def reconcile(self, namespace: str, name: str) -> float | None:
        return None


@pytest.mark.parametrize("kind", WATCHED, ids=lambda kind: kind.kind)
async def test_an_event_wakes_the_shard_of_its_campaign(kind: Kind) -> None:
    """Every shard's cache hears of it, because a pass may have read the object before."""
    owner = labels.owner_reference(CAMPAIGN, "study", "1")
    own = labels.labels("x", campaign="study", testbed="bed", trial="run")
    body = {"metadata": labels.metadata("study", "ns", own, owner)}
    woken = []
    for index in range(2):
        cluster = FakeCluster()
        loop = Loop(
            cluster,
            {one: Idle() for one in (CAMPAIGN, TESTBED, TRIAL)},
            ["ns"],
            SimClock(),
            shard=Shard(index, 2),
        )
        cache = WatchCache(cluster, lambda: 0.0)
        assert await cache.get(kind, "ns", "study") is None
        handle = handlers._handler(kind, loop, cache)
        await handle(event={"type": "ADDED", "object": {**body, "spec": {}}})
        woken.append(sum(waiting for waiting, _ in loop.lanes().values()))
        cluster.calls.clear()
        await cache.get(kind, "ns", "study")
        assert cluster.calls, "the event was lost to the cache"
    assert woken[shard_of("ns", "study", 2)] > 0
    assert woken[1 - shard_of("ns", "study", 2)] == 0


class Answers(FakeCluster):
    """Lists that fail as told, one after the other."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = list(errors)

    async def list(
        self, kind: Kind, namespace: str | None, wanted: Mapping[str, str] | None = None
    ) -> list[Body]:
        if self.errors:
            raise self.errors.pop(0)
        return []


async def test_nothing_is_watched_until_the_kinds_are_there(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A moment without the API server is no answer: kopf would look for the kinds and give up."""
    monkeypatch.setattr(handlers, "LOOK_AGAIN", 0.0)
    cluster = Answers(NotServed("no campaigns"), Unavailable("away"), NotServed("no campaigns"))
    with caplog.at_level(logging.WARNING):
        await handlers.kinds_served(cluster, ["ns"])
    assert cluster.errors == []
    assert [record.message for record in caplog.records] == [
        "nothing is watched yet: no campaigns",
        "nothing is watched yet: away",
        "nothing is watched yet: no campaigns",
    ]


async def test_a_namespace_without_rights_does_not_hold_up_the_others() -> None:
    refused = Answers(*[Rejected("forbidden")] * 3)
    await handlers.kinds_served(refused, ["ns"])
    assert refused.errors == []


async def test_a_namespace_without_rights_does_not_hide_that_the_kinds_are_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(handlers, "LOOK_AGAIN", 0.0)
    cluster = Answers(Rejected("forbidden"), NotServed("no campaigns"))
    await handlers.kinds_served(cluster, ["gone", "ns"])
    assert "nothing is watched yet: no campaigns" in caplog.messages


async def test_credentials_that_were_refused_are_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By kopf's own vault, which takes equal ones for invalid and ends."""
    monkeypatch.setattr(handlers, "LOG_IN_AGAIN", 0.0)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    account = kopf.ConnectionInfo(server="https://example.com", token="t")
    monkeypatch.setattr(kopf, "login_with_service_account", lambda **_: account)
    registry, vault = kopf.OperatorRegistry(), Vault()
    loop = Loop(FakeCluster(), {}, ["ns"], SimClock())
    handlers.register(registry, loop, WatchCache(FakeCluster(), lambda: 0.0))
    again = asyncio.create_task(
        authenticator(
            registry=registry,
            settings=kopf_settings(),
            indices={},
            vault=vault,
            memo=cast(Any, kopf.Memo()),
        )
    )
    try:
        refused = 0
        async for key, info in vault:
            assert isinstance(info, kopf.ConnectionInfo)
            assert (info.server, info.token) == (account.server, "t")
            if refused == 5:
                break
            refused += 1
            await vault.invalidate(key, info, exc=RuntimeError("401"))
        assert refused == 5
    finally:
        again.cancel()


async def test_a_token_that_came_in_the_place_of_a_refused_one_is_taken_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every watch waits for it."""
    paused, tokens = [], iter(["old", "new", "new", "newer"])

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    def account(**_: Any) -> kopf.ConnectionInfo:
        return kopf.ConnectionInfo(server="https://kubernetes.default.svc", token=next(tokens))

    monkeypatch.setattr("asyncio.sleep", pause)
    monkeypatch.setattr(kopf, "login_with_service_account", account)
    memo = kopf.Memo()
    found = [await handlers._log_in(memo) for _ in range(2)]
    assert [one and one.token for one in found] == ["old", "new"]
    assert not paused
    last = await handlers._log_in(memo)
    assert (last and last.token, paused) == ("newer", [handlers.LOG_IN_AGAIN])


@pytest.mark.parametrize(
    ("host", "server"),
    [("api.example.com", "https://api.example.com:6443"), ("fd00::1", "https://[fd00::1]:6443")],
)
async def test_watches_go_where_all_other_requests_go(
    monkeypatch: pytest.MonkeyPatch, host: str, server: str
) -> None:
    """Not by a name, which the cluster's DNS has to know."""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "6443")
    account = kopf.ConnectionInfo(server="https://kubernetes.default.svc", token="t")
    monkeypatch.setattr(kopf, "login_with_service_account", lambda **_: account)
    found = await handlers._log_in(kopf.Memo())
    assert found
    assert found.server == server


def test_a_watch_without_a_word_begins_anew() -> None:
    """By a setting that kopf knows: a name of our own would be taken without a word."""
    assert "inactivity_timeout" in vars(kopf.OperatorSettings().watching)
    assert kopf_settings().watching.inactivity_timeout == handlers.SILENCE

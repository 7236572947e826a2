"""kopf's side: what an event of a watch costs before the loop hears of it, and whom it wakes."""

import copy
from typing import Any

import pytest

from encbench import handlers
from encbench.adapters.watchcache import WATCHED, WatchCache
from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL, Kind
from encbench.handlers import NothingHandled, kopf_settings
from encbench.kube import labels
from encbench.kube.shards import Shard, shard_of
from encbench.reconcile.loop import Loop
from tests.support.fake_cluster import FakeCluster


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

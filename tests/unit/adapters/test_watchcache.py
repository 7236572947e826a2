"""What is remembered between passes, and what makes it be asked for again."""

import asyncio
from typing import Any

import pytest

from encbench.adapters.watchcache import LONGEST, WatchCache
from encbench.api.kinds import CAMPAIGN, CONFIG_MAP, SECRET, TRIAL
from encbench.kube.labels import ACTIVE, MANAGED_BY, MANAGER
from encbench.ports import Body, Cluster, Conflict, NotNow, Unavailable, WebhookFailed
from tests.support import manifests
from tests.support.cluster_contract import ClusterContract
from tests.support.fake_cluster import FakeCluster

OURS = {MANAGED_BY: MANAGER, ACTIVE: "true", "color": "red"}
RED = {"color": "red", ACTIVE: "true"}


class TestContract(ClusterContract):
    """Whoever is alone with the API server sees no difference."""

    @pytest.fixture
    def cluster(self) -> Cluster:
        return WatchCache(FakeCluster(), lambda: 0.0)

    @pytest.fixture
    def namespace(self) -> str:
        return "one"

    @pytest.fixture
    def other_namespace(self) -> str:
        return "two"


class Rig:
    """A cache before a fake API server, whose watch a test plays."""

    def __init__(self) -> None:
        self.server = FakeCluster()
        self.now = 0.0
        self.cache = WatchCache(self.server, lambda: self.now)

    def add(self, name: str, **labels: str) -> Body:
        body = manifests.body(TRIAL, name, "ns")
        body["metadata"]["labels"] = {**OURS, **labels}
        return self.server.add(TRIAL, body)

    def phase(self, name: str, phase: str) -> Body:
        return self.server.set_status(TRIAL, "ns", name, {"phase": phase})

    async def get(self, name: str) -> str | None:
        body = await self.cache.get(TRIAL, "ns", name)
        return None if body is None else (body.get("status") or {}).get("phase", "")

    async def red(self) -> list[str]:
        return [body["metadata"]["name"] for body in await self.cache.list(TRIAL, "ns", RED)]

    @property
    def reads(self) -> int:
        return sum(not call.writes for call in self.server.calls)


@pytest.fixture
def rig() -> Rig:
    return Rig()


# -- objects


async def test_what_was_read_is_not_asked_for_again_before_long(rig: Rig) -> None:
    rig.add("a")
    assert [await rig.get("a"), await rig.get("a")] == ["", ""]
    assert [await rig.get("none"), await rig.get("none")] == [None, None]
    assert rig.reads == 2
    rig.phase("a", "Lost")
    rig.now = LONGEST - 1
    assert await rig.get("a") == ""
    rig.now = LONGEST
    assert await rig.get("a") == "Lost", "an event that was lost does no harm for longer"


async def test_events_and_own_writes_are_known_without_a_request(rig: Rig) -> None:
    rig.add("a")
    await rig.get("a")
    rig.cache.changed(TRIAL, rig.phase("a", "Running"))
    assert await rig.get("a") == "Running"
    live = await rig.cache.get(TRIAL, "ns", "a")
    assert live is not None
    await rig.cache.apply_status(TRIAL, {**live, "status": {"phase": "Collecting"}})
    assert await rig.get("a") == "Collecting"
    assert rig.reads == 1


async def test_old_events_change_nothing(rig: Rig) -> None:
    first = rig.add("a")
    second = rig.phase("a", "Running")
    await rig.get("a")
    rig.cache.changed(TRIAL, first)
    rig.cache.changed(TRIAL, second)
    assert await rig.get("a") == "Running"
    rig.server.remove(TRIAL, "ns", "a")
    rig.cache.changed(TRIAL, second, gone=True)
    rig.cache.changed(TRIAL, second)
    assert await rig.get("a") is None, "an event cannot bring back what was deleted"


async def test_what_comes_into_being_is_looked_at(rig: Rig) -> None:
    assert await rig.get("a") is None
    rig.cache.changed(TRIAL, rig.add("a"))
    assert await rig.get("a") == ""


async def test_the_deletion_of_an_earlier_one_of_that_name_is_none_of_its_own(rig: Rig) -> None:
    old = rig.add("a")
    rig.server.remove(TRIAL, "ns", "a")
    rig.add("a")
    await rig.get("a")
    rig.cache.changed(TRIAL, old, gone=True)
    assert await rig.get("a") == ""
    assert rig.reads == 1


async def test_what_has_left_the_watch_by_our_own_write_is_still_there(rig: Rig) -> None:
    rig.add("a")
    await rig.get("a")
    retired = await rig.cache.patch_metadata(TRIAL, "ns", "a", labels={ACTIVE: None})
    assert retired is not None
    rig.cache.changed(TRIAL, retired, gone=True)
    assert await rig.get("a") == ""
    assert rig.reads == 1


@pytest.mark.parametrize("error", [Conflict("stale"), Unavailable("away")])
async def test_after_a_write_that_failed_nothing_is_taken_for_granted(
    rig: Rig, error: Exception
) -> None:
    live = rig.add("a")
    await rig.get("a")
    rig.phase("a", "Running")
    rig.server.fail_next(error, verb="apply_status")
    with pytest.raises(type(error)):
        await rig.cache.apply_status(TRIAL, {**live, "status": {"phase": "Mine"}})
    assert await rig.get("a") == "Running"


async def test_while_the_server_is_away_nothing_that_was_known_is_believed(rig: Rig) -> None:
    rig.add("a")
    await rig.get("a")
    rig.server.fail_next(Unavailable("away"), verb="get")
    with pytest.raises(Unavailable):
        await rig.get("b")
    rig.phase("a", "Running")
    assert await rig.get("a") == "Running"


@pytest.mark.parametrize("error", [WebhookFailed("guard.example"), NotNow("too many requests")])
async def test_a_server_that_says_not_now_is_there(rig: Rig, error: Exception) -> None:
    rig.add("a")
    live = rig.add("b")
    await rig.red()
    rig.server.fail_next(error, verb="apply_status")
    with pytest.raises(type(error)):
        await rig.cache.apply_status(TRIAL, {**live, "status": {"phase": "Mine"}})
    rig.server.fail_next(error, verb="get")
    with pytest.raises(type(error)):
        await rig.get("none")
    reads = rig.reads
    assert await rig.get("a") == ""
    assert rig.reads == reads, "its watches have told of every change"
    assert await rig.get("b") == ""
    assert rig.reads == reads + 1


async def test_of_others_objects_nothing_is_remembered(rig: Rig) -> None:
    rig.server.add(SECRET, {"metadata": {"name": "key", "namespace": "ns"}})
    rig.server.add(CONFIG_MAP, manifests.config_map("script", "ns"))
    for kind, name in ((SECRET, "key"), (CONFIG_MAP, "script")) * 2:
        await rig.cache.get(kind, "ns", name)
    assert rig.reads == 4


async def test_what_is_not_needed_any_more_is_forgotten(rig: Rig) -> None:
    for number in range(50):
        rig.add(f"t{number}")
        rig.now += LONGEST / 10
        await rig.get(f"t{number}")
    assert len(rig.cache._known) <= 11


# -- lists


async def test_a_list_follows_events_and_own_writes(rig: Rig) -> None:
    rig.add("a")
    body = rig.add("b")
    assert await rig.red() == ["a", "b"]
    made = manifests.body(TRIAL, "c", "ns")
    made["metadata"]["labels"] = OURS
    await rig.cache.create(TRIAL, made)
    assert await rig.red() == ["a", "b", "c"]
    await rig.cache.patch_metadata(TRIAL, "ns", "a", labels={ACTIVE: None})
    assert await rig.red() == ["b", "c"]
    rig.server.remove(TRIAL, "ns", "b")
    rig.cache.changed(TRIAL, body, gone=True)
    assert await rig.red() == ["c"]
    assert rig.reads == 1


async def test_what_a_list_lacks_has_it_read_again(rig: Rig) -> None:
    assert await rig.red() == []
    made = rig.add("a")
    rig.cache.changed(TRIAL, made)
    assert await rig.red() == ["a"]
    rig.server.remove(TRIAL, "ns", "a")
    rig.cache.changed(TRIAL, made, gone=True)
    rig.cache.changed(TRIAL, made)
    assert await rig.red() == [], "the event was older than the deletion"


async def test_lists_of_what_no_watch_tells_of_are_asked_for_each_time(rig: Rig) -> None:
    for _ in range(2):
        await rig.cache.list(TRIAL, "ns", {"color": "red"})
        await rig.cache.list(TRIAL, "ns")
        await rig.cache.list(CAMPAIGN, None)
    assert rig.reads == 6


# -- at the same time


class Slow(FakeCluster):
    """Answers what was so when it was asked, but not before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()

    async def get(self, *args: Any, **kwargs: Any) -> Body | None:
        found = await super().get(*args, **kwargs)
        await self.may.wait()
        return found

    async def list(self, *args: Any, **kwargs: Any) -> list[Body]:
        found = await super().list(*args, **kwargs)
        await self.may.wait()
        return found


async def both(rig: Rig) -> tuple[str | None, list[str]]:
    phase, names = await asyncio.gather(rig.get("a"), rig.red())
    return phase, names


@pytest.mark.parametrize("way", ["event", "own"])
async def test_an_answer_that_was_overtaken_is_not_kept(way: str) -> None:
    rig = Rig()
    rig.server = slow = Slow()
    rig.cache = WatchCache(slow, lambda: 0.0)
    rig.add("a")
    asked = asyncio.create_task(both(rig))
    for _ in range(5):
        await asyncio.sleep(0)
    assert rig.reads == 2, "both are under way"
    made = manifests.body(TRIAL, "b", "ns")
    made["metadata"]["labels"] = OURS
    if way == "event":
        rig.cache.changed(TRIAL, rig.phase("a", "Running"))
        rig.cache.changed(TRIAL, rig.server.add(TRIAL, made))
    else:
        live = rig.server.one(TRIAL, "ns", "a")
        await rig.cache.apply_status(TRIAL, {**live, "status": {"phase": "Running"}})
        await rig.cache.create(TRIAL, made)
    slow.may.set()
    assert await asked == ("", ["a"]), "as it was when it was asked"
    assert await rig.get("a") == "Running"
    assert await rig.red() == ["a", "b"]


async def test_what_leaves_a_list_while_it_is_read_is_not_in_it() -> None:
    rig = Rig()
    rig.server = slow = Slow()
    rig.cache = WatchCache(slow, lambda: 0.0)
    for name in ("a", "b", "c"):
        rig.add(name)
    asked = asyncio.create_task(rig.red())
    for _ in range(5):
        await asyncio.sleep(0)
    await rig.cache.patch_metadata(TRIAL, "ns", "a", labels={ACTIVE: None})
    await rig.cache.patch_metadata(TRIAL, "ns", "b", labels={ACTIVE: None})
    slow.may.set()
    assert await asked == ["a", "b", "c"], "as it was when it was asked"
    assert await rig.red() == ["c"]
    assert rig.reads == 1

"""An API server that takes seconds to answer: who leads by it, and what is said where none can."""

import asyncio
import logging
import selectors
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import pytest

from encbench.kube.shards import Shard
from encbench.reconcile import election
from encbench.reconcile.election import ACTS, LASTS, PATIENCE, REMINDED, Contender, Elector
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.candidates import ELECTION, SPACE


class Hurry(selectors.DefaultSelector):
    """Lets the time pass at once for which a loop has nothing to do."""

    seconds = 1000.0

    def select(self, timeout: float | None = None) -> list[Any]:
        self.seconds += timeout or 0.0
        return super().select(0)


class Loop(asyncio.SelectorEventLoop):
    """A loop in which no waiting takes any time."""

    def __init__(self) -> None:
        self.hurry = Hurry()
        super().__init__(self.hurry)

    def time(self) -> float:
        return self.hurry.seconds


class Slow:
    """An API server that carries a request out after half of the time that its answer takes."""

    def __init__(self, seconds: float) -> None:
        self.cluster, self.seconds = FakeCluster(), seconds

    async def list(self, *args: Any) -> Any:
        return await self._after(self.cluster.list, *args)

    async def create(self, *args: Any) -> Any:
        return await self._after(self.cluster.create, *args)

    async def apply(self, *args: Any) -> Any:
        return await self._after(self.cluster.apply, *args)

    async def _after(self, request: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        half = self.seconds / 2
        await asyncio.sleep(half)
        answer = await request(*args)
        await asyncio.sleep(half)
        return answer


class Candidate:
    """A process that stands for election as the operator does."""

    def __init__(self, server: Any, name: str, shards: int = 1) -> None:
        own = Contender(SPACE, ELECTION, f"machine_{name}", shards=shards)
        self.elector = Elector(server, self, asyncio.get_running_loop().time, own)
        self.task = asyncio.create_task(self.elector.run())

    def now(self) -> datetime:
        """As a `ports.Clock`."""
        return datetime.fromtimestamp(asyncio.get_running_loop().time(), UTC)


async def led(seconds: float, *candidates: Candidate) -> float:
    """The share of that time for which one of them led; never two did."""
    count = 0
    for _ in range(round(seconds * 10)):
        await asyncio.sleep(0.1)
        leaders = sum(one.elector.leads for one in candidates)
        assert leaders <= 1
        count += leaders
    return count / max(1, round(seconds * 10))


def in_no_time(play: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(play)


@pytest.mark.parametrize("takes", [0.5, 1.5, 2.6, 3.3])
def test_a_process_leads_by_it_without_a_gap(takes: float) -> None:
    async def play() -> None:
        server = Slow(takes)
        one = Candidate(server, "one")
        await asyncio.wait_for(one.elector.elected(), 8 * takes)
        two = Candidate(server, "two")
        assert await led(120, one, two) == 1.0
        assert one.elector.leads

    in_no_time(play())


@pytest.mark.parametrize("takes", [1.5, 2.6, 3.3])
def test_it_leads_again_after_a_time_without_answers(takes: float) -> None:
    async def play() -> None:
        server = Slow(0.01)
        one = Candidate(server, "one")
        assert await led(10, one) > 0.9
        server.seconds = 2 * PATIENCE
        await led(20, one)
        assert not one.elector.leads
        server.seconds = takes
        await led(PATIENCE + 4 * takes, one)
        assert await led(60, one) == 1.0

    in_no_time(play())


@pytest.mark.parametrize("apart", [0.0, 1.0, 2.6, 60.0])
@pytest.mark.parametrize("takes", [1.0, 2.6, 3.3, 4.5])
def test_shards_are_never_counted_in_two_ways(takes: float, apart: float) -> None:
    async def play() -> None:
        server = Slow(takes)
        one = Candidate(server, "one", shards=1)
        await led(apart, one)
        two = Candidate(server, "two", shards=2)
        await led(120, one, two)
        assert one.elector.leads or apart < 60 or takes > ACTS / 2

    in_no_time(play())


def test_another_takes_over_from_one_that_ended() -> None:
    async def play() -> None:
        server = Slow(2.6)
        one = Candidate(server, "one")
        await asyncio.wait_for(one.elector.elected(), 60)
        two = Candidate(server, "two")
        await led(30, one, two)
        one.task.cancel()
        assert await asyncio.wait_for(two.elector.elected(), 60) == Shard(0, 1)
        await led(LASTS, one, two)
        assert two.elector.leads

    in_no_time(play())


@pytest.mark.parametrize(
    ("takes", "why"), [(4.5, election.TOO_SLOW), (6.0, "the API server did not answer within 5 s")]
)
def test_where_none_can_lead_that_is_said_each_minute(
    takes: float, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        one = Candidate(Slow(takes), "one")
        await led(5 * REMINDED, one)
        assert not one.elector.leads

    with caplog.at_level(logging.WARNING):
        in_no_time(play())
    said = [record.getMessage() for record in caplog.records]
    assert set(said) == {f"machine_one does not lead: the Leases of shards: {why}"}
    assert 4 <= len(said) <= 5


def test_one_that_leads_again_says_so(caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        server = Slow(0.1)
        one = Candidate(server, "one")
        for seconds in (0.1, 6.0, 0.1):
            server.seconds = seconds
            await led(30, one)
        assert one.elector.leads

    with caplog.at_level(logging.INFO):
        in_no_time(play())
    said = [record.getMessage() for record in caplog.records]
    assert said[0] == "machine_one leads shard 0 of 1"
    assert said[-1] == "machine_one leads again"
    assert said.count(said[-1]) == 1

"""The work queue: one worker a key, nothing lost, back-off per key."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from encbench.reconcile import queue as queues
from encbench.reconcile.queue import WorkQueue


class Recorder:
    """Work that notes what it was given and does as it is told."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.running = 0
        self.most_at_once = 0
        self.answers: list[float | Exception | None] = []
        self.hold: asyncio.Event | None = None
        self.errors: list[float] = []

    async def __call__(self, key: str) -> float | None:
        self.seen.append(key)
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        if self.hold is not None:
            await self.hold.wait()
        self.running -= 1
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def failed(self, key: str, error: Exception, delay: float) -> None:
        self.errors.append(delay)

    async def has_seen(self, keys: int) -> None:
        """Return once that many keys have come, however late a busy machine is."""
        async with asyncio.timeout(10):
            while len(self.seen) < keys:  # noqa: ASYNC110 - as the work has no event for it
                await asyncio.sleep(0.001)


@asynccontextmanager
async def running(queue: WorkQueue[str], workers: int = 2) -> AsyncIterator[None]:
    task = asyncio.create_task(queue.run(workers))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def settle(queue: WorkQueue[str], seconds: float = 0.0) -> None:
    await asyncio.sleep(seconds)
    for _ in range(200):
        await asyncio.sleep(0.001)
        if not queue.working and not queue.waiting:
            return
    raise AssertionError("the queue does not come to rest")


async def test_a_key_that_is_added_many_times_is_worked_on_once() -> None:
    work = Recorder()
    queue = WorkQueue(work, on_error=work.failed)
    for _ in range(10):
        queue.add("a")
    queue.add("b")
    async with running(queue):
        await settle(queue)
    assert sorted(work.seen) == ["a", "b"]


async def test_a_key_that_changes_while_it_is_worked_on_is_taken_up_again_and_never_twice() -> None:
    work = Recorder()
    work.hold = asyncio.Event()
    queue = WorkQueue(work, on_error=work.failed)
    async with running(queue, workers=4):
        queue.add("a")
        await asyncio.sleep(0.01)
        queue.add("a")
        queue.add("a")
        await asyncio.sleep(0.01)
        assert work.seen == ["a"]
        work.hold.set()
        await settle(queue)
    assert work.seen == ["a", "a"]
    assert work.most_at_once == 1


async def test_of_the_wishes_while_it_is_worked_on_the_earliest_counts() -> None:
    work = Recorder()
    work.hold = asyncio.Event()
    queue = WorkQueue(work, on_error=work.failed)
    async with running(queue):
        queue.add("a")
        await work.has_seen(1)
        queue.add("a")
        queue.add("a", 3600.0)
        work.hold.set()
        await work.has_seen(2)


async def test_different_keys_are_worked_on_side_by_side() -> None:
    work = Recorder()
    work.hold = asyncio.Event()
    queue = WorkQueue(work, on_error=work.failed)
    async with running(queue, workers=2):
        queue.add("a")
        queue.add("b")
        await asyncio.sleep(0.02)
        assert work.most_at_once == 2
        work.hold.set()


async def test_a_delay_is_kept_and_an_earlier_wish_shortens_it() -> None:
    work = Recorder()
    work.answers = [30.0]
    queue = WorkQueue(work, on_error=work.failed)
    async with running(queue):
        queue.add("a")
        await settle(queue)
        assert work.seen == ["a"]
        queue.add("a")
        await settle(queue)
    assert work.seen == ["a", "a"]


async def test_the_answer_is_the_time_of_the_next_look() -> None:
    work = Recorder()
    work.answers = [0.02, None]
    queue = WorkQueue(work, on_error=work.failed)
    async with running(queue):
        queue.add("a")
        await work.has_seen(2)
        await settle(queue, 0.05)
    assert work.seen == ["a", "a"]


async def test_failures_come_again_after_a_growing_delay_and_do_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queues, "BASE_DELAY", 0.01)
    monkeypatch.setattr(queues, "MAX_DELAY", 0.02)
    work = Recorder()
    work.answers = [ValueError(), ValueError(), ValueError(), None]
    queue = WorkQueue(work, on_error=work.failed)
    async with running(queue, workers=1):
        queue.add("a")
        await work.has_seen(4)
        queue.add("b")
        await settle(queue)
    assert work.seen == ["a", "a", "a", "a", "b"]
    assert work.errors == [0.01, 0.02, 0.02]


async def test_a_success_forgets_the_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "BASE_DELAY", 0.01)
    work = Recorder()
    work.answers = [ValueError(), None, ValueError(), None]
    queue = WorkQueue(work, on_error=work.failed)
    async with running(queue):
        queue.add("a")
        await work.has_seen(2)
        queue.add("a")
        await work.has_seen(4)
    assert work.errors == [0.01, 0.01]


async def test_an_event_does_not_shorten_the_back_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "BASE_DELAY", 30)
    work = Recorder()
    work.answers = [ValueError()]
    work.hold = asyncio.Event()
    queue = WorkQueue(work, on_error=work.failed)
    async with running(queue):
        queue.add("a")
        await asyncio.sleep(0.01)
        queue.add("a")
        work.hold.set()
        await settle(queue, 0.02)
    assert work.seen == ["a"]


async def test_a_night_of_failures_ends_no_worker() -> None:
    work = Recorder()
    work.answers = [ValueError()]
    queue = WorkQueue(work, on_error=work.failed)
    queue._failures["a"] = 2000
    async with running(queue, workers=1):
        queue.add("a")
        await settle(queue)
        queue.add("b")
        await settle(queue)
    assert (work.seen, work.errors) == (["a", "b"], [30.0])


@pytest.mark.parametrize("turns", range(5))
async def test_a_change_beside_the_end_of_the_process_does_not_keep_it(turns: int) -> None:
    work = Recorder()
    queue = WorkQueue(work, on_error=work.failed)

    async def outer() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(queue.run(1))

    queue.add("later", 60)
    task = asyncio.create_task(outer())
    await asyncio.sleep(0.01)
    task.cancel()
    for _ in range(turns):
        await asyncio.sleep(0)
    queue.add("a")
    _, left = await asyncio.wait([task], timeout=2)
    task.cancel()
    assert not left

"""The work queue: keys, not objects, each worked on by one worker at a time.

The semantics are those of client-go's workqueue (k8s.io/client-go/util/workqueue): a key that is
added while it waits is there once; one that is added while it is worked on is taken up again
afterwards; a failure puts it back after a delay that grows. The clock is the event loop's.
"""

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)

BASE_DELAY, MAX_DELAY = 0.5, 30.0
"""Seconds after which a key comes again after its first failure, and after many in a row."""
_DOUBLINGS = 10
"""No delay grows further than that; without a bound, a thousand failures overflow a float."""

Work = Callable[[K], Awaitable[float | None]]
"""Does the work of a key; answers with the seconds after which to look again, or None."""


class WorkQueue(Generic[K]):
    """Deduplicating, delaying queue with back-off per key.

    `on_error(key, error, delay)` gets every failure; the key comes again after `delay`.
    """

    def __init__(self, work: Work[K], *, on_error: Callable[[K, Exception, float], None]) -> None:
        self._work = work
        self._on_error = on_error
        self._due: dict[K, float] = {}
        self._heap: list[tuple[float, int, K]] = []
        self._tie = itertools.count()
        self._busy: set[K] = set()
        self._again: dict[K, float] = {}
        self._failures: dict[K, int] = {}
        self._changed = asyncio.Event()

    def add(self, key: K, delay: float = 0.0) -> None:
        """Have the key worked on in `delay` seconds at the latest."""
        due = asyncio.get_running_loop().time() + delay
        if key in self._busy:
            self._again[key] = min(due, self._again.get(key, due))
            return
        if due < self._due.get(key, float("inf")):
            self._due[key] = due
            heapq.heappush(self._heap, (due, next(self._tie), key))
            self._changed.set()

    @property
    def waiting(self) -> int:
        """Keys that are due and that no worker has taken yet."""
        now = asyncio.get_running_loop().time()
        return sum(due <= now for due in self._due.values())

    @property
    def working(self) -> int:
        """Keys that are worked on."""
        return len(self._busy)

    async def run(self, workers: int) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._worker())

    async def _worker(self) -> None:
        while True:
            key = await self._take()
            try:
                delay = await self._work(key)
            except Exception as error:
                failures = self._failures.get(key, 0)
                self._failures[key] = failures + 1
                delay = min(MAX_DELAY, BASE_DELAY * 2 ** min(failures, _DOUBLINGS))
                self._on_error(key, error, delay)
            else:
                self._failures.pop(key, None)
            finally:
                self._busy.discard(key)
            again = self._again.pop(key, None)
            if again is not None:
                # Something changed meanwhile. After a failure the back-off still holds.
                wait = max(0.0, again - asyncio.get_running_loop().time())
                delay = max(wait, delay or 0.0) if key in self._failures else wait
            if delay is not None:
                self.add(key, delay)

    async def _take(self) -> K:
        while True:
            now = asyncio.get_running_loop().time()
            while self._heap:
                due, _, key = self._heap[0]
                if self._due.get(key) != due:
                    heapq.heappop(self._heap)  # superseded by an earlier time
                    continue
                if due > now:
                    break
                heapq.heappop(self._heap)
                del self._due[key]
                self._busy.add(key)
                return key
            self._changed.clear()
            wait = self._heap[0][0] - now if self._heap else None
            with suppress(TimeoutError):
                # Not `wait_for`: Python 3.11's loses a cancellation that comes with the change.
                async with asyncio.timeout(wait):
                    await self._changed.wait()

"""Drives the real loop in simulated time: one pass after the other, no waiting."""

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from encbench.adapters.watchcache import WATCHED, WatchCache
from encbench.api.kinds import CAMPAIGN, LEASE, NAMESPACE, NODE, Kind
from encbench.ports import Pages, Rejected, Unavailable
from encbench.reconcile.background import Errand, Errands, Work
from encbench.reconcile.deps import Deps
from encbench.reconcile.loop import SWEEP_SECONDS, Key, Loop
from encbench.reconcile.nodes import TEND, NodeLeases
from encbench.reconcile.queue import BASE_DELAY, MAX_DELAY
from encbench.reconcile.reconcilers import reconcilers
from tests.unit.reconcile.timeline import SimClock
from tests.unit.reconcile.watched import Change

CLUSTER_WIDE = {
    ("get", NAMESPACE),
    ("get", NODE),
    *((verb, LEASE) for verb in ("get", "create", "apply")),
    *((verb, CAMPAIGN) for verb in ("get", "list", "patch_metadata")),
}
"""Calls that outlive a namespace's Role."""
LEASES = "encbench"
"""The operator's own namespace."""


class Killed(BaseException):
    """The operator's process ends here. No handler of errors may catch it."""


@dataclass
class SimQueue:
    """`reconcile.queue.WorkQueue` in simulated time, with one worker."""

    clock: SimClock
    due: dict[Key, float] = field(default_factory=dict)
    failures: dict[Key, int] = field(default_factory=dict)
    _heap: list[tuple[float, int, Key]] = field(default_factory=list)
    _tie: "itertools.count[int]" = field(default_factory=itertools.count)

    def add(self, key: Key, delay: float = 0.0) -> None:
        due = self.clock.time + delay
        if due < self.due.get(key, float("inf")):
            self.due[key] = due
            heapq.heappush(self._heap, (due, next(self._tie), key))

    @property
    def next(self) -> float:
        while self._heap and self.due.get(self._heap[0][2]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else float("inf")

    def take(self) -> Key:
        assert self.next < float("inf")
        _, _, key = heapq.heappop(self._heap)
        del self.due[key]
        return key


class AtOnce(Errands):
    """Does slow effects within the pass, for time stands still meanwhile."""

    async def do(self, errand: Errand, work: Work) -> bool:
        return await work()


class Operator:
    """One process of the operator, from its start to its death."""

    def __init__(
        self,
        deps: Deps,
        clock: SimClock,
        namespaces: Sequence[str],
        *,
        events: bool = True,
        hesitant: bool = False,
    ) -> None:
        self.clock = clock
        self.hesitant = hesitant
        """Whether passes may stall."""
        self.events = events
        """Whether watches work; without them only delays and the sweep find anything."""
        self.queue = SimQueue(clock)
        self.errors: list[tuple[Key, Exception]] = []
        """Every pass that failed, and why."""
        self.passes = 0
        self.stalled = False
        """In the middle of a pass and not getting on."""
        self._stopped, self._resumed = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None]
        self.nodes = NodeLeases(deps.cluster, clock, LEASES, clock.unix)
        self.cache = WatchCache(deps.cluster, clock.unix)
        passes = reconcilers(replace(deps, cluster=self.cache), AtOnce(lambda _: None), self.nodes)
        self.loop = Loop(deps.cluster, passes, namespaces, clock, shard=deps.shard)
        self.loop._queue = self.queue  # type: ignore[assignment]
        self.loop._trials = self.queue  # type: ignore[assignment]
        self.next_sweep = clock.time
        self._tended = clock.time

    def see(self, change: Change) -> None:
        """A change as the watch brings it."""
        wanted = WATCHED.get(change.kind)
        bears = change.body["metadata"].get("labels") or {}
        if self.events and wanted is not None:
            # What no longer has the labels of the watch is gone as far as that can see.
            gone = change.gone or not wanted.items() <= bears.items()
            self.cache.changed(change.kind, change.body, gone=gone)
            self.loop.changed(change.kind, change.body)

    @property
    def next(self) -> float:
        """When there is work that it can do."""
        if self.stalled:
            return float("inf")
        return min(self.next_sweep, self.next_round, self.queue.next)

    @property
    def next_round(self) -> float:
        """When it looks after the leases of nodes."""
        return self._tended + TEND if self.nodes.busy else float("inf")

    async def step(self) -> None:
        """Do what is due first, until it is done or stalls."""
        if not self.hesitant:
            await self._step()
            return
        self._task = asyncio.create_task(self._step())
        await self._advance()

    async def stall(self) -> None:
        """Called within a pass: hold it up until `resume`."""
        self.stalled = True
        self._resumed.clear()
        self._stopped.set()
        await self._resumed.wait()

    async def resume(self) -> None:
        """Let a stalled pass go on, until it is done or stalls again."""
        self.stalled = False
        self._stopped.clear()
        self._resumed.set()
        await self._advance()

    async def _advance(self) -> None:
        stalls = asyncio.create_task(self._stopped.wait())
        await asyncio.wait({self._task, stalls}, return_when=asyncio.FIRST_COMPLETED)
        stalls.cancel()
        if self._task.done():
            self._task.result()

    async def _step(self) -> None:
        self.clock.time = max(self.clock.time, self.next)
        if self.next_round <= self.clock.time:
            self._tended = self.clock.time
            await self.nodes.tend()
            return
        if self.next_sweep <= self.queue.next:
            self.next_sweep = self.clock.time + SWEEP_SECONDS
            await self.loop.sweep_once()
            return
        key = self.queue.take()
        self.passes += 1
        try:
            delay = await self.loop._work(key)
        except Exception as error:
            failures = self.queue.failures.get(key, 0)
            self.queue.failures[key] = failures + 1
            self.errors.append((key, error))
            delay = min(MAX_DELAY, BASE_DELAY * 2**failures)
        else:
            self.queue.failures.pop(key, None)
        if delay is not None:
            self.queue.add(key, delay)


class Switch:
    """A port that can be cut off."""

    def __init__(self, port: Any) -> None:
        self._port = port
        self.away = False
        self.has_role = True
        """Without its Role in the namespace the operator has the rights of its ClusterRole."""

    def __getattr__(self, name: str) -> Any:
        if self.away:
            return self._refuse
        method = getattr(self._port, name)

        async def cluster_wide(kind: Kind, *args: Any, **kwargs: Any) -> Any:
            if (name, kind) not in CLUSTER_WIDE:
                raise Rejected(f"{kind.plural} is forbidden: cannot {name} in the namespace")
            return await method(kind, *args, **kwargs)

        return method if self.has_role else cluster_wide

    async def pages(self, *args: Any) -> Pages:
        yield await self.list(*args)

    async def _refuse(self, *_: Any, **__: Any) -> Any:
        raise Unavailable("nobody answers")


Hesitation = Callable[[str, tuple[Any, ...]], float]
"""Seconds for which an operator is held up before a request of that name and arguments."""


def now_and_then(seed: int, chance: float, longest: float) -> Hesitation:
    """Before any request."""
    random = Random(seed)

    def hesitation(*_: Any) -> float:
        return random.uniform(0.0, longest) if random.random() < chance else 0.0

    return hesitation


class Hesitant:
    """A port between whose calls an operator may be held up."""

    def __init__(self, port: Any, pause: Callable[[str, tuple[Any, ...]], Awaitable[None]]) -> None:
        self._port, self._pause = port, pause

    async def pages(self, *args: Any) -> Pages:
        yield await self.list(*args)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        if not callable(method):
            return method

        async def slow(*args: Any, **kwargs: Any) -> Any:
            await self._pause(name, args)
            return await method(*args, **kwargs)

        return slow

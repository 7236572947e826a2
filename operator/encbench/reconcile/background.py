"""Slow effects, done beside the workers: a full proof may take a quarter of an hour.

A pass hands such an effect over and ends, so that no worker waits for an agent, the store or
Prometheus while the clients of another campaign are to be released. The status has announced the
effect; if the operator ends before it is done, the next one repeats it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from encbench.api.kinds import Kind
from encbench.logs import about, named
from encbench.ports import Conflict, Meter, Rejected, Unavailable

LIMIT = 8
"""Slow effects of one lane at once. Proofs are work for the databases' nodes, so more would only
disturb."""
Lane = Literal["agent", "scan", "store"]
"""Whom an errand waits for, mostly. Full scans take minutes where nothing is amiss, as all takes of
a store or a Prometheus that hangs. Proofs wait for neither: databases are idle meanwhile."""

Subject = tuple[Kind, str, str]
"""An object's kind, namespace and name."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Errand:
    """A slow effect of one incarnation of an object."""

    kind: Kind
    namespace: str
    name: str
    uid: str
    what: str
    lane: Lane = "agent"

    def __str__(self) -> str:
        return f"{self.what} of {named(*self.place)}"

    @property
    def place(self) -> Subject:
        """Where its object is."""
        return self.kind, self.namespace, self.name


Work = Callable[[], Awaitable[bool]]
"""Does it; whether it found something for the next pass."""


class Faults(Protocol):
    """Knows of slow effects that end in a fault again and again."""

    def passed(self, subject: Subject) -> None:
        """One ended without."""
        ...

    async def failed(self, subject: Subject, error: Exception) -> None:
        """One ended with this."""
        ...


class Errands:
    """Does each errand once at a time, and no more than `limit` of a lane at once.

    `found` gets every errand that has found something. One that has not, or has failed, comes
    again with the next pass over its object, which has a delay of its own. No pass fails by its
    faults, so it reports them itself.
    """

    def __init__(
        self,
        found: Callable[[Errand], None],
        limit: int = LIMIT,
        *,
        faults: Faults | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._found = found
        self._faults = faults
        self._meter = meter or Meter()
        self._faulty = set[Errand]()
        """Those whose last attempt ended in a fault, which the log has."""
        self._slots: dict[Lane, asyncio.Semaphore] = {
            lane: asyncio.Semaphore(limit) for lane in get_args(Lane)
        }
        self._tasks: dict[Errand, asyncio.Task[None]] = {}

    @property
    def under_way(self) -> int:
        """Errands that are done or wait for their turn."""
        return len(self._tasks)

    async def do(self, errand: Errand, work: Work) -> bool | None:
        """Begin it, unless it is under way; None until it has ended.

        One that ends at once returns whether it has found something for the next pass.
        """
        if errand not in self._tasks:
            self._tasks[errand] = asyncio.create_task(self._do(errand, work))
        return None

    def doing(self, kind: Kind, namespace: str, name: str) -> frozenset[Errand]:
        """What is under way for an object."""
        place = (kind, namespace, name)
        return frozenset(one for one in self._tasks if one.place == place)

    def drop(self, kind: Kind, namespace: str, name: str) -> None:
        """Let go of all that is under way for an object that needs it no more.

        It is cancelled: an agent stops when its caller hangs up.
        """
        place = (kind, namespace, name)
        for one in self.doing(*place):
            self._tasks.pop(one).cancel()
        self._faulty = {one for one in self._faulty if one.place != place}
        if self._faults is not None:
            # Another object may have its name one day.
            self._faults.passed(place)

    async def end(self) -> None:
        """Let go of all that is under way: this process acts for no object any more."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _do(self, errand: Errand, work: Work) -> None:
        found = False
        try:
            async with self._slots[errand.lane]:
                found = await work()
        except (Unavailable, Conflict, Rejected) as error:
            log.info("%s: %s", errand, error, extra=about(*errand.place))
        except Exception as error:
            await self._report(errand, error)
        else:
            self._faulty.discard(errand)
            if self._faults is not None:
                self._faults.passed(errand.place)
        finally:
            if self._tasks.get(errand) is asyncio.current_task():
                del self._tasks[errand]
        if found:
            self._found(errand)

    async def _report(self, errand: Errand, error: Exception) -> None:
        """Once with all of it, and then with a line for each attempt, of which there are many."""
        whole = None if errand in self._faulty else error
        log.error("%s: %r", errand, error, exc_info=whole, extra=about(*errand.place))
        self._faulty.add(errand)
        self._meter.failed(errand.kind)
        if self._faults is not None:
            await self._faults.failed(errand.place, error)

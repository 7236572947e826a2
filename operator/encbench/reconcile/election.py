"""Leader election: of all processes of an installation, one acts for each shard.

As in client-go's leader election, the process that has the shard's Lease renews it every `AGAIN`
seconds. Another takes it once it has seen it unchanged for `LASTS` seconds, by its own clock: what
other clocks show does not matter, as long as none of them runs a third faster than another.

A leader acts for `ACTS` seconds from when it began to renew, and no longer, whatever it knows: so
one that was frozen or cut off has stopped before another begins. Two things differ from client-go:

- **A leader that is late goes on if the Lease is still its own.** Leases are written under the
  version that was read, so then no other has acted in between. While the API server is away, no
  process ends.
- **A Lease says how many shards there are.** A process that begins to lead, or goes on after it was
  late, writes its own Lease first and then looks at the others. If one of them is held for another
  number of shards, it gives its own back. Of two that begin at once, one at least sees the other.
  It goes on renewing beside its look, so that it may lead by an API server that needs half of
  `ACTS` for an answer.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from encbench.api.conditions import parse_time
from encbench.api.kinds import LEASE
from encbench.kube import shard_leases
from encbench.kube.shard_leases import ShardLease
from encbench.kube.shards import Shard
from encbench.ports import Clock, Cluster, Conflict, Rejected, Unavailable
from encbench.reconcile.absences import Absences, Contact
from encbench.reconcile.ages import Ages

LASTS = 10
"""Seconds for which a Lease has to stay unchanged before another process takes it."""
ACTS = 7.0
"""Seconds for which a leader acts without a renewal."""
AGAIN = 2.0
"""Seconds between renewals, and between the looks of a process that stands by."""
PATIENCE = 5.0
"""Seconds that a request may take; those of others have longer."""
SOON = 1.0
"""Seconds until the next attempt after one that failed."""
REMINDED = 60.0
"""Seconds between warnings while a process does not lead because of the API server."""
TOO_SLOW = "the API server takes too long to answer for a process to lead"

log = logging.getLogger(__name__)

T = TypeVar("T")


class Deposed(Exception):
    """The shard's Lease is not this process's any more. The text says whose it is."""


@dataclass(frozen=True)
class Contender:
    """A process that stands for election."""

    namespace: str
    """Of the Leases."""
    election: str
    """The same for all processes of an installation."""
    identity: str
    """Of this process alone: its pod, or its machine, and some random digits after a `_`."""
    shards: int = 1
    pod: str = ""
    """The pod in which it runs, if it is alone there: earlier processes of the pod have ended."""

    def succeeds(self, holder: str) -> bool:
        """Whether that is this process, or an earlier one of its pod."""
        return holder == self.identity or (self.pod != "" and holder.startswith(f"{self.pod}_"))


class Elector:
    """One process's part in the election. `ticks` is a clock in seconds that is never set."""

    def __init__(
        self, cluster: Cluster, clock: Clock, ticks: Callable[[], float], own: Contender
    ) -> None:
        self._cluster, self._clock, self._ticks, self._own = cluster, clock, ticks, own
        self._held: ShardLease | None = None
        """The Lease as this process wrote it last."""
        self._until = float("-inf")
        """When this process has to stop, unless it renews."""
        self._alone = False
        """Whether it has seen no rivals since it has had the Lease without a gap."""
        self._shard: Shard | None = None
        self._elected = asyncio.Event()
        self._contact = Contact(clock, ticks, ACTS)
        self._ages: Ages[int] = Ages(ticks)
        self._silent: dict[int, float] = {}
        """For how many seconds each Lease has stayed as it is."""
        self._said = ""
        self._warned = float("-inf")
        self._complained = False
        """Whether a warning was the last word about the Leases."""

    @property
    def leads(self) -> bool:
        """Whether this process may act now."""
        return self._alone and self._ticks() < self._until

    def absences(self) -> Absences:
        """When this process could do nothing, whether it led or stood by."""
        return self._contact.absences()

    def standing(self) -> dict[int, bool]:
        """Of each shard, whether this process leads it."""
        own = self._held.shard.index if self._held is not None and self.leads else None
        return {index: index == own for index in range(self._own.shards)}

    async def elected(self) -> Shard:
        """The shard, once this process leads one."""
        await self._elected.wait()
        assert self._shard is not None  # noqa: S101 - it was set before
        return self._shard

    async def run(self) -> None:
        """Stand for election, then stay elected, until cancelled. Deposed when another leads."""
        while True:
            began, pause = self._ticks(), SOON
            try:
                pause = await self.attempt()
                trouble = TOO_SLOW if self._held is not None and not self.leads else ""
            except (Unavailable, Rejected, Conflict) as error:
                trouble = str(error) or type(error).__name__
            if trouble:
                self._complain(f"the Leases of shards: {trouble}")
            elif self._complained:
                self._complained = False
                log.info("%s %s again", self._own.identity, "leads" if self.leads else "stands by")
            await asyncio.sleep(max(0.0, began + pause - self._ticks()))

    async def attempt(self) -> float:
        """Begin to lead, or go on leading; seconds until the next attempt."""
        pause = await (self._stand() if self._held is None else self._stay(self._held))
        self._contact.made()
        return pause

    async def resign(self) -> None:
        """Act no more, and let another process lead at once."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.give_back()
        except (Unavailable, Rejected, Conflict, TimeoutError) as error:
            log.warning("the shard's Lease has to run out: %s", error or type(error).__name__)

    async def give_back(self) -> None:
        """The same, without an end to its patience."""
        self._held, self._until = None, float("-inf")
        for lease in (await self._read()).values():
            if lease.holder == self._own.identity:
                await self._write(lease.free())

    # -- inside

    async def _stand(self) -> float:
        found = await self._read()
        if self._rivals(found):
            self._say("stands by: operators with another number of shards are at work")
            return AGAIN
        for lease in self._free(found):
            try:
                await self._take(lease)
            except Conflict:
                continue  # Another process was quicker.
            if lease.renewed:
                self._contact.begin(parse_time(lease.renewed))
            await self._confirm()
            return AGAIN
        self._say(f"stands by: shards are led by {', '.join(sorted(_holders(found)))}")
        held = [lease for lease in found.values() if self._is_held(lease)]
        return min([AGAIN, *(lease.seconds - self._silent[lease.shard.index] for lease in held)])

    def _free(self, found: dict[int, ShardLease]) -> list[ShardLease]:
        """The Leases to be had; first the one that this process, or an earlier one, has."""
        every = [
            found.get(index) or ShardLease(self._own.election, Shard(index))
            for index in range(self._own.shards)
        ]
        free = [lease for lease in every if not self._is_held(lease)]
        return sorted(free, key=lambda lease: not self._own.succeeds(lease.holder))

    async def _stay(self, held: ShardLease) -> float:
        try:
            await self._take(held)
            if not self._alone:
                await self._confirm()
        except Conflict:
            found = (await self._read()).get(held.shard.index)
            if found is None or found.holder != self._own.identity:
                whose = found.holder if found is not None else ""
                return self._lose(f"{held.name} is held by {whose or 'none'}")
            # An answer of the API server's was lost, or a person has changed the Lease.
            self._held = found
            return 0.0
        return AGAIN

    async def _take(self, lease: ShardLease) -> bool:
        """Write that the Lease is this process's. Conflict.

        False if others may have found it free since the last time.
        """
        began = self._ticks()
        self._held = await self._write(self._taken(lease))
        unbroken, self._until = self._ticks() < self._until, began + ACTS
        self._alone = self._alone and unbroken
        return unbroken

    async def _confirm(self) -> None:
        """The Lease is this process's: lead, unless there are rivals. Conflict.

        It is renewed beside the look, because both in turn may take longer than a renewal counts.
        What the look has found counts if there was no gap meanwhile.
        """
        assert self._held is not None  # noqa: S101 - it was taken before
        both = (self._take(self._held), self._has_rivals())
        unbroken, rivals = results = await asyncio.gather(*both, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        if rivals:
            await self.give_back()
            self._lose("operators with another number of shards are at work")
            return
        self._alone = bool(unbroken)
        if self._alone and self._shard is None:
            self._shard = shard = self._held.shard
            self._said, self._complained = "", False
            log.info("%s leads shard %d of %d", self._own.identity, shard.index, shard.of)
            self._elected.set()

    def _lose(self, why: str) -> float:
        """Stand again; Deposed if this process has led."""
        self._held, self._until = None, float("-inf")
        if self._shard is not None:
            raise Deposed(why)
        return AGAIN

    def _taken(self, lease: ShardLease) -> ShardLease:
        return lease.taken(self._own.identity, self._own.shards, self._clock.now(), LASTS)

    def _is_held(self, lease: ShardLease) -> bool:
        """Whether another process may be acting by this Lease."""
        if not lease.holder or self._own.succeeds(lease.holder):
            return False
        return self._silent[lease.shard.index] < lease.seconds

    async def _has_rivals(self) -> bool:
        return self._rivals(await self._read())

    def _rivals(self, found: dict[int, ShardLease]) -> bool:
        """Whether processes are at work that count the shards differently."""
        others = (one for one in found.values() if one.shard.of != self._own.shards)
        return any(self._is_held(one) for one in others)

    async def _read(self) -> dict[int, ShardLease]:
        marks = shard_leases.marks(self._own.election)
        bodies = await _in_time(self._cluster.list(LEASE, self._own.namespace, marks))
        try:
            found = {one.shard.index: one for one in map(shard_leases.parse, bodies)}
        except (ValueError, LookupError) as error:
            raise Rejected(f"a Lease of {self._own.election} cannot be read: {error}") from error
        self._silent = self._ages.see({index: one.version for index, one in found.items()})
        return found

    async def _write(self, lease: ShardLease) -> ShardLease:
        """Conflict when the Lease has changed since it was read."""
        space = self._own.namespace
        if not lease.version:
            bare = shard_leases.bare(lease, space)
            new = shard_leases.parse(await _in_time(self._cluster.create(LEASE, bare)))
            lease = replace(lease, uid=new.uid, version=new.version)
        body = shard_leases.body_of(lease, space)
        return shard_leases.parse(await _in_time(self._cluster.apply(LEASE, body)))

    def _say(self, what: str) -> None:
        """Once, until there is something else to say."""
        if what != self._said:
            log.info("%s: %s", self._own.identity, what)
            self._said = what

    def _complain(self, what: str) -> None:
        """Once while this process leads nevertheless, else again and again."""
        if self.leads:
            self._say(what)
        elif self._ticks() >= self._warned + REMINDED:
            log.warning("%s does not lead: %s", self._own.identity, what)
            self._warned, self._complained = self._ticks(), True


async def _in_time(request: Awaitable[T]) -> T:
    """Its answer. Unavailable if there is none in time."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await request
    except TimeoutError as error:
        raise Unavailable(f"the API server did not answer within {PATIENCE:g} s") from error


def _holders(found: dict[int, ShardLease]) -> set[str]:
    return {lease.holder for lease in found.values() if lease.holder}

"""One measurement a node at a time, across cells, campaigns, namespaces and operators.

A cell of a campaign holds the Lease of each node on which one of its units (a trial, an interleaved
block, a testbed's preparation) works. Leases are written under the version that was read, so one
cell holds a node at a time.

- **No deadlock**: a unit takes its nodes in the order of their names. Where it has to wait, it
  gives back those that come later in that order.
- **Fair**: who waits is in the Lease's queue, and only the first in it may take a free node. A
  cell that holds the node hands it over when its unit has ended, and queues again.
- **Free of charge**: while no other cell waits, the node stays with its cell from one trial to the
  next, which this process knows without a request. `tend` renews and looks for others. A node on
  which nothing works goes to another cell of the same campaign at once.
- **Safe**: a Lease always lasts for longer than its unit can work, so that what a dead operator has
  released has ended before another takes the node. How long a Lease has not been renewed is
  measured by one's own clock, from when it was first seen: other clocks may be wrong. While one
  cannot see it none may be able to renew it, and what was released may go on. Of a campaign that
  is gone or over the node is taken at once.
- **Tidy**: a Lease that a process left behind when it died is freed even if none waits for it.
"""

import asyncio
import logging
import math
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakValueDictionary

from encbench.api.kinds import CAMPAIGN, LEASE, NODE, POD
from encbench.database.pod import SLOW_SHUTDOWN_SECONDS
from encbench.kube import labels, leases
from encbench.kube.leases import Holder, NodeLease, QueueEntry, Unit
from encbench.kube.parsing import Malformed
from encbench.ports import Body, Clock, Cluster, Conflict, Rejected, Unavailable
from encbench.reconcile.ages import Ages
from encbench.reconcile.claims import KeptLease, NodeStanding, UnitClaim, Use, in_words, others_wait
from encbench.reconcile.objects import campaign, has_ended
from encbench.reconcile.pods import ENDING_SLACK, has_room
from encbench.tools.pod import GRACE_SECONDS

TEND = 5.0
"""Seconds between rounds over the leases that are held."""
RENEW = 10.0
"""Seconds from one renewal to the next."""
SWEEP = 30.0
"""Seconds between looks for Leases that a dead process left behind."""
UNSEEN = SWEEP + TEND
"""Seconds between two looks at a Lease that count as its holder's silence, at most."""
SPARE = 60.0
"""Seconds by which a lease outlasts the longest work of its unit, if it is never renewed again."""
IDLE = 15.0
"""Seconds for which a node that nothing works on stays with its cell."""
ALIVE = 20.0
"""Seconds between signs of life of those who wait. A holder without one is looked up then."""
GONE = 3 * ALIVE
"""Seconds without a sign of life after which a request is removed from the queue."""
LINGER = GRACE_SECONDS + ENDING_SLACK
"""Seconds within which pods of deleted objects are being deleted, and a client has ended."""
LONGEST = SLOW_SHUTDOWN_SECONDS + ENDING_SLACK
"""Seconds within which a database has ended too."""
ATTEMPTS = 5
"""Attempts to write, each lost to another writer, before a unit waits for its next pass."""

log = logging.getLogger(__name__)


class NodeLeases:
    """The leases of one process's cells.

    `ticks` is a clock in seconds that is never set.
    """

    def __init__(
        self, cluster: Cluster, clock: Clock, namespace: str, ticks: Callable[[], float]
    ) -> None:
        self._cluster, self._clock, self._ticks = cluster, clock, ticks
        self._namespace = namespace
        self._claims: dict[Unit, UnitClaim] = {}
        self._kept: dict[str, KeptLease] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Those that something has or waits for."""
        self._signs: defaultdict[str, Ages[Unit | None]] = defaultdict(lambda: Ages(ticks, UNSEEN))
        """Of each node's holder (None) and of each request in its queue; a sweep forgets those of
        Leases that are gone."""
        self._swept = -math.inf
        self._tended = ticks()
        self._is_away = False
        """Whether the API server could not be asked in the last round."""
        self._elsewhere: dict[str, Holder] = {}
        """Who had the nodes that this process does not keep, when they were looked through."""

    @property
    def busy(self) -> bool:
        """Whether there is something to tend."""
        return bool(self._kept or self._claims)

    def standing(self, unit: Unit, member: str, seconds: float) -> NodeStanding:
        """How the unit stands, if a member of it may work for so long from now on."""
        claim, now = self._claims.get(unit), self._ticks()
        own = {
            node: kept
            for node, kept in self._kept.items()
            if kept.lease.holder == unit.holder and kept.lasts(seconds, now)
        }
        holders: dict[str, Holder | None] = {**self._elsewhere}
        holders |= {node: kept.lease.holder for node, kept in self._kept.items()}
        others = (node for node, holder in holders.items() if holder not in (None, unit.holder))
        return NodeStanding(
            taken=frozenset(others),
            used=frozenset(node for node, kept in own.items() if unit in kept.users),
            free=frozenset(node for node, kept in own.items() if not kept.has_rivals),
            joined=claim is not None and member in claim.members,
            waits=claim.waits if claim is not None else "",
        )

    def look_after(self, unit: Unit, member: str) -> None:
        """The member was looked at, and so it may go on."""
        claim = self._claims.get(unit)
        if claim is not None and member in claim.members:
            claim.due[member] = self._ticks() + claim.members[member].seconds

    async def take(self, use: Use) -> bool:
        """Take the nodes, or go on waiting for them; whether the unit has all it asked for."""
        while True:
            claim = self._claims.setdefault(use.unit, UnitClaim())
            claim.members[use.member] = use
            claim.due[use.member] = self._ticks() + use.seconds
            claim.gone.pop(use.member, None)
            async with claim.lock:
                if self._claims.get(use.unit) is claim:
                    return await self._take_all(use.unit, claim)

    async def leave(self, unit: Unit, member: str) -> None:
        """The member works no more. With the last one the nodes are free for the next unit."""
        claim = self._claims.get(unit)
        if claim is None:
            return
        async with claim.lock:
            claim.members.pop(member, None)
            claim.due.pop(member, None)
            claim.gone.pop(member, None)
            if claim.members or self._claims.get(unit) is not claim:
                return
            del self._claims[unit]
            for node in self._used(unit):
                await self._release(unit, node)
            for node in claim.queued:
                await self._withdraw(unit, node)

    def abandon(self, namespace: str, member: str) -> None:
        """The member's object is gone: leave once its pods have ended, or have had time to."""
        now = self._ticks()
        for unit, claim in self._claims.items():
            if unit.holder.namespace == namespace and member in claim.members:
                claim.due[member] = min(claim.due[member], now + LINGER)
                claim.gone.setdefault(member, now + LONGEST)

    async def keep(self) -> None:
        """Tend until cancelled."""
        while True:
            await asyncio.sleep(TEND)
            try:
                await self.tend()
            except Exception:
                log.exception("the leases of nodes could not be tended")

    async def tend(self) -> None:
        """Renew what is held, give back what nothing works on, see who waits and what is left."""
        now = self._ticks()
        was_away, self._is_away = self._is_away, False
        if was_away:
            # No pass could look after its unit either.
            for claim in self._claims.values():
                for ends in (claim.due, claim.gone):
                    for member in ends:
                        ends[member] += now - self._tended
        self._tended = now
        late = [
            (unit, claim, member)
            for unit, claim in self._claims.items()
            for member, due in claim.due.items()
            if now >= due
        ]
        for unit, claim, member in late:
            if now >= claim.gone.get(member, now) or not await self._is_ending(unit, claim, member):
                await self.leave(unit, member)
        for node, kept in list(self._kept.items()):
            if not kept.users or self._ticks() - kept.renewed >= RENEW:
                try:
                    async with self._lock(node):
                        await self._renew(node)
                except (Unavailable, Rejected, Conflict) as error:
                    self._is_away |= isinstance(error, Unavailable)
                    log.info("the lease of node %s is not renewed: %s", node, error)
        if now - self._swept >= SWEEP:
            self._swept = now
            try:
                await self._sweep()
            except (Unavailable, Rejected) as error:
                log.info("the leases of nodes are not looked through: %s", error)

    async def _is_ending(self, unit: Unit, claim: UnitClaim, member: str) -> bool:
        """Whether a pod of its cell still ends on a node of the member, or may do so."""
        cell = {labels.CAMPAIGN: unit.holder.name, labels.CELL: unit.holder.cell}
        try:
            pods = await self._cluster.list(POD, unit.holder.namespace, cell)
        except (Unavailable, Rejected):
            return True
        use = claim.members.get(member)
        return use is not None and any(
            has_room(pod)
            and "deletionTimestamp" in pod["metadata"]
            and pod["spec"]["nodeName"] in use.nodes
            for pod in pods
        )

    def _lock(self, node: str) -> asyncio.Lock:
        return self._locks.setdefault(node, asyncio.Lock())

    # -- units

    def _used(self, unit: Unit) -> list[str]:
        return sorted(node for node, kept in self._kept.items() if unit in kept.users)

    async def _take_all(self, unit: Unit, claim: UnitClaim) -> bool:
        asked = claim.nodes
        for node in asked:
            try:
                async with self._lock(node):
                    claim.waits = await self._acquire(unit, claim, node)
            except (Unavailable, Rejected, Conflict) as error:
                claim.waits = f"the lease of node {node} cannot be had: {error}"
                # It waits for no other unit, and it may be at work on the later ones. If it has not
                # begun, what is refused for good would keep them from all others.
                if isinstance(error, Rejected) and claim.began is None:
                    await self._release_after(unit, node)
                return False
            if claim.waits:
                await self._release_after(unit, node)
                return False
        for node in self._used(unit):
            if node not in asked:
                await self._release(unit, node)
        for node in claim.queued.difference(asked):
            await self._withdraw(unit, node)
        claim.queued.intersection_update(asked)
        claim.began = claim.began or self._clock.now().timestamp()
        return True

    async def _release_after(self, unit: Unit, node: str) -> None:
        for later in self._used(unit):
            if later > node:
                await self._release(unit, later)

    async def _acquire(self, unit: Unit, claim: UnitClaim, node: str) -> str:
        """Empty when the unit has the node; else what it waits for."""
        kept = self._kept.get(node)
        if kept is not None and kept.lease.holder == unit.holder:
            may_join = unit in kept.users or (not kept.has_rivals and node not in claim.queued)
            if may_join and kept.lasts(claim.seconds, self._ticks()):
                kept.users.add(unit)
                return ""
        if kept is not None and self._must_wait(unit, claim, kept):
            return in_words(kept.lease, unit, self._clock.now().timestamp())
        for _ in range(ATTEMPTS):
            with suppress(Conflict):
                return await self._ask(unit, claim, await self._read(node))
        raise Conflict("others change it all the time")

    def _must_wait(self, unit: Unit, claim: UnitClaim, kept: KeptLease) -> bool:
        """Whether the Lease has no news for it: another cell is at work, and its place is kept."""
        is_at_work = bool(kept.users) and kept.lease.holder != unit.holder
        if not is_at_work or kept.lease.node not in claim.queued:
            return False
        return self._ages(kept.lease).get(unit, ALIVE) < ALIVE

    async def _ask(self, unit: Unit, claim: UnitClaim, read: NodeLease) -> str:
        """The same by the Lease as it was read. Conflict when it has changed since."""
        node, now = read.node, self._ticks()
        ages = self._ages(read)
        lost = [r.unit for r in read.queue if r.unit != unit and ages[r.unit] >= GONE]
        lease = read.without(lost)
        kept = self._kept.get(node)
        if kept is not None and lease.holder != kept.lease.holder:
            # It ran out while this process could not renew it.
            del self._kept[node]
            kept = None
        if lease.holder is not None and lease.holder.includes(unit.holder):
            # Without a `kept`, the process that took this lease has died.
            may = kept is None or unit in kept.users or not others_wait(lease, unit.holder)
            if not may and kept is not None and not kept.users:
                lease = lease.free()
        elif await self._may_have(unit, lease, kept, ages[None]):
            may = not lease.queue or lease.queue[0].unit == unit
            lease = lease.free()
        else:
            may = False
        if may:
            users = {unit} | (kept.users if kept is not None else set())
            await self._hold(lease.without([unit]), unit.holder, users, now)
            claim.queued.discard(node)
            return ""
        if unit not in ages or ages[unit] >= ALIVE:
            seen = self._clock.now().isoformat(timespec="microseconds")
            lease = lease.with_request(QueueEntry(unit, claim.expected, seen))
        if lease != read:
            lease = await self._write(lease)
        if lease.holder is None:
            self._kept.pop(node, None)
        elif kept is not None:
            kept.lease = lease
        claim.queued.add(node)
        return in_words(lease, unit, self._clock.now().timestamp())

    # -- nodes; each of these is called under the node's lock, but for the first two

    async def _release(self, unit: Unit, node: str) -> None:
        """The unit does not use the node any more; give it to another cell if one waits."""
        async with self._lock(node):
            kept = self._kept.get(node)
            if kept is None:
                return
            kept.users.discard(unit)
            kept.idle_since = self._ticks()
            if not kept.users and kept.has_rivals:
                # What fails here is done by `tend`.
                with suppress(Unavailable, Rejected, Conflict):
                    await self._renew(node)

    async def _withdraw(self, unit: Unit, node: str) -> None:
        """Take the unit out of the node's queue; without that it would be skipped in a minute."""
        async with self._lock(node):
            with suppress(Unavailable, Rejected, Conflict):
                read = await self._find(node)
                if read is not None and read.without([unit]) != read:
                    await self._write(read.without([unit]))

    async def _renew(self, node: str) -> None:
        kept = self._kept.get(node)
        if kept is None:
            return
        now, holder = self._ticks(), kept.lease.holder
        if holder is not None and kept.users and not kept.lease.queue:
            # Nothing is to be seen but what others have written, which makes this a conflict.
            with suppress(Conflict):
                await self._hold(kept.lease, holder, kept.users, now)
                return
        lease = await self._find(node)
        if lease is None:
            await self._renew_what_is_gone(node, kept, now)
            return
        ages = self._ages(lease)
        if holder is None or lease.holder != holder:
            log.warning("the lease of node %s has gone to %s", node, lease.holder)
            del self._kept[node]
            return
        lease = lease.without([r.unit for r in lease.queue if ages[r.unit] >= GONE])
        idle = not kept.users
        if idle and (others_wait(lease, holder) or now - kept.idle_since >= IDLE):
            await self._write(lease.free())
            del self._kept[node]
        elif idle and now - kept.renewed < RENEW:
            kept.lease = lease
        else:
            await self._hold(lease, holder, kept.users, now)

    async def _renew_what_is_gone(self, node: str, kept: KeptLease, now: float) -> None:
        """A Lease goes with its Node, which may have registered anew under work that goes on."""
        holder, found = kept.lease.holder, None
        owner = await self._node(node) if kept.users else None
        if owner is not None:
            await self._make(node, owner)
            found = await self._find(node)
        if found is None or holder is None:
            log.warning("the lease of node %s is gone, as the node may be", node)
            del self._kept[node]
        else:
            await self._hold(found, holder, kept.users, now)

    async def _sweep(self) -> None:
        """Free the Leases that have run out, and those of campaigns that are gone or over."""
        found, listed = {}, await self._cluster.list(LEASE, self._namespace, leases.MARKS)
        bodies = {body["metadata"]["name"]: body for body in listed}
        for name, body in bodies.items():
            async with self._lock(name):
                with suppress(ValueError, LookupError, Conflict):
                    lease = leases.parse(body)
                    if lease.holder is None or lease.node in self._kept:
                        continue
                    if await self._is_free(lease, self._ages(lease)[None]):
                        await self._write(lease.free())
                    else:
                        found[lease.node] = lease.holder
        self._elsewhere = found
        for gone in self._signs.keys() - bodies.keys():
            del self._signs[gone]

    async def _hold(self, lease: NodeLease, holder: Holder, users: set[Unit], now: float) -> None:
        """Write that the cell has the node from now on, for as long as these may work."""
        claims = [self._claims[unit] for unit in users if unit in self._claims]
        # The next unit will need as long a lease as the last one.
        longest = max((one.seconds + SPARE for one in claims), default=float(lease.seconds))
        moment = self._clock.now()
        ends = [
            None if one.expected is None else (one.began or moment.timestamp()) + one.expected
            for one in claims
        ]
        until = None if None in ends else max((end for end in ends if end), default=None)
        written = await self._write(lease.taken(holder, moment, math.ceil(longest), until))
        kept = self._kept.get(lease.node)
        idle_since = kept.idle_since if kept is not None else now
        self._kept[lease.node] = KeptLease(written, now, users, idle_since)

    def _ages(self, lease: NodeLease) -> dict[Unit | None, float]:
        """For how many seconds the holder (None) and each request have given no sign of life."""
        signs: dict[Unit | None, str] = {one.unit: one.seen for one in lease.queue}
        signs[None] = f"{lease.holder} {lease.renewed}"
        return self._signs[lease.node].see(signs)

    async def _may_have(
        self, unit: Unit, lease: NodeLease, kept: KeptLease | None, silent: float
    ) -> bool:
        """Whether the unit may take it from another cell, or from none."""
        if kept is None:
            return await self._is_free(lease, silent)
        # However long it could not be renewed, this process knows who works on the node.
        return kept.is_spare_for(unit.holder) or (
            not kept.users and await self._is_free(lease, silent)
        )

    async def _is_free(self, lease: NodeLease, silent: float) -> bool:
        """Whether none has the node, or the campaign that had it is gone."""
        if lease.holder is None or silent >= lease.seconds:
            return True
        return silent >= ALIVE and await self._is_over(lease.holder)

    async def _is_over(self, holder: Holder) -> bool:
        try:
            body = await self._cluster.get(CAMPAIGN, holder.namespace, holder.name)
        except Rejected:
            return False  # It is not for us to see, so its lease has to run out.
        if body is None or body["metadata"]["uid"] != holder.uid:
            return True
        try:
            return has_ended(campaign(body))
        except Malformed:
            return False  # Another version wrote it, and may be at work on it.

    async def _read(self, node: str) -> NodeLease:
        """The node's Lease, which is made where there is none."""
        found = await self._find(node)
        if found is None:
            with suppress(Conflict):
                await self._make(node, await self._node(node))
            found = await self._find(node)
        if found is None:
            raise Unavailable("it was deleted at this moment")
        return found

    async def _make(self, node: str, owner: Body | None) -> None:
        await self._cluster.create(LEASE, leases.of_node(node, self._namespace, owner))

    async def _node(self, name: str) -> Body | None:
        """The Node; None where it is gone, or not for us to see."""
        with suppress(Rejected):
            return await self._cluster.get(NODE, "", name)
        return None

    async def _find(self, node: str) -> NodeLease | None:
        body = await self._cluster.get(LEASE, self._namespace, node)
        if body is None:
            return None
        if not leases.is_ours(body):
            raise Rejected(
                f"Lease {node} in namespace {self._namespace} is not encbench's: give the operator "
                "another namespace for its leases"
            )
        try:
            return leases.parse(body)
        except (ValueError, LookupError) as error:
            raise Rejected(f"Lease {node} cannot be read, delete it: {error}") from error

    async def _write(self, lease: NodeLease) -> NodeLease:
        """Conflict when the Lease has changed since it was read."""
        return leases.parse(
            await self._cluster.apply(LEASE, leases.body_of(lease, self._namespace))
        )

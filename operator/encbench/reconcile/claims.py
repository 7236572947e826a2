"""What units ask of nodes, what they have of them, and how they stand.

`reconcile.nodes` takes, renews and gives back the leases; here is what it remembers of them.
"""

import asyncio
import math
from dataclasses import dataclass, field

from encbench.kube.leases import Holder, NodeLease, Unit


@dataclass(frozen=True)
class Use:
    """What one member of a unit needs; each trial of an interleaved block is a member."""

    unit: Unit
    member: str
    nodes: frozenset[str]
    seconds: float
    """The longest that it may work without another look."""
    expected: float | None = None
    """How long its work is expected to take; None where that is not known."""


@dataclass(frozen=True)
class NodeStanding:
    """How a unit stands with its nodes, as this process knows without asking."""

    used: frozenset[str] = frozenset()
    """Nodes that it has to itself for as long as it may work."""
    free: frozenset[str] = frozenset()
    """Nodes of its cell that no other waits for: taking them costs no request."""
    taken: frozenset[str] = frozenset()
    """Nodes that other cells have, of this campaign or another; up to 30 s old."""
    joined: bool = False
    """Whether the member has asked for its nodes and not left them."""
    waits: str = ""
    """What it waits for, in words; empty if for nothing."""


@dataclass(frozen=True)
class FoundOnNodes:
    """What effects have found of an object that works on nodes."""

    nodes: NodeStanding = field(default_factory=NodeStanding)
    """How it stands with the nodes that it needs to itself."""
    refused: str = ""
    """Why its objects could not be created the last time."""


@dataclass
class UnitClaim:
    """A unit that works or waits."""

    members: dict[str, Use] = field(default_factory=dict)
    due: dict[str, float] = field(default_factory=dict)
    """When each member's work ends at the latest, unless it is looked at again."""
    gone: dict[str, float] = field(default_factory=dict)
    """Members whose objects are gone, and when each is left whatever its pods do."""
    queued: set[str] = field(default_factory=set)
    """Nodes in whose queue it is."""
    waits: str = ""
    began: float | None = None
    """When it had all its nodes, Unix time."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def nodes(self) -> list[str]:
        """What its members need, in the order in which every unit takes nodes."""
        return sorted({node for use in self.members.values() for node in use.nodes})

    @property
    def seconds(self) -> float:
        """The longest that any member may work without another look."""
        return max((use.seconds for use in self.members.values()), default=0.0)

    @property
    def expected(self) -> float | None:
        """How long its work is expected to take; None where that is not known of a member."""
        known = [use.expected for use in self.members.values()]
        return None if None in known else max((one for one in known if one), default=0.0)


@dataclass
class KeptLease:
    """A lease that a cell of one of our campaigns holds, as it was last written."""

    lease: NodeLease
    renewed: float
    users: set[Unit]
    idle_since: float

    @property
    def has_rivals(self) -> bool:
        """Whether another cell waits, as far as is known."""
        return others_wait(self.lease, self.lease.holder)

    def is_spare_for(self, other: Holder) -> bool:
        """Whether nothing works on the node, and it is that cell's own campaign that has it."""
        holder = self.lease.holder
        return not self.users and holder is not None and holder.uid == other.uid

    def lasts(self, seconds: float, now: float) -> bool:
        """Whether it outlasts that much work, even if it is never renewed again."""
        return now + seconds < self.renewed + self.lease.seconds


def others_wait(lease: NodeLease, holder: Holder | None) -> bool:
    """Whether a cell but the holder's is in the queue."""
    return any(one.unit.holder != holder for one in lease.queue)


def in_words(lease: NodeLease, unit: Unit, now: float) -> str:
    """What the unit waits for: the node, who has it, how long that will take, and its place."""
    place = [one.unit for one in lease.queue].index(unit)
    before = lease.queue[:place]
    known: list[float | None] = [one.expected for one in before]
    if lease.holder is not None:
        known.append(None if lease.until is None else lease.until - now)
        what = f"held by campaign {lease.holder.namespace}/{lease.holder.name}"
        if lease.holder.uid == unit.holder.uid:
            what = "held by another cell of its campaign"
    else:
        what = "which changes hands"
    text = f"waits for node {lease.node}, {what}"
    if lease.until is not None and lease.until < now:
        text += ", longer than planned"
    elif None not in known:
        minutes = math.ceil(sum(one for one in known if one is not None) / 60)
        text += f", about {minutes} min" if minutes > 1 else ", about a minute"
    return text + (f", with {place} before it in the queue" if place else "")

"""A node's Lease: which cell of which campaign works on the node, and who waits for it; pure.

The queue is an annotation of the Lease, in the order in which the requests came, so that one
guarded write changes holder and queue together.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from encbench.api.conditions import format_micro_time, parse_time
from encbench.api.kinds import LEASE, NODE
from encbench.api.testbed import TestbedSpec
from encbench.api.trial import TrialSpec
from encbench.kube.labels import COMPONENT, MANAGED_BY, MANAGER, labels

COMPONENT_NAME = "node-lease"
MARKS = labels(COMPONENT_NAME)
QUEUE = "encbench.io/queue"
"""Annotation: those who wait, as JSON."""
UNTIL = "encbench.io/until"
"""Annotation: when the work is expected to end, Unix time; absent where that is not known."""


@dataclass(frozen=True)
class Holder:
    """A cell of a campaign, as all installations name it: cells may be measured side by side."""

    namespace: str
    name: str
    """Of the campaign."""
    uid: str
    cell: str = ""
    """Operators of earlier versions named none."""

    @classmethod
    def of(cls, namespace: str, spec: TestbedSpec | TrialSpec) -> "Holder":
        """The cell to which a testbed or a trial in that namespace belongs."""
        return cls(namespace, spec.campaign_ref.name, spec.campaign_ref.uid, spec.cell)

    def __str__(self) -> str:
        """As `holderIdentity` has it."""
        return "/".join(filter(None, (self.namespace, self.name, self.uid, self.cell)))

    @classmethod
    def parse(cls, identity: str) -> "Holder":
        """The inverse."""
        namespace, name, uid, *cell = identity.split("/")
        return cls(namespace, name, uid, *cell)

    def includes(self, other: "Holder") -> bool:
        """Whether what it holds is the other's: 0.1.0 held nodes for a campaign with all cells."""
        return self in (other, replace(other, cell=""))


@dataclass(frozen=True)
class Unit:
    """What has its nodes to itself: a trial, an interleaved block, or a testbed's preparation."""

    holder: Holder
    name: str


@dataclass(frozen=True)
class QueueEntry:
    """A unit that waits."""

    unit: Unit
    expected: float | None
    """Seconds that it will take; None where that is not known."""
    seen: str
    """Its last sign of life."""


@dataclass(frozen=True)
class NodeLease:
    """The Lease as it was read; no field of it changes but by a write."""

    node: str
    holder: Holder | None = None
    seconds: int = 0
    """How long the lease holds after its last renewal."""
    acquired: str = ""
    renewed: str = ""
    until: float | None = None
    queue: tuple[QueueEntry, ...] = ()
    uid: str = ""
    version: str = ""

    def taken(
        self, holder: Holder, now: datetime, seconds: int, until: float | None
    ) -> "NodeLease":
        """Held from now on, or still held: the time of the acquisition stays."""
        moment = format_micro_time(now)
        since = self.acquired if self.holder == holder else moment
        return replace(
            self,
            holder=holder,
            seconds=seconds,
            acquired=since,
            renewed=moment,
            until=None if until is None else round(until),
        )

    def free(self) -> "NodeLease":
        """Held by none."""
        return replace(self, holder=None, seconds=0, acquired="", renewed="", until=None)

    def with_request(self, request: QueueEntry) -> "NodeLease":
        """With this request in its place, or at the end of the queue."""
        if all(one.unit != request.unit for one in self.queue):
            return replace(self, queue=(*self.queue, request))
        queue = tuple(request if one.unit == request.unit else one for one in self.queue)
        return replace(self, queue=queue)

    def without(self, units: Sequence[Unit]) -> "NodeLease":
        """Without the requests of these."""
        return replace(self, queue=tuple(one for one in self.queue if one.unit not in units))


def is_ours(body: dict[str, Any]) -> bool:
    """Whether it is a lease of this kind: kubelets have Leases named after their nodes too."""
    marks = body["metadata"].get("labels") or {}
    return (marks.get(MANAGED_BY), marks.get(COMPONENT)) == (MANAGER, COMPONENT_NAME)


def parse(body: dict[str, Any]) -> NodeLease:
    """The Lease as read. ValueError or LookupError where it is not as this module writes it."""
    meta, spec = body["metadata"], body.get("spec") or {}
    notes = meta.get("annotations") or {}
    identity = spec.get("holderIdentity")
    return NodeLease(
        node=meta["name"],
        holder=Holder.parse(identity) if identity else None,
        seconds=spec.get("leaseDurationSeconds") or 0,
        acquired=moment(spec.get("acquireTime")),
        renewed=moment(spec.get("renewTime")),
        until=float(notes[UNTIL]) if UNTIL in notes else None,
        queue=tuple(_request(entry) for entry in json.loads(notes.get(QUEUE) or "[]")),
        uid=meta["uid"],
        version=meta["resourceVersion"],
    )


def bare(name: str, namespace: str, marks: dict[str, str]) -> dict[str, Any]:
    """The object to create where there is none. All else is applied, and so can be removed."""
    meta = {"name": name, "namespace": namespace, "labels": marks}
    return {"apiVersion": LEASE.api_version, "kind": LEASE.kind, "metadata": meta, "spec": {}}


def of_node(name: str, namespace: str, node: dict[str, Any] | None) -> dict[str, Any]:
    """The object to create for a node, with which it goes; without the Node it stays."""
    found = bare(name, namespace, MARKS)
    if node is not None:
        # Without blockOwnerDeletion, which some clusters grant only to who may change Nodes.
        owner = {"apiVersion": NODE.api_version, "kind": NODE.kind, "name": name}
        found["metadata"]["ownerReferences"] = [{**owner, "uid": node["metadata"]["uid"]}]
    return found


def body_of(lease: NodeLease, namespace: str) -> dict[str, Any]:
    """The object to apply; a newer version than was read is a conflict."""
    found = bare(lease.node, namespace, MARKS)
    notes = {QUEUE: json.dumps([_entry(one) for one in lease.queue])} if lease.queue else {}
    if lease.until is not None:
        notes[UNTIL] = f"{lease.until:.0f}"
    found["metadata"] |= {"uid": lease.uid, "resourceVersion": lease.version}
    if notes:
        found["metadata"]["annotations"] = notes
    if lease.holder is not None:
        found["spec"] = term(str(lease.holder), lease.seconds, lease.acquired, lease.renewed)
    return found


def term(holder: str, seconds: int, acquired: str, renewed: str) -> dict[str, Any]:
    """The fields of a Lease that is held."""
    return {
        "holderIdentity": holder,
        "leaseDurationSeconds": seconds,
        "acquireTime": acquired,
        "renewTime": renewed,
    }


def moment(text: str | None) -> str:
    """The time in one form, whichever form the server prefers."""
    if not text:
        return ""
    return format_micro_time(parse_time(text).astimezone(UTC))


def _entry(request: QueueEntry) -> dict[str, Any]:
    unit = request.unit
    entry = {"holder": str(unit.holder), "unit": unit.name, "seen": request.seen}
    return entry | ({} if request.expected is None else {"expected": round(request.expected)})


def _request(entry: dict[str, Any]) -> QueueEntry:
    unit = Unit(Holder.parse(entry["holder"]), entry["unit"])
    return QueueEntry(unit, entry.get("expected"), entry["seen"])

"""A shard's Lease: which process acts for the shard, and how many shards there are; pure."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from encbench.api.conditions import format_micro_time
from encbench.kube import leases
from encbench.kube.labels import INSTANCE, labels
from encbench.kube.shards import Shard

COMPONENT_NAME = "shard-lease"
SHARDS = "encbench.io/shards"
"""Annotation: how many shards there are for whoever has the Lease."""


@dataclass(frozen=True)
class ShardLease:
    """The Lease as it was read or will be written."""

    election: str
    """Of all the shards of one installation."""
    shard: Shard
    holder: str = ""
    """Empty where no process has it."""
    seconds: int = 0
    """How long it has to stay unchanged before another process may take it."""
    acquired: str = ""
    renewed: str = ""
    transitions: int = 0
    """How often it has gone to another process."""
    uid: str = field(default="", compare=False)
    version: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.election}-shard-{self.shard.index}"

    def taken(self, holder: str, of: int, now: datetime, seconds: int) -> "ShardLease":
        """Held from now on, or still held: the time of the acquisition stays."""
        moment = format_micro_time(now)
        before = self if self.holder == holder else None
        return replace(
            self,
            shard=Shard(self.shard.index, of),
            holder=holder,
            seconds=seconds,
            acquired=before.acquired if before else moment,
            renewed=moment,
            transitions=self.transitions + (before is None),
        )

    def free(self) -> "ShardLease":
        """Held by none; until when it was held stays."""
        return replace(self, holder="", seconds=0, acquired="")


def marks(election: str) -> dict[str, str]:
    """The labels of all Leases of an election."""
    return {**labels(COMPONENT_NAME), INSTANCE: election}


def bare(lease: ShardLease, namespace: str) -> dict[str, Any]:
    """The object to create where there is none."""
    return leases.bare(lease.name, namespace, marks(lease.election))


def parse(body: dict[str, Any]) -> ShardLease:
    """The Lease as read. ValueError or LookupError where it is not as this module writes it."""
    meta, spec = body["metadata"], body.get("spec") or {}
    election, _, index = meta["name"].rpartition("-shard-")
    return ShardLease(
        election=election,
        shard=Shard(int(index), int((meta.get("annotations") or {}).get(SHARDS, 0))),
        holder=spec.get("holderIdentity") or "",
        seconds=spec.get("leaseDurationSeconds") or 0,
        acquired=leases.moment(spec.get("acquireTime")),
        renewed=leases.moment(spec.get("renewTime")),
        transitions=spec.get("leaseTransitions") or 0,
        uid=meta["uid"],
        version=meta["resourceVersion"],
    )


def body_of(lease: ShardLease, namespace: str) -> dict[str, Any]:
    """The object to apply; a newer version than was read is a conflict."""
    found = bare(lease, namespace)
    found["metadata"] |= {"uid": lease.uid, "resourceVersion": lease.version}
    found["metadata"]["annotations"] = {SHARDS: str(lease.shard.of)}
    found["spec"] = {"leaseTransitions": lease.transitions}
    if lease.holder:
        found["spec"] |= leases.term(lease.holder, lease.seconds, lease.acquired, lease.renewed)
    elif lease.renewed:
        found["spec"]["renewTime"] = lease.renewed
    return found

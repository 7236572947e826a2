"""Shards: which process of the operator acts for an object, where several share the work.

A campaign and everything that belongs to it are of one shard, so that whoever decides over a
campaign is alone with its testbeds, trials, Jobs and pods. The shard follows from namespace and
name of the campaign, and from nothing that could change.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from encbench.api.kinds import CAMPAIGN, Kind
from encbench.kube import labels


@dataclass(frozen=True)
class Shard:
    """One share of the campaigns; by default all of them."""

    index: int = 0
    of: int = 1
    """How many there are."""

    def has(self, kind: Kind, body: dict[str, Any]) -> bool:
        """Whether the object is of this shard."""
        space = body["metadata"].get("namespace", "")
        return self.of == 1 or shard_of(space, campaign_of(kind, body), self.of) == self.index


def shard_of(namespace: str, campaign: str, shards: int) -> int:
    """The shard of a campaign, the same in every version and on every machine."""
    name = f"{namespace}/{campaign}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") % shards


def campaign_of(kind: Kind, body: dict[str, Any]) -> str:
    """Name of the campaign to which an object belongs; its own where there is none.

    What the API server keeps from changing counts before a label.
    """
    meta = body["metadata"]
    if kind == CAMPAIGN:
        return str(meta["name"])
    spec = body.get("spec")
    ref = spec.get("campaignRef") if isinstance(spec, dict) else None
    named = ref.get("name") if isinstance(ref, dict) else None
    return str(named or (meta.get("labels") or {}).get(labels.CAMPAIGN) or meta["name"])

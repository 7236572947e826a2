"""When which node was measured on, by the clients' own words."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple


class Window(NamedTuple):
    """A trial's window, in seconds since the epoch, and whose it is."""

    start: float
    end: float
    owner: str


Windows = dict[str, list[Window]]
"""By node: the windows of the trials that had their database or a client there, by time."""


def windows(trials: Iterable[tuple[str, dict[str, Any], Mapping[str, bytes]]]) -> Windows:
    """Of trials with their owner, record and raw artefacts."""
    found: Windows = defaultdict(list)
    for owner, record, raw in trials:
        window = json.loads(raw["client-0/summary.json"])["window"]
        for node in {record["databaseNode"], record["clients"][0]["node"]}:
            found[node].append(Window(window["start"], window["end"], owner))
    return {node: sorted(own) for node, own in found.items()}


def overlaps(found: Windows) -> list[str]:
    """Pairs of trials that were measured on one node at the same time, in words."""
    return [
        f"{one.owner} and {other.owner} on {node} at {other.start}"
        for node, own in found.items()
        for one, other in pairwise(own)
        if other.start < one.end
    ]

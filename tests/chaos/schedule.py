"""Which fault comes when: a pure function of the seed.

Faults come in rounds, each a new order of all of them, so that each is as frequent as any other.
Each campaign gets a handful; their moments are seconds since its creation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tests.chaos.faults import Fault

GAP = (2.0, 12.0)
"""Seconds between the beginnings of two faults."""
FIRST = (5.0, 45.0)
"""Seconds from a campaign's creation to its first fault: testbeds are being made, or used."""


@dataclass(frozen=True)
class Planned:
    """A fault at its moment."""

    fault: Fault
    at: float
    hold: float
    seed: int
    """For what the fault itself has to choose."""


def campaigns(seed: int, faults: Sequence[Fault], each: int) -> Iterator[list[Planned]]:
    """The faults of each campaign, `each` at most; one without end."""
    draw = Random(seed)
    queue: list[Fault] = []
    while True:
        while len(queue) < each:
            queue += draw.sample(list(faults), len(faults))
        own, queue = queue[:each], queue[each:]
        yield _timed(own, draw)


def _timed(faults: Sequence[Fault], draw: Random) -> list[Planned]:
    """Faults at their moments. One that ends the campaign comes last, whatever was drawn."""
    last = [fault for fault in faults if fault.lane == "campaign"][:1]
    found: list[Planned] = []
    free: dict[str, float] = {}
    at = draw.uniform(*FIRST)
    for fault in [*(one for one in faults if one.lane != "campaign"), *last]:
        at = max(at, free.get(fault.lane, 0))
        hold = draw.uniform(*fault.hold)
        found.append(Planned(fault, at, hold, draw.getrandbits(32)))
        free[fault.lane] = at + hold + 1
        at += draw.uniform(*GAP)
    return found

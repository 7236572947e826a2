"""Which start of its server a trial needs, and on which data; pure.

A start has a name. A testbed whose server runs under that name serves the trial; any other must be
stopped and started anew. Testbed and trial both compute the name from frozen specs, so neither
has to ask the other. The first start of all has no name.
"""

from dataclasses import dataclass

from encbench.api.campaign import Cache, Reset, Residency

GOLDEN = "golden"
"""The start at which the golden copy is made: of what was loaded and of nothing else."""


@dataclass(frozen=True)
class Start:
    """One start of a testbed's server."""

    name: str = ""
    reset: str = ""
    """Which restoring of the golden copy the data is; empty: as the server left it."""


FIRST = Start()


def start_for(reset: Reset, residency: Residency, cache: Cache, *, trial: str, block: int) -> Start:
    """The start that a trial of this name in that block is measured on.

    A block number is one trial of each condition on a testbed, and conditions come in the same
    order on each, so that with `block` arms have the same history when they are compared.
    """
    restored = {"none": "", "block": f"block-{block}", "trial": trial}[reset]
    anew = residency == "OnDemand" or cache == "Cold"
    return Start(trial if anew else restored, restored)

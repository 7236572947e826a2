"""Which start of its server a trial needs, and on which data; pure.

A start has a name. A testbed whose server runs under that name can serve the trial; any other must
stop its server and start it again. Testbed and trial both compute the name from frozen specs, so
neither has to ask the other. The very first start has no name.
"""

from dataclasses import dataclass

from encbench.api.campaign import Cache, Reset, Residency

GOLDEN = "golden"
"""The start that makes the golden copy: of the loaded data and nothing else."""


@dataclass(frozen=True)
class Start:
    """One start of a testbed's server."""

    name: str = ""
    reset: str = ""
    """Which restored golden copy the server runs on; empty for the data as the server left it."""


def started_anew(reset: Reset, residency: Residency, cache: Cache) -> Reset:
    """What a server is started anew for, with empty caches: nothing, each block or each trial."""
    return "trial" if residency == "OnDemand" or cache == "Cold" else reset


def is_fresh_by_block(reset: Reset, per_testbed: int) -> bool:
    """Whether all testbeds begin each block number, and nothing else, with the data as loaded.

    `per_testbed` is the number of blocks after which the testbeds are built anew.
    """
    return reset == "block" or (reset == "none" and per_testbed == 1)


def start_for(reset: Reset, residency: Residency, cache: Cache, *, trial: str, block: int) -> Start:
    """The start that a trial, of which no other has the name, in that block is measured on.

    In each block a testbed runs one trial of each condition, and all testbeds run the conditions in
    the same order. With `block`, arms therefore have the same history when they are compared: when
    a block breaks, the conditions that come later leave its number out (`is_fresh_by_block`).
    """
    names: dict[Reset, str] = {"none": "", "block": f"block-{block}", "trial": trial}
    return Start(names[started_anew(reset, residency, cache)], names[reset])

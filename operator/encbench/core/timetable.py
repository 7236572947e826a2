"""The timetable of an interleaved block: which arm runs when.

A block has `rounds` rounds, and a round one *slot* for each arm, in an order drawn from the seed.
Slot n begins n · (slice + guard) after the warm-up. docs/design/0011-interleaved-blocks.md.
"""

import random

GUARD = 0.05
"""Seconds between two slots in which no client runs: clocks differ, and a stop takes its time."""


def timetable(*, rounds: int, arms: int, seed: int) -> tuple[int, ...]:
    """The arm of each slot, as an index into the block's arms; pure."""
    draw = random.Random(seed)  # noqa: S311 - not for secrets
    turns: list[int] = []
    for _ in range(rounds):
        order = list(range(arms))
        draw.shuffle(order)
        turns += order
    return tuple(turns)

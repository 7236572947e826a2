"""The timetable of an interleaved block: which arm runs when.

A block has `rounds` rounds, and a round one *slot* for each arm, in an order drawn from the seed.
Slot n begins n · (slice + guard) after the warm-up. docs/design/0011-interleaved-blocks.md.
"""

import random
from dataclasses import dataclass

GUARD = 0.05
"""Seconds between two slots in which no client runs: clocks differ, and a stop takes its time."""


@dataclass(frozen=True)
class Timetable:
    """All slots of a block."""

    turns: tuple[int, ...]
    """The arm of each slot, as an index into the block's arms."""

    def own(self, arm: int) -> tuple[int, ...]:
        """The slots of one arm."""
        return tuple(slot for slot, turn in enumerate(self.turns) if turn == arm)


def timetable(*, rounds: int, arms: int, seed: int) -> Timetable:
    """The timetable of a block with that many arms; pure."""
    draw = random.Random(seed)  # noqa: S311 - not for secrets
    turns: list[int] = []
    for _ in range(rounds):
        order = list(range(arms))
        draw.shuffle(order)
        turns += order
    return Timetable(tuple(turns))

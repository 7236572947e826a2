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
    """All slots of a block, in seconds."""

    slice: float
    """Length of a slot."""
    settle: float
    """From a slot's begin until counting begins."""
    turns: tuple[int, ...]
    """The arm of each slot, as an index into the block's arms."""

    @property
    def period(self) -> float:
        """From one slot's begin to the next one's."""
        return self.slice + GUARD

    def own(self, arm: int) -> tuple[int, ...]:
        """The slots of one arm."""
        return tuple(slot for slot, turn in enumerate(self.turns) if turn == arm)


def timetable(*, slice: float, settle: float, rounds: int, arms: int, seed: int) -> Timetable:  # noqa: A002
    """The timetable of a block with that many arms; pure."""
    draw = random.Random(seed)  # noqa: S311 - not for secrets
    turns: list[int] = []
    for _ in range(rounds):
        order = list(range(arms))
        draw.shuffle(order)
        turns += order
    return Timetable(slice=slice, settle=settle, turns=tuple(turns))

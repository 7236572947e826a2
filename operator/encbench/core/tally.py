"""Which blocks of a condition are done, are open, or have to be replaced, without counting anew.

Blocks have numbers and are run in their order, so nearly all that have begun are done. They are
left behind: what a question costs depends on the open blocks, and not on the trials so far.
"""

from dataclasses import dataclass, field
from itertools import count


@dataclass
class BlockRun:
    """The blocks from `low` on, of which each has so many `arms`; all before are done or broken."""

    arms: int
    low: int
    broken: set[int] = field(default_factory=set)
    """Every number of a block with a trial that did not succeed."""
    left_out: set[int] = field(default_factory=set)
    """Numbers that none of this condition's blocks has."""
    started: dict[int, set[str]] = field(default_factory=dict)
    """The arms that have begun, by number, from `low` on."""

    def copy(self) -> "BlockRun":
        """One that can be added to without a change of this one."""
        started = {block: set(arms) for block, arms in self.started.items()}
        return BlockRun(self.arms, self.low, set(self.broken), set(self.left_out), started)

    def add(self, block: int, arm: str, *, broken: bool) -> None:
        """A trial has begun, or has ended; none is ever taken back."""
        if broken:
            self.broken.add(block)
        if block >= self.low:
            self.started.setdefault(block, set()).add(arm)
        self._settle()

    def give_up(self, block: int) -> None:
        """Nothing more of that block is run; another one replaces it."""
        self.broken.add(block)
        self._settle()

    def leave_out(self, block: int) -> None:
        """Nothing is run under that number, and one more comes at the end, unless it has begun."""
        if block >= self.low and block not in self.broken and not self.started.get(block):
            self.left_out.add(block)
            self.started[block] = set()
            self._settle()

    @property
    def unused(self) -> int:
        """Numbers from which no valid block came, and for which others come at the end."""
        return len(self.broken) + len(self.left_out)

    @property
    def newest(self) -> int:
        """The last block that has begun, or one before it that is settled."""
        return max(self.started, default=self.low - 1)

    @property
    def unfinished(self) -> list[int]:
        """The open blocks up to the newest."""
        return [block for block in range(self.low, self.newest + 1) if not self._is_settled(block)]

    def _settle(self) -> None:
        while self._is_settled(self.low):
            self.started.pop(self.low, None)
            self.low += 1

    def first_open(self, last: int) -> int | None:
        """The first block up to `last` with an arm that has not begun."""
        numbers = (number for number in count(self.low) if not self._is_settled(number))
        first = next(numbers)
        return first if first <= last else None

    def missing(self, last: int) -> int:
        """How many trials of the blocks up to `last` have not begun."""
        known = [
            self.arms if self._is_settled(block) else len(arms)
            for block, arms in self.started.items()
            if block <= last
        ]
        return self.arms * max(0, last + 1 - self.low) - sum(known)

    def _is_settled(self, block: int) -> bool:
        given_up = block in self.broken or block in self.left_out
        return given_up or len(self.started.get(block, ())) == self.arms

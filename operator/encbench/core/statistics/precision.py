"""How many blocks a condition needs; a pilot fixes the number once (two stages).

After a pilot of n0 blocks the number of blocks is N = ⌈n0 · (half-width reached / target)²⌉, at
least n0 and at most the cap. With independent blocks that is Stein's ⌈(t(1 - alpha/2; n0 - 1) ·
s / target)²⌉ (Stein, "A two-sample test for a linear hypothesis whose power is independent of the
variance", Annals of Mathematical Statistics 16(3), 1945). It looks at the pilot's spread only,
never at its mean, and only once: looking again and again until an interval is narrow, or a verdict
is reached, would make both wrong.

The arm with the widest interval decides, A' against A included: its spread is about that of a mode
and independent of it, so that a number that both decide is less tied to the luck of one. Where the
two keep their testbeds, they are compared by testbed, so that what differs between these is not
taken for spread. N is rounded up to whole sets of testbeds, or to pairs of blocks in which A and A'
take turns on theirs. The reported interval is then the ordinary one of all N blocks. Stein's own,
with the pilot's spread and n0 - 1 degrees of freedom, would be exact for normal differences, but is
a fifth wider and ignores noise that changes after the pilot. The ordinary one covers slightly less
than its level, because a pilot that is quiet by luck ends early (tests/calibration measures by how
much).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from encbench.core.statistics.intervals import Estimate

MOST = 1_000_000
"""More blocks than any campaign runs: the limit for the demand of a very noisy pilot."""


@dataclass(frozen=True)
class Plan:
    """The number of blocks, and why."""

    planned: int
    arm: str | None = None
    """The deciding arm; None where the pilot has no interval."""
    spread: float | None = None
    """Standard deviation of its log-ratios between the pilot's blocks."""
    half_width: float | None = None
    """Half-width of its 95 % interval after the pilot, on the log scale."""
    wanted: int | None = None
    """Blocks that the target requires, at least the pilot's."""

    @property
    def capped(self) -> bool:
        """Whether the cap is less than the target requires."""
        return self.wanted is None or self.wanted > self.planned


def plan_blocks(
    pilots: Mapping[str, Estimate], target: float, cap: int, group: int = 1, least: int = 0
) -> Plan:
    """The number of blocks from each arm's pilot; all have the same blocks.

    `target` is the half-width of the 95 % interval on the log scale, a fraction of the ratio of arm
    to baseline. That of the loss or increase is exp(mean) times as much, and the mean is not looked
    at. A pilot without an interval gives the cap. `group` blocks belong together. No fewer
    than `least` are planned, which is at most the cap.
    """
    halves = {arm: half for arm, one in pilots.items() if (half := one.half_width()) is not None}
    if not halves:
        return Plan(planned=cap)
    arm = max(halves, key=lambda name: halves[name])
    pilot, half = pilots[arm], halves[arm]
    # Slightly less, so that a pilot that just reaches the target is not one block short of it.
    enough = math.ceil(min(MOST, pilot.n * min(MOST, half / target) ** 2 * (1 - 1e-9)))
    wanted = max(enough, pilot.n)
    return Plan(
        planned=max(pilot.n, min(max(least, group * math.ceil(wanted / group)), cap)),
        arm=arm,
        spread=pilot.deviation,
        half_width=half,
        wanted=wanted,
    )

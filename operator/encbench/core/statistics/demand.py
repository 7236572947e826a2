"""How much a narrower interval takes, from the spread of what there is.

The half-width of Student's interval of N observations is t(0.975; d) · s / √N. The spread s is
known, so this says how wide an interval of more of them would be. The caller says how the degrees
of freedom d grow with N: some are lost to the mean of each campaign, and rounds are put together to
batches. It says nothing about where that interval would lie, so it promises no verdict.

The search halves what is left, so it needs an interval that becomes narrower with N. Where d falls
at some N, the caller asks for the numbers before and from there on apart.
"""

import math
from bisect import bisect_left
from collections.abc import Callable

from encbench.core.statistics.intervals import LEVEL, Estimate, t_quantile

MOST = 1_000_000
"""More observations than any campaign has."""


def in_all(
    found: Estimate, have: int, target: float, degrees: Callable[[int], int], least: int = 0
) -> int | None:
    """How many in all reach a half-width of at most `target` on the log scale.

    The estimate is of `have`, counted in what can be added: blocks, sets of testbeds or rounds. The
    interval of N in all has degrees(N) degrees of freedom, which do not fall from `least` on. At
    least `have` and `least`; None where their spread is not known, or MOST would not do.
    """
    if found.error is None or target <= 0:
        return None
    spread = found.error * math.sqrt(have)

    def reached(count: int) -> bool:
        free = degrees(count)
        return free > 0 and t_quantile((1 + LEVEL) / 2, free) * spread / math.sqrt(count) <= target

    low = high = max(have, least)
    while not reached(high):
        low, high = high, 2 * high
        if low > MOST:
            return None
    return low + bisect_left(range(low, high), True, key=reached)

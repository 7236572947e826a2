"""How many observations a narrower interval takes, from the spread of those that there are.

The half-width of Student's interval of N observations is t(0.975; N - 1) · s / √N. The spread s is
known, so this says how wide an interval of more of them would be. It says nothing about where that
interval would lie, so it promises no verdict.
"""

import math

from encbench.core.statistics.intervals import LEVEL, Estimate, t_quantile

MOST = 1_000_000
"""More observations than any campaign has."""


def observations(found: Estimate, target: float) -> int | None:
    """How many in all reach a half-width of at most `target` on the log scale.

    At least as many as there are; None where their spread is not known, or MOST would not do.
    """
    if found.error is None or target <= 0:
        return None
    spread = found.error * math.sqrt(found.units)

    def reached(count: int) -> bool:
        return t_quantile((1 + LEVEL) / 2, count - 1) * spread / math.sqrt(count) <= target

    low, high = found.units, found.units
    while not reached(high):
        low, high = high, 2 * high
        if low > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high

"""The interval of a figure that was measured several times, by which the benchmarks judge it.

What is asked of a figure has to hold for the worse end of its interval. A best or a median of a few
windows would pass by luck, and the more often the more windows there are.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from encbench.core.statistics.intervals import estimate


class Mean(NamedTuple):
    """A geometric mean with Student's interval at 95 %."""

    value: float
    low: float
    high: float

    def text(self, digits: int) -> str:
        """For people."""
        value, low, high = (f"{one:,.{digits}f}" for one in self)
        return f"{value} [{low}, {high}]"


def mean(values: Sequence[float]) -> Mean:
    """Of positive figures; SystemExit if there are fewer than two."""
    return ratio([1.0] * len(values), values)


def ratio(base: Sequence[float], values: Sequence[float]) -> Mean:
    """Of what each value is to the base's figure of the same window; SystemExit likewise."""
    found = estimate(base, values)
    bounds = None if found is None else found.bounds()
    if found is None or bounds is None:
        raise SystemExit("no interval of fewer than two figures: measure more often")
    return Mean(math.exp(found.mean), math.exp(bounds.low), math.exp(bounds.high))

"""Estimates from given moments, where no figures of blocks are at hand."""

import math

from encbench.core.statistics.intervals import Estimate


def from_moments(n: int, mean: float, deviation: float) -> Estimate:
    """Of n independent blocks."""
    return Estimate(n, mean, deviation, n, deviation / math.sqrt(n))

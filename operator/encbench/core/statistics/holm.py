"""Holm's correction for several claims that are made side by side.

A claim is made at level alpha when its adjusted p-value is at most alpha; the chance that one or
more of the claims made are wrong is then at most alpha, however they depend on each other (Holm, "A
simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6(2),
1979).
"""

from collections.abc import Mapping
from typing import TypeVar

K = TypeVar("K")


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """Adjusted p-values.

    Of the m sorted ones the i-th (from 0) is the largest of (m - j) · p_j for j ≤ i, at most 1.
    """
    ordered = sorted(p_values.items(), key=lambda entry: entry[1])
    adjusted: dict[K, float] = {}
    so_far = 0.0
    for place, (key, p) in enumerate(ordered):
        so_far = max(so_far, min(1.0, (len(ordered) - place) * p))
        adjusted[key] = so_far
    return {key: adjusted[key] for key in p_values}

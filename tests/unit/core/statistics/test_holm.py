"""Holm's correction against an example worked by hand and against its definition by brute force."""

import random

import pytest

from encbench.core.statistics.verdict import holm


def test_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.022, 0.04 times 4, 3, 2, 1: 0.04, 0.06, 0.044 -> 0.06, 0.04 -> 0.06
    found = holm({"a": 0.02, "b": 0.04, "c": 0.01, "d": 0.022})
    assert found == pytest.approx({"a": 0.06, "b": 0.06, "c": 0.04, "d": 0.06})
    assert list(found) == ["a", "b", "c", "d"]


def test_one_claim_is_not_corrected_and_none_needs_none() -> None:
    assert holm({"only": 0.03}) == {"only": 0.03}
    assert holm({}) == {}


def test_no_p_value_exceeds_one() -> None:
    assert holm({1: 0.6, 2: 0.9}) == {1: 1.0, 2: 1.0}


def rejected(p_values: list[float], level: float) -> set[int]:
    """Holm's procedure as he wrote it: step down while p_(i) ≤ level / (m - i)."""
    order = sorted(range(len(p_values)), key=lambda n: p_values[n])
    found: set[int] = set()
    for place, n in enumerate(order):
        if p_values[n] > level / (len(order) - place):
            break
        found.add(n)
    return found


def test_adjusted_values_decide_as_the_procedure_does() -> None:
    draw = random.Random(1)
    for _ in range(300):
        p_values = [draw.random() ** 3 for _ in range(draw.randint(1, 6))]
        adjusted = holm(dict(enumerate(p_values)))
        for level in (0.01, 0.05, 0.2):
            assert {n for n, p in adjusted.items() if p <= level} == rejected(p_values, level)

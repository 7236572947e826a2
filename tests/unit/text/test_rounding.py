"""Decimals that keep the order of two numbers."""

import pytest

from encbench.text.rounding import apart, beyond, decimals


@pytest.mark.parametrize(
    ("least", "values", "limit", "digits"),
    [
        (1, [5.03, 8.0], 5.0, 2),
        (1, [4.97], 5.0, 2),
        (1, [5.1], 5.0, 1),
        (0, [4.26], 4.0, 1),
        # A bound that is the limit reads as the limit.
        (1, [5.0, 100 * 0.05], 5.0, 1),
        (1, [0.01, 0.09], 0.0, 2),
        (1, [-0.004], 0.0, 3),
        # Noise of floats is no side.
        (1, [0.1 + 0.2], 0.3, 1),
        (1, [0.3 + 1e-8], 0.3, 6),
    ],
)
def test_decimals(least: int, values: list[float], limit: float, digits: int) -> None:
    assert decimals(least, values, limit) == digits


def test_beyond() -> None:
    assert beyond(0.03, 0, 1) == "0.03"
    assert beyond(50.25, 50) == "50.2"
    assert beyond(75.0, 50) == "75"


def test_apart() -> None:
    assert apart(3.76, 3.82) == ("3.76", "3.82")
    assert apart(30, 60) == ("30.0", "60.0")
    assert apart(2.0, 2.0) == ("2.0", "2.0")

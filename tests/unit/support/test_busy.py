"""Measuring again where a busy machine has spoilt a figure."""

import pytest

from tests.support.busy import nearest


@pytest.mark.parametrize(
    ("errors", "best", "made"),
    [([0.1], 0.1, 1), ([0.5, 0.2], 0.2, 2), ([0.5, 0.7, 0.6, 0.1], 0.5, 3)],
)
def test_the_first_that_is_small_enough_is_the_last(
    errors: list[float], best: float, made: int
) -> None:
    numbers: list[int] = []

    def off(number: int) -> float:
        numbers.append(number)
        return errors[number]

    assert nearest(off, 0.2) == best
    assert numbers == list(range(made))

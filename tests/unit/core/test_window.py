"""The rate within a window: exact inside, never stretched over the edges."""

import math

import pytest

from encbench.core.window import pieces, summed, window_rate


def counter(rate: float, start: float, end: float, step: float = 1.0) -> list[tuple[float, float]]:
    """A counter that grows at `rate` between start and end and stands still elsewhere."""
    times = [start - 5.3 + i * step for i in range(int((end - start + 10) / step))]
    return [(t, rate * (min(max(t, start), end) - start)) for t in times]


def test_idle_time_after_the_window_is_not_counted() -> None:
    samples = counter(0.4, 100.0, 120.0)
    found = window_rate(samples, 100.0, 120.0)
    assert found is not None
    assert found.rate == pytest.approx(0.4)
    assert found.coverage == pytest.approx(19 / 20)
    assert found.alignment_error == pytest.approx(0, abs=1e-9)


def test_interpolation_over_the_edge_would_have_been_wrong() -> None:
    """Why the edges are not interpolated: the straight line across the end loses half a sample."""
    samples = counter(0.4, 100.0, 110.5)
    before, after = (110.0, 0.4 * 10), (111.0, 0.4 * 10.5)
    straight = before[1] + (after[1] - before[1]) * 0.5
    assert straight / 10.5 < 0.4 * 0.98
    found = window_rate(samples, 100.0, 110.5)
    assert found is not None
    assert found.rate == pytest.approx(0.4)


def test_a_varying_rate_widens_the_error() -> None:
    steady = window_rate([(0, 0), (4, 4), (8, 8)], 0, 10)
    bursty = window_rate([(0, 0), (4, 1), (8, 8)], 0, 10)
    assert steady is not None
    assert bursty is not None
    assert steady.alignment_error == 0
    assert bursty.rate == steady.rate
    # Rates 0.25 and 1.75: coefficient of variation 0.75, a fifth of the window uncovered.
    assert bursty.alignment_error == pytest.approx(0.2 * 0.75)


def test_two_samples_say_nothing_of_the_variation() -> None:
    found = window_rate([(1, 0), (9, 8)], 0, 10)
    assert found is not None
    assert math.isinf(found.alignment_error)


@pytest.mark.parametrize(
    "samples",
    [[], [(5, 1)], [(1, 5), (2, 1), (3, 2)], [(11, 1), (12, 2)]],
    ids=["none", "one", "reset", "outside"],
)
def test_no_rate_without_two_samples_of_one_process(samples: list[tuple[float, float]]) -> None:
    assert window_rate(samples, 0, 10) is None


def test_the_sum_is_taken_where_every_series_has_a_sample() -> None:
    assert summed([[(1, 1), (2, 2), (3, 3)], [(1, 10), (3, 30)]]) == [(1, 11), (3, 33)]
    assert summed([]) == []


def test_what_lasts_longer_than_any_run_has_no_pieces() -> None:
    assert [*pieces(0.0, 700.0)] == [(0.0, 300.0), (300.0, 600.0), (600.0, 700.0)]
    for end in (1e15, math.inf, math.nan):
        with pytest.raises(ValueError, match="of any run"):
            next(pieces(0.0, end))

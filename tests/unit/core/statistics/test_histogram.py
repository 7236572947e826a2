"""Percentiles between the edges of buckets."""

import math

import numpy as np
import pytest

from encbench.core.statistics.histogram import WIDEST, Histogram, percentile


def buckets(latencies: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Histogram:
    """As sysbench counts them."""
    numbers, counts = np.unique(np.rint(np.log(latencies * 1000) / WIDEST), return_counts=True)
    middles = np.exp(numbers * WIDEST) / 1000
    return [(float(m), int(n)) for m, n in zip(middles, counts, strict=True)]


@pytest.mark.parametrize("median", [0.4, 10.09, 10.18, 250.0])
def test_it_is_that_of_the_latencies_and_no_bucket_s(median: float) -> None:
    latencies = median * np.exp(np.random.default_rng(1).normal(0, 0.3, 200_000))
    found = buckets(latencies)
    for percent in (50, 95, 99):
        exact = float(np.percentile(latencies, percent))
        assert percentile(found, percent) == pytest.approx(exact, rel=0.003)


def test_a_small_change_shows_though_the_bucket_is_the_same() -> None:
    """Buckets are 1.8 % wide; ties in every block looked like an interval of no width."""
    before = [(10.0, 940), (10.0 * math.exp(WIDEST), 40), (10.0 * math.exp(2 * WIDEST), 20)]
    after = [(10.0, 930), (10.0 * math.exp(WIDEST), 50), (10.0 * math.exp(2 * WIDEST), 20)]
    change = percentile(after, 95) / percentile(before, 95) - 1
    assert 0.0005 < change < 0.01


def test_a_bucket_is_no_wider_than_the_nearest_one_is_near() -> None:
    near = [(1.0, 50), (1.004, 50)]
    assert percentile(near, 50) == pytest.approx(1.002, rel=1e-4)
    assert percentile(near, 100) == pytest.approx(1.006, rel=1e-4)
    assert percentile([(1.0, 95), (2.0, 5)], 95) == pytest.approx(math.exp(WIDEST / 2))
    assert percentile([(1.0, 94), (2.0, 6)], 95) == pytest.approx(2.0, rel=WIDEST)


def test_the_bucket_is_the_one_that_sysbench_names() -> None:
    """95 % of 111 are 105.45: sysbench takes the 105th transaction, and the next is far above."""
    assert percentile([(1.0, 105), (2.0, 6)], 95) == pytest.approx(math.exp(WIDEST / 2))
    assert percentile([(1.0, 104), (2.0, 7)], 95) == pytest.approx(2.0, rel=WIDEST)


@pytest.mark.parametrize("percent", [1, 50, 95, 100])
def test_one_bucket_stays_within_its_edges(percent: float) -> None:
    assert percentile([(3.0, 7)], percent) == pytest.approx(3.0, rel=WIDEST / 2 * 1.01)


def test_more_transactions_never_lower_a_higher_percentile() -> None:
    found = buckets(np.exp(np.random.default_rng(2).normal(0, 1, 5000)))
    values = [percentile(found, percent) for percent in range(1, 101)]
    assert values == sorted(values)


def test_an_empty_histogram_has_none() -> None:
    assert percentile((), 95) == 0.0
    assert percentile([(1.0, 0)], 95) == 0.0

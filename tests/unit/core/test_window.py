"""The rate within a window: exact inside, never stretched over the edges."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

import pytest

from encbench.core.window import (
    KEPT,
    Sample,
    add_counter,
    add_gauge,
    peak,
    pieces,
    summed,
    was_reset,
    window_rate,
)

Add = Callable[[list[Sample], Sequence[Sample], float, float], None]


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


def test_swings_of_seconds_are_no_part_of_a_long_windows_error() -> None:
    """A hundredth has no samples, and what its mean may be says the rate of longer stretches."""
    swinging = [(float(at), float(at + at % 2)) for at in range(5941)]
    known: list[Sample] = []
    add_counter(known, swinging, 0.0, 6000.0)
    each, kept = (window_rate(samples, 0.0, 6000.0) for samples in (swinging, known))
    assert each is not None
    assert kept is not None
    assert kept.rate == each.rate
    assert each.alignment_error == pytest.approx(0.01, rel=0.01)
    assert kept.alignment_error < 0.002


def kept(samples: Sequence[Sample], end: float) -> list[Sample]:
    """As they are stored of a window that began at 0."""
    found: list[Sample] = []
    for begin, until in pieces(-5.0, end + 5.0):
        add_counter(found, [one for one in samples if begin <= one[0] <= until], 0.0, end)
    return found


@pytest.mark.parametrize("step", [1, 15, 60])
@pytest.mark.parametrize("end", [600.0, 6000.0], ids=["whole", "thinned"])
def test_a_lost_beginning_or_end_is_no_question_of_how_even_the_rest_is(
    end: float, step: int
) -> None:
    """A Prometheus that was replaced has none of the samples before."""
    steady = [(float(at), 4.0 * at) for at in range(0, int(end), step)]
    since = [one for one in steady if one[0] >= 0.8 * end]
    until = [one for one in steady if one[0] <= 0.2 * end]
    for samples, lost in (
        (steady, (0.0, 0.0)),
        (since, (since[0][0], 0.0)),
        (until, (0.0, end - until[-1][0])),
        (steady[len(steady) // 2 :][:9], None),
    ):
        found = window_rate(kept(samples, end), 0.0, end)
        assert found is not None
        assert found.rate == pytest.approx(4.0)
        assert found.is_whole is (samples is steady)
        assert (found.alignment_error == pytest.approx(0.0)) is (samples is steady)
        assert found.is_whole or math.isinf(found.alignment_error)
        if lost is not None:
            assert found.lost == lost


def test_a_few_scrapes_that_failed_at_an_edge_are_none_lost() -> None:
    """Three steps of the series' own, however long these are, or a hundredth of the window."""
    for end, step, first, whole in (
        (60.0, 1.0, 3.0, True),
        (60.0, 1.0, 4.0, False),
        (600.0, 1.0, 6.0, True),
        (600.0, 1.0, 7.0, False),
        (300.0, 60.0, 120.0, True),
        (120.0, 15.0, 60.0, False),
    ):
        samples = [(first + step * n, step * n) for n in range(int((end - first) / step) + 1)]
        found = window_rate(samples, 0.0, end)
        assert found is not None
        assert found.is_whole is whole, (end, step, first)


def test_a_counter_goes_on_where_samples_are_missing_between_others() -> None:
    """So its rate is right, while the peak of a gauge may lie there."""
    samples = [(float(at), 5.0 * min(at, 300) + 4.0 * max(0, at - 300)) for at in range(601)]
    found = window_rate(samples[:100] + samples[500:], 0.0, 600.0)
    assert found is not None
    assert found.rate == pytest.approx(4.5)
    assert found.is_whole
    assert peak(samples, 0.0, 599.0) == samples[599][1]
    assert peak(samples[:100] + samples[150:], 0.0, 600.0) == samples[600][1]
    for lossy in (samples[:100] + samples[500:], samples[100:], samples[:500], samples[:1], []):
        assert peak(lossy, 0.0, 600.0) is None


def test_two_samples_say_nothing_of_the_variation() -> None:
    found = window_rate([(1, 0), (9, 8)], 0, 10)
    assert found is not None
    assert math.isinf(found.alignment_error)
    assert found.is_whole
    lost = window_rate([(8, 0), (9, 8)], 0, 100)
    assert lost is not None
    assert lost.lost == (8, 91)


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


def walk(seed: int, seconds: int) -> list[tuple[float, float]]:
    """A counter of some process each second, with now and then a pause, a burst and a new begin."""
    draw, value, samples = Random(seed), 0.0, list[tuple[float, float]]()
    for second in range(seconds):
        value += draw.choice([0.0, 0.1, 0.1, 3.0])
        if draw.random() < 0.0002:
            value = draw.uniform(0.0, 0.01)
        if draw.random() > 0.01:
            samples.append((990.0 + second + draw.uniform(0.0, 0.3), value))
    return samples


def in_pieces(
    add: Add, samples: list[tuple[float, float]], start: float, end: float, length: int
) -> list[tuple[float, float]]:
    known: list[tuple[float, float]] = []
    for begin in range(0, len(samples), length):
        # Pieces of a window share the sample between them.
        add(known, samples[begin : begin + length + 1], start, end)
    return known


@pytest.mark.parametrize("length", [1, 2, 7, 300, 10**6])
@pytest.mark.parametrize("seed", range(6))
def test_of_a_long_window_few_samples_give_the_same_rate_and_resets(seed: int, length: int) -> None:
    samples, start, end = walk(seed, 7300), 1000.4, 8200.7
    few = in_pieces(add_counter, samples, start, end, length)
    assert few == in_pieces(add_counter, samples, start, end, 10**6), "however it is asked for"
    assert len(few) < KEPT + 30
    assert set(few) <= set(samples)
    assert was_reset(few, start, end) == was_reset(samples, start, end)
    want, found = (window_rate(some, start, end) for some in (samples, few))
    assert (want is None) == (found is None)
    if want is not None and found is not None:
        assert found.rate == pytest.approx(want.rate)
        assert found.coverage == pytest.approx(want.coverage)
    assert max(after[0] - before[0] for before, after in pairwise(few)) < 2 * 7200 / KEPT + 3


def test_a_reset_that_is_soon_made_up_for_is_seen() -> None:
    samples = [(float(second), 0.01 * second) for second in range(7200)]
    samples[3001:] = [(at, value + 5.0) for at, value in samples[3001:]]
    samples[3000] = (3000.0, 0.0)
    few = in_pieces(add_counter, samples, 0.0, 7200.0, 300)
    assert was_reset(few, 0.0, 7200.0)
    assert window_rate(few, 0.0, 7200.0) is None


@pytest.mark.parametrize("add", [add_counter, add_gauge])
def test_of_a_window_of_minutes_each_sample_is_kept(add: Add) -> None:
    samples = walk(1, 620)
    assert in_pieces(add, samples, 1000.0, 1600.0, 300) == samples


@pytest.mark.parametrize("length", [1, 300, 10**6])
def test_of_a_gauge_the_highest_samples_are_kept(length: int) -> None:
    samples = [(at, value % 97) for at, value in walk(2, 7300)]
    few = in_pieces(add_gauge, samples, 1000.4, 8200.7, length)
    inside = [value for at, value in samples if 1000.4 <= at <= 8200.7]
    assert max(value for at, value in few if 1000.4 <= at <= 8200.7) == max(inside)
    assert len(few) < KEPT + 10
    assert few == sorted(few)

"""What stops keep from a histogram of latency, in simulated slices of a tool that they stop."""

from collections.abc import Iterator

import numpy as np
import pytest

from encbench.core.statistics.interrupted import is_known, missing, too_low, whole_average_ms

THREADS, SLICE, SETTLE, ROUNDS = 4, 1.2, 0.2, 100


def durations(stalls: float) -> Iterator[float]:
    """In seconds: 6 ms on average, and this share of 0.5 to 1.5 s."""
    drawn = np.random.default_rng(8)
    while True:
        usual, is_stall = drawn.exponential(0.006, 1000), drawn.random(1000) < stalls
        yield from np.where(is_stall, drawn.uniform(0.5, 1.5, 1000), usual)


def run(stalls: float) -> tuple[list[float], int, int]:
    """Latencies in ms, interrupted transactions, and those that ended in a counted part."""
    drawn, seen, interrupted, counted = durations(stalls), list[float](), 0, 0
    for _ in range(THREADS * (ROUNDS + 1)):
        now = 0.0  # what the stop interrupted has ended meanwhile
        while now < SLICE:
            took = next(drawn)
            now += took
            if now >= SLICE:
                interrupted += 1
            elif now >= SETTLE:
                counted += 1
                seen.append(1000 * took)
    return seen, interrupted, counted


@pytest.mark.parametrize("stalls", [0.0, 0.0005, 0.002])
def test_stalls_that_stops_interrupt_are_missed(stalls: float) -> None:
    seen, interrupted, counted = run(stalls)
    stops, average = ROUNDS + 1, float(np.mean(seen))
    whole = whole_average_ms(interrupted, stops, stops * (SLICE - SETTLE), counted)
    low = too_low(average, whole, interrupted, THREADS * stops)
    share = missing(average, whole, interrupted, counted, SETTLE)
    assert (low > 0.05) is (stalls > 0)
    assert average < whole * 1.02
    # The truth is not below what is claimed.
    assert whole < 1.02 * (6.0 * (1 - stalls) + 1000 * stalls)
    lacks = max(0.0, stalls - float(np.mean(np.array(seen) > 450)))
    assert share >= lacks
    assert is_known(95, share)
    assert is_known(99.9, share) is (stalls == 0)


def test_what_was_interrupted_is_the_most_that_can_be_missing() -> None:
    assert missing(10.0, 30.0, 40, 1000, 0.0) == 0.04
    assert missing(10.0, 30.0, 40, 1000, 0.5) == 0.04
    assert missing(10.0, 11.0, 40, 1000, 0.5) == pytest.approx(0.002)
    assert missing(10.0, 50.0, 40, 1000, 0.5) == 0.04
    assert missing(10.0, 9.0, 40, 1000, 0.5) == 0.0
    assert missing(0.0, 5000.0, 1, 1, 0.5) == 1.0
    assert missing(0.0, 0.0, 0, 0, 0.5) == 0.0


def test_chance_in_how_many_are_under_way_is_no_evidence() -> None:
    assert too_low(10.0, 20.0, 100, 100) == 0.5
    assert too_low(10.0, 20.0, 100, 1000) == pytest.approx(1 - 0.5 / (1 - 0.3 * 0.9**0.5))
    assert too_low(10.0, 20.0, 4, 1000) == 0.0
    assert too_low(10.0, 20.0, 8, 72) == 0.0, "chance alone explains all of it"
    assert too_low(10.0, 20.0, 101, 100) == 0.5, "a file may claim more than can be"
    assert too_low(10.0, 0.0, 0, 100) == 0.0


def test_latencies_below_a_millisecond_are_judged_like_others() -> None:
    assert too_low(0.25, 0.5, 100, 100) == 0.5


def test_a_histogram_above_little_s_law_lacks_nothing() -> None:
    assert too_low(30.0, 20.0, 100, 100) == 0.0


def test_little_s_law_gives_the_average_of_whatever_was_under_way() -> None:
    assert whole_average_ms(8, 4, 3.0, 600) == 10.0
    assert whole_average_ms(8, 4, 3.0, 1) == 6000.0
    assert whole_average_ms(8, 4, 3.0, 0) == 6000.0, "none has ended in a counted part"


@pytest.mark.parametrize(
    ("percentile", "share", "expected"),
    [(95, 0.0125, True), (95, 0.013, False), (99, 0.0025, True), (99.9, 0.0025, False)],
)
def test_a_percentile_is_known_where_few_of_those_beyond_it_are_missing(
    percentile: float, share: float, expected: bool
) -> None:
    assert is_known(percentile, share * 0.9999) is expected

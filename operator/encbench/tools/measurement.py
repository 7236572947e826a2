"""What a tool measured in the window, whichever tool it was, and how replicas add up.

Percentiles are taken from histograms, for percentiles of replicas cannot be averaged. Their
resolution is the tool's bucket width: for sysbench 1.8 % (1,024 buckets, equal on a logarithmic
scale, from 0.001 ms to 100,000 ms), so a percentile is right to 0.9 % either way. Buckets are named
by their middle. Averages, minima and maxima are exact.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from encbench.tools.progress import Sample

Histogram = tuple[tuple[float, int], ...]
"""Latency in ms (the middle of a bucket) and how many transactions fell into it, in order."""

PERCENTILE = 95


class ParseError(Exception):
    """The output is not what the tool writes at the end of a complete run. The text says why."""


@dataclass(frozen=True)
class Measurement:
    """The measured window of one client, or of all replicas together."""

    seconds: float
    """Length of the window by the tool's own clock; with several replicas the longest."""
    transactions: int
    queries: int
    tps: float
    qps: float
    latency_average_ms: float
    latency_min_ms: float
    latency_max_ms: float
    latency_p95_ms: float
    errors: int
    """Errors that the tool ignored and tried again, such as deadlocks."""
    reconnects: int
    histogram: Histogram
    series: tuple[Sample, ...]
    """Periodic reports of the window, `second` counted from the start of the load."""


def percentile(histogram: Histogram, percent: float) -> float:
    """The bucket that holds that percentile, in ms; 0 for an empty histogram.

    The same rule as sysbench's: the first bucket at which the cumulated count reaches the rounded
    share.
    """
    wanted = math.floor(sum(count for _, count in histogram) * percent / 100 + 0.5)
    seen = 0
    for middle, count in histogram:
        seen += count
        if seen >= wanted:
            return middle
    return 0.0


def merge(parts: Sequence[Measurement]) -> Measurement:
    """All replicas as one client: counts and rates add up, the average is weighted by transactions.

    `parts` holds at least one. Replicas start together, so that equal seconds of their series
    belong together; the merged series says nothing of latency, for a percentile cannot be had from
    percentiles.
    """
    if len(parts) == 1:
        return parts[0]
    transactions = sum(part.transactions for part in parts)
    weighted = sum(part.latency_average_ms * part.transactions for part in parts)
    busy = [part for part in parts if part.transactions]
    histogram = _summed([part.histogram for part in parts])
    return Measurement(
        seconds=max(part.seconds for part in parts),
        transactions=transactions,
        queries=sum(part.queries for part in parts),
        tps=sum(part.tps for part in parts),
        qps=sum(part.qps for part in parts),
        latency_average_ms=weighted / transactions if transactions else 0.0,
        latency_min_ms=min((part.latency_min_ms for part in busy), default=0.0),
        latency_max_ms=max((part.latency_max_ms for part in busy), default=0.0),
        latency_p95_ms=percentile(histogram, PERCENTILE),
        errors=sum(part.errors for part in parts),
        reconnects=sum(part.reconnects for part in parts),
        histogram=histogram,
        series=_aligned([part.series for part in parts]),
    )


def _summed(histograms: Sequence[Histogram]) -> Histogram:
    counts: dict[float, int] = {}
    for histogram in histograms:
        for middle, count in histogram:
            counts[middle] = counts.get(middle, 0) + count
    return tuple(sorted(counts.items()))


def _aligned(all_series: Sequence[Sequence[Sample]]) -> tuple[Sample, ...]:
    """The sums at the seconds that every replica reported."""
    by_second = [{sample.second: sample for sample in series} for series in all_series]
    shared = set(by_second[0]).intersection(*by_second[1:])
    return tuple(
        Sample(
            second=second,
            tps=sum(one[second].tps for one in by_second),
            qps=sum(one[second].qps for one in by_second),
            latency_p95_ms=math.nan,
            errors=sum(one[second].errors for one in by_second),
        )
        for second in sorted(shared)
    )

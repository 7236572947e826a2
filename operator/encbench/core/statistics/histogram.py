"""Latency histograms: pairs of a bucket's middle in ms and its count, in order.

Buckets are narrow on a logarithmic scale: 1.8 % for sysbench (1,024 from 0.001 ms to 100,000 ms),
less for the others. A percentile that named its bucket would take steps of that width, and equal
steps in every block would look like certainty. It is therefore interpolated within the bucket, on
the logarithmic scale, as if the bucket's transactions were spread evenly over it.
"""

import math
from collections.abc import Sequence

Histogram = Sequence[tuple[float, int]]

WIDEST = math.log(100_000_000) / 1023
"""Width of the widest buckets there are, those of sysbench, as a natural logarithm."""


def percentile(histogram: Histogram, percent: float) -> float:
    """The latency in ms below which that share of the transactions lies; 0 for an empty histogram.

    It is within half a bucket's width of the middle of the bucket that sysbench would name, which
    rounds the number of transactions below it. Of a hundred, the next one may lie far above.
    """
    wanted = sum(count for _, count in histogram) * percent / 100
    rounded, seen = math.floor(wanted + 0.5), 0
    for place, (middle, count) in enumerate(histogram):
        if count and seen + count >= rounded:
            share = min(1.0, max(0.0, wanted - seen) / count)
            return middle * math.exp(_width(histogram, place) * (share - 0.5))
        seen += count
    return 0.0


def _width(histogram: Histogram, place: int) -> float:
    """Of one bucket: as far as to its nearest neighbour, where there is one that near."""
    middle = histogram[place][0]
    beside = [histogram[n][0] for n in (place - 1, place + 1) if 0 <= n < len(histogram)]
    gaps = (
        abs(math.log(other / middle))
        for other in beside
        if min(other, middle) > 0 and other / middle > 0  # not so far apart that it is 0
    )
    return min((WIDEST, *gaps))

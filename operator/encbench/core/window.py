"""A counter's rate within a measured window, from raw samples inside the window.

The rate is that between the first and the last sample *inside* the window. Interpolation at the
edges would have a bias: after the window the server idles, and a straight line from the last loaded
sample to the first idle one counts part of the idle time as load. The price is the assumption that
the rest of the window, `1 - coverage`, looks like the covered part; the variation of the rate
between samples gives an estimate of that error.

That is fair of the seconds between an edge and the sample nearest to it. Where Prometheus has lost
the beginning of a window, or its end, the rest says nothing about what is lost, however even it is,
so that the error is infinite then. A gap between two samples costs nothing: the counter went on
meanwhile. A gauge did not, and its peak may lie there.

Of a long window few samples are kept, and the variation is that between these, in steps of a 600th
of the window. The estimate loses nothing by it: what a stretch without samples may hide is by how
much its mean differs, and a stretch that matters is much longer than such a step.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

Sample = tuple[float, float]
"""Unix time in seconds, value."""

PIECE = 300.0
"""Seconds of one question to Prometheus. A node with 1,000 CPUs answers it with 26 MiB."""

KEPT = 600
"""Samples of a series that are kept of a longer window, but for both sides of each reset."""

LONGEST = 31 * 86400.0
"""Seconds that are asked for at all."""

FEW_STEPS = 3
"""Steps from one sample to the next, each as long as the series' median step, in which scrapes may
have failed. A longer stretch without samples is lost, unless it is as short as EDGE or GAP."""

EDGE = 0.01
"""Share of a window that may lack samples at each edge. Were the counter at rest there, or twice as
fast, the rate would be off by as much."""

GAP = 0.1
"""Share of a window that a gauge may lack at once."""


@dataclass(frozen=True)
class WindowRate:
    """A counter's rate in a window."""

    rate: float
    """Per second: for a counter of CPU seconds, cores."""
    coverage: float
    """Share of the window between the samples used, 0 to 1."""
    alignment_error: float
    """(1 - coverage) x coefficient of variation of the rate between samples; infinite when there
    are too few samples, or an edge is lost."""
    lost: tuple[float, float] = (0.0, 0.0)
    """Seconds without samples at the beginning of the window and at its end; 0 at an edge that has
    only lost what the estimate may stand for."""

    @property
    def is_whole(self) -> bool:
        """Whether the samples reach from edge to edge."""
        return self.lost == (0.0, 0.0)


def window_rate(samples: Sequence[Sample], start: float, end: float) -> WindowRate | None:
    """The rate of a counter in [start, end]; None with fewer than two samples inside or a reset.

    `samples` are in order of time. A counter that falls was reset, because its process was
    replaced.
    """
    inside = [(t, v) for t, v in samples if start <= t <= end]
    if len(inside) < 2 or end <= start:
        return None
    steps = [((v2 - v1) / (t2 - t1), t2 - t1) for (t1, v1), (t2, v2) in pairwise(inside) if t2 > t1]
    if not steps or any(rate < 0 for rate, _ in steps):
        return None
    covered = sum(seconds for _, seconds in steps)
    mean = sum(rate * seconds for rate, seconds in steps) / covered
    coverage = covered / (end - start)
    few = max(FEW_STEPS * median(seconds for _, seconds in steps), EDGE * (end - start))
    before, after = inside[0][0] - start, end - inside[-1][0]
    lost = (before if before > few else 0.0, after if after > few else 0.0)
    error = math.inf if any(lost) else (1 - coverage) * _variation(steps, mean, covered)
    return WindowRate(mean, coverage, error, lost)


def peak(samples: Sequence[Sample], start: float, end: float) -> float | None:
    """A gauge's highest sample in [start, end]; None where too much of it has none."""
    inside = [(t, v) for t, v in samples if start <= t <= end]
    if len(inside) < 2:
        return None
    times = [t for t, _ in inside]
    steps = [after - before for before, after in pairwise(times)]
    few = max(FEW_STEPS * median(steps), GAP * (end - start))
    if max(times[0] - start, *steps, end - times[-1]) > few:
        return None
    return max(v for _, v in inside)


def was_reset(samples: Sequence[Sample], start: float, end: float) -> bool:
    """Whether a counter fell in [start, end]."""
    inside = [value for time, value in samples if start <= time <= end]
    return any(after < before for before, after in pairwise(inside))


def _variation(steps: Sequence[tuple[float, float]], mean: float, covered: float) -> float:
    if len(steps) < 2:
        return math.inf
    if mean == 0:
        return 0.0
    variance = sum(seconds * (rate - mean) ** 2 for rate, seconds in steps) / covered
    return math.sqrt(variance) / mean


def summed(series: Sequence[Sequence[Sample]]) -> list[Sample]:
    """The sum over series scraped together, such as a node's CPUs, at the times that all share."""
    if not series:
        return []
    by_time = [dict(samples) for samples in series]
    shared = set(by_time[0]).intersection(*by_time[1:])
    return [(time, sum(values[time] for values in by_time)) for time in sorted(shared)]


def pieces(start: float, end: float) -> Iterator[tuple[float, float]]:
    """[start, end] in pieces of PIECE seconds, each with both its ends.

    ValueError for what lasts longer than any run.
    """
    if not end - start <= LONGEST:
        raise ValueError(f"{end - start:,.0f} s are more than the {LONGEST:,.0f} of any run")
    while end - start > PIECE:
        yield start, start + PIECE
        start += PIECE
    yield start, end


def joined(known: list[Sample], more: Sequence[Sample]) -> None:
    """Add the samples of the next piece, of which the last one may have had the first."""
    last = known[-1][0] if known else -math.inf
    known.extend((time, value) for time, value in more if time > last)


def add_counter(known: list[Sample], more: Sequence[Sample], start: float, end: float) -> None:
    """The same of a counter, of which few samples are kept where [start, end] is long.

    The rate in it and every reset stay as they are: its first and last sample are kept, and both
    sides of each fall.
    """
    tail, known[-2:] = known[-2:], []
    joined(tail, more)
    known.extend(_few_of_counter(tail, start, end))


def _few_of_counter(samples: Sequence[Sample], start: float, end: float) -> Sequence[Sample]:
    """The first of each part, besides; and the last of all, which the next piece decides about."""
    if end - start <= KEPT or len(samples) < 3:
        return samples
    kept = {0, len(samples) - 1}
    for n, ((before, low), (after, high)) in enumerate(pairwise(samples)):
        if high < low or before < start <= after or before <= end < after:
            kept |= {n, n + 1}
        elif _part(before, start, end) != _part(after, start, end):
            kept.add(n + 1)
    return [samples[n] for n in sorted(kept)]


def add_gauge(known: list[Sample], more: Sequence[Sample], start: float, end: float) -> None:
    """The same of a gauge, of which the highest sample of each part is kept."""
    if end - start <= KEPT:
        joined(known, more)
        return
    tail, known[-1:] = known[-1:], []
    joined(tail, more)
    for _, part in groupby(tail, lambda sample: _part(sample[0], start, end)):
        known.append(max(part, key=lambda sample: sample[1]))


def _part(time: float, start: float, end: float) -> tuple[bool, bool, float]:
    """Which of the window's KEPT parts it is in, or of those as long before and after it."""
    return time < start, time > end, (time - start) // ((end - start) / KEPT)

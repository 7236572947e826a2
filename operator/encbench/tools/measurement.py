"""The measurement of any tool in the window, and how replicas add up.

A figure that a tool does not give is None, never 0.

Percentiles come from histograms, because percentiles of replicas cannot be averaged
(`core.statistics.histogram`). Buckets are named by their middle. Averages are exact.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeVar

from encbench.core.figure_names import CELLS, DELIVERED, NEW_ORDERS, ROUND_TRIPS, SKIPPED
from encbench.core.slices import Slices
from encbench.core.statistics.histogram import percentile
from encbench.core.tls import TlsSession
from encbench.tools.progress import MOST, Sample

Histogram = tuple[tuple[float, int], ...]
"""Pairs of latency in ms (the middle of a bucket) and number of transactions, in order."""

PERCENTILE = 95


class ParseError(Exception):
    """The output is not that of a complete run.

    The text says why, or where that stands in output.log, and repeats nothing of the output.
    """


@dataclass(frozen=True)
class TransactionKind:
    """One kind of transaction within the window, if the tool distinguishes kinds."""

    name: str
    transactions: int
    errors: int | None = None
    """Transactions of this kind that were given up."""
    histogram: Histogram = ()
    """Empty if the tool gives none."""

    @property
    def latency_average_ms(self) -> float | None:
        """The mean of the histogram, accurate to half a bucket."""
        return mean(self.histogram)

    @property
    def latency_p95_ms(self) -> float | None:
        """From the histogram."""
        return percentile(self.histogram, PERCENTILE) if self.histogram else None


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The measured window of one client, or of all replicas together."""

    seconds: float
    """Length of the window by the tool's own clock; with several replicas the longest."""
    transactions: int
    tps: float
    qps: float | None = None
    latency_average_ms: float | None = None
    latency_p95_ms: float | None = None
    errors: int
    """Failures that must be rare: errors that sysbench ignored and tried again, such as deadlocks;
    transactions that a TPC-C client gave up."""
    reconnects: int | None = None
    """Connections made anew: sysbench counts those of the window, as a script asks for them; our
    TPC-C client those of the whole run, each in place of a lost one."""
    histogram: Histogram = ()
    """Empty if the tool gives none."""
    series: tuple[Sample, ...] = ()
    """Periodic reports of the window, `second` counted from the start of the load, of a run that
    its server's stop has cut off: they are all that is known of it. Not merged."""
    extra: Mapping[str, float] = field(default_factory=dict)
    """Figures of this tool only, such as newOrdersPerSecond; they add up. The figures of a recovery
    (`core.figure_names`) are the server's and join them in the trial's result."""
    kinds: tuple[TransactionKind, ...] = ()
    lasted: float | None = None
    """Seconds of its load after which the first of its threads had ended by itself; None where the
    tool does not say. Not merged."""
    sessions: tuple[TlsSession, ...] = ()
    """Distinct parameters that the client's sessions negotiated; empty if it reported none."""
    queue: tuple[int, int] | None = None
    """Transactions that waited in the client when the window began and when it ended; None where
    the tool offers no rate. Not merged."""
    columns: tuple[tuple[str, str], ...] = ()
    """Digests of the rows that a client's driver read (`tools.session`); not merged."""

    def __post_init__(self) -> None:
        """ParseError for figures that no run can have, whichever parser read them."""
        figures: list[float | None] = [
            *(self.transactions, self.tps, self.qps, self.errors, self.reconnects),
            *(self.latency_average_ms, self.latency_p95_ms, *self.extra.values()),
            *(n for kind in self.kinds for n in (kind.transactions, kind.errors)),
            *chain.from_iterable(self.histogram),
            *(n for kind in self.kinds for bucket in kind.histogram for n in bucket),
        ]
        possible = all(figure is None or 0 <= figure <= MOST for figure in figures)
        if not possible or not 0 < self.seconds <= MOST:
            raise ParseError("the report in output.log has a figure that no run can have")


def number(text: str) -> float:
    """A figure of a report; ParseError for none, or for one that no run can have."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found <= MOST:
        raise ParseError("the report in output.log has a figure that no run can have")
    return found


def whole(text: str) -> int:
    """A count of a report, likewise."""
    return int(number(text))


def mean(histogram: Histogram) -> float | None:
    """The mean of the buckets' middles; None for an empty histogram."""
    count = sum(n for _, n in histogram)
    return sum(middle * n for middle, n in histogram) / count if count else None


def in_slices(whole: Measurement, slices: Slices) -> Measurement:
    """The measurement of a trial's counted slices, of what its clients reported of the whole run.

    Latency is of the transactions that no stop interrupted. What a transaction sends and receives
    does not depend on when it runs, so that is the whole run's. Errors are counted of the whole run
    alone, so those of the slices are as many for each transaction.
    """
    histogram = tuple((math.sqrt(low * high), count) for low, high, count in slices.latency)
    return replace(
        whole,
        seconds=slices.seconds,
        transactions=slices.transactions,
        tps=_tps(slices),
        qps=None,
        latency_average_ms=mean(histogram),
        latency_p95_ms=percentile(histogram, PERCENTILE) if histogram else None,
        errors=round(whole.errors * slices.transactions / max(1, whole.transactions)),
        histogram=histogram,
        extra=_extra_in_slices(whole, slices),
        kinds=(),
    )


def _extra_in_slices(whole: Measurement, slices: Slices) -> dict[str, float]:
    """Figures that the slices counted, and figures that all transactions have alike."""
    found: dict[str, float] = {}
    if NEW_ORDERS in whole.extra:
        found[NEW_ORDERS] = slices.new_orders / slices.seconds
    for name in (ROUND_TRIPS, CELLS, DELIVERED, SKIPPED):
        if name in whole.extra and whole.tps:
            found[name] = whole.extra[name] / whole.tps * _tps(slices)
    return found


def _tps(slices: Slices) -> float:
    return slices.transactions / slices.seconds


def merge(parts: Sequence[Measurement]) -> Measurement:
    """All replicas as one client: counts and rates add up, the average is weighted by transactions.

    `parts` holds at least one. A figure that one replica lacks is None, or missing in `extra`.
    """
    if len(parts) == 1:
        return parts[0]
    transactions = sum(part.transactions for part in parts)
    waited = sum((part.latency_average_ms or 0.0) * part.transactions for part in parts)
    histogram = summed([part.histogram for part in parts])
    has_latency = all(part.latency_average_ms is not None for part in parts)
    has_histogram = all(part.latency_p95_ms is not None for part in parts)
    return Measurement(
        seconds=max(part.seconds for part in parts),
        transactions=transactions,
        tps=sum(part.tps for part in parts),
        qps=_joined(sum, (part.qps for part in parts)),
        latency_average_ms=waited / max(transactions, 1) if has_latency else None,
        latency_p95_ms=percentile(histogram, PERCENTILE) if has_histogram else None,
        errors=sum(part.errors for part in parts),
        reconnects=_joined(sum, (part.reconnects for part in parts)),
        histogram=histogram if has_histogram else (),
        extra={
            name: sum(part.extra[name] for part in parts)
            for name in parts[0].extra
            if all(name in part.extra for part in parts)
        },
        kinds=_kinds([part.kinds for part in parts]),
        sessions=tuple(dict.fromkeys(one for part in parts for one in part.sessions)),
    )


Number = TypeVar("Number", int, float)


def _joined(
    join: Callable[[list[Number]], Number], values: Iterable[Number | None]
) -> Number | None:
    """What this makes of the values, if each of them is known."""
    found = list(values)
    known = [value for value in found if value is not None]
    return join(known) if len(known) == len(found) else None


def _kinds(parts: Iterable[Sequence[TransactionKind]]) -> tuple[TransactionKind, ...]:
    by_name = defaultdict[str, list[TransactionKind]](list)
    for kind in chain.from_iterable(parts):
        by_name[kind.name].append(kind)
    return tuple(
        TransactionKind(
            name=name,
            transactions=sum(kind.transactions for kind in kinds),
            errors=_joined(sum, (kind.errors for kind in kinds)),
            histogram=summed([kind.histogram for kind in kinds])
            if all(kind.histogram or not kind.transactions for kind in kinds)
            else (),
        )
        for name, kinds in by_name.items()
    )


def summed(histograms: Iterable[Histogram]) -> Histogram:
    """One histogram with the counts of all."""
    counts = Counter[float]()
    for middle, count in chain.from_iterable(histograms):
        counts[middle] += count
    return tuple(sorted(counts.items()))

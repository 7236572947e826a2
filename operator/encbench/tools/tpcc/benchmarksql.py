r"""Lines of BenchmarkSQL 5 and 6, according to their source and to published logs.

Version 5 (log4j, `jTPCC : Term-00, …`):
- The report gives `Measured tpmC (NewOrders)` and `Measured tpmTOTAL` as Java prints a double: ten
  million and more is `1.658154209E7`. Patched builds write `tpmTotal` and separators.
- Both divide the count since the session's start by the time until the last terminal ended. The
  counter starts at 1, so `Transaction Count` is one less than the rate's numerator, and the window
  lasts (count + 1) / tpmTOTAL minutes.
- It gives no latency and counts no errors: each error is a line of level ERROR or FATAL.
- Backspaces overwrite its status line (see `tpcc.progress`).

Version 6 (log4j2, `result, …`):
- The table's counts cover the window and include intended rollbacks and errors, and so do its rates
  and the histogram. An error is a transaction that an exception ended, so it is taken off what was
  done; an intended rollback is none: it ends as it should. Rates are printed without decimals,
  so they are computed from the counts and `runMins`. DELIVERY_BG, the deferred part of a Delivery,
  is not a transaction of its own; its errors are errors, but the Delivery was queued.
- Latency runs from a transaction's scheduled start to its end, in whole milliseconds. Without think
  and keying time it includes the wait for a free connection. `histogram.csv` of the results has a
  column `edge` of exp((b + 1) d) / 1000, with b the bucket and d ln(600,000) / 1000. Bucket b holds
  the values that round to it on that scale, so its middle is exp(b d) ms. `client.sh` appends it.
- Up to about 75 ms a millisecond is wider than a bucket: 10 ms stands for 9.5 to 10.5 ms, 10 % and
  not 1.3 %. Such a bucket is divided evenly over its millisecond, because a percentile would else
  step from one millisecond to the next, by the same step in every block.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from encbench.core.figure_names import NEW_ORDERS
from encbench.core.statistics.histogram import percentile
from encbench.tools.measurement import (
    PERCENTILE,
    Histogram,
    Measurement,
    ParseError,
    TransactionKind,
    mean,
    summed,
)
from encbench.tools.tpcc.progress import number

HISTOGRAM = "encbench-histogram "
"""The prefix that `client.sh` puts before each line of histogram.csv."""

_NUMBER = r"([0-9][0-9,]*(?:\.[0-9]+)?(?:E[0-9]+)?)"
_LEVEL = re.compile(r"(?:^|\s)(?:ERROR|FATAL)\s")
_RUN_MINUTES = re.compile(r"\brunMins=([0-9]{1,9})\s*$")
_ROW, _CELLS = "result, |", 8
_OVERALL = re.compile(rf"\bresult, Overall (NOPM|TPM):\s+{_NUMBER}\b")
_BUCKET_WIDTH = math.log(600.0 * 1000.0) / 1000
_KINDS = {
    "NEW_ORDER": "newOrder",
    "PAYMENT": "payment",
    "ORDER_STATUS": "orderStatus",
    "DELIVERY": "delivery",
    "STOCK_LEVEL": "stockLevel",
}


def is_5(line: str) -> bool:
    """Whether only version 5 writes such a line."""
    return "Term-00, " in line


def is_6(line: str) -> bool:
    """Whether only version 6 writes such a line."""
    return " - main, " in line or "Scheduler, " in line


def parse_5(lines: Sequence[str]) -> Measurement:
    """The session of version 5; ParseError when it was not complete."""
    per_minute, count = _last("Measured tpmTotal", lines), _last("Transaction Count", lines)
    new_orders = _last("Measured tpmC (NewOrders)", lines)
    if per_minute is None or new_orders is None or count is None:
        raise ParseError(_incomplete(lines))
    if per_minute == 0:
        raise ParseError("BenchmarkSQL measured no transaction: tpmTOTAL is 0")
    return Measurement(
        seconds=60 * (count + 1) / per_minute,
        transactions=int(count),
        tps=per_minute / 60,
        errors=sum(1 for line in lines if _LEVEL.search(line)),
        extra={NEW_ORDERS: new_orders / 60},
    )


def parse_6(lines: Sequence[str]) -> Measurement:
    """The window of version 6; ParseError when it was not complete."""
    overall = {found[1]: number(found[2]) for line in lines if (found := _OVERALL.search(line))}
    minutes = next((int(found[1]) for line in lines if (found := _RUN_MINUTES.search(line))), 0)
    rows = dict(row for line in lines if (row := _row(line)) is not None)
    per_minute = overall.get("TPM")
    if per_minute is None or minutes == 0 or not set(_KINDS) <= rows.keys():
        raise ParseError(_incomplete(lines))
    ended = sum(rows[name].ended for name in _KINDS)
    if abs(ended / minutes - per_minute) > 1:
        raise ParseError(
            f"BenchmarkSQL's table holds {ended} transactions in {minutes} min, which does "
            f"not match the {per_minute:,.0f} a minute that it reports"
        )
    transactions = sum(rows[name].transactions for name in _KINDS)
    buckets = _histograms(lines)
    histogram = summed(buckets.values())
    whole = sum(count for _, count in histogram) == ended and ended > 0
    return Measurement(
        seconds=60.0 * minutes,
        transactions=transactions,
        tps=transactions / minutes / 60,
        latency_average_ms=mean(histogram) if whole else _table_mean(rows),
        latency_p95_ms=percentile(histogram, PERCENTILE) if whole else None,
        errors=sum(row.errors for row in rows.values()),
        histogram=histogram if whole else (),
        extra={NEW_ORDERS: rows["NEW_ORDER"].transactions / minutes / 60},
        kinds=tuple(
            TransactionKind(
                name,
                rows[row].transactions,
                rows[row].errors,
                buckets.get(row, ()) if whole else (),
            )
            for row, name in _KINDS.items()
        ),
    )


class _Row(NamedTuple):
    """One line of version 6's table; NaN, which stands for no transaction, is read as 0."""

    ended: int
    """With errors."""
    mean_ms: float
    errors: int

    @property
    def transactions(self) -> int:
        """Those that did what they were to do."""
        return self.ended - self.errors


def _row(line: str) -> tuple[str, _Row] | None:
    # Not by a pattern, nor cell by cell to the end: a line may have millions of letters.
    *cells, end = [cell.strip() for cell in line.partition(_ROW)[2].split("|", _CELLS)]
    if len(cells) != _CELLS or end:
        return None
    figures = [number(cells[place]) for place in (1, 3, 7)]
    known = [0.0 if math.isnan(figure) else figure for figure in figures if figure is not None]
    if len(known) < len(figures):
        return None
    count, average, errors = known
    return cells[0], _Row(int(count), 1000 * average, int(errors))


def _table_mean(rows: Mapping[str, _Row]) -> float | None:
    """The mean of the table's means, which are in whole milliseconds."""
    own = [rows[name] for name in _KINDS]
    count = sum(row.ended for row in own)
    return sum(row.mean_ms * row.ended for row in own) / count if count else None


def _histograms(lines: Sequence[str]) -> dict[str, Histogram]:
    """From histogram.csv: type, edge, count."""
    found: dict[str, list[tuple[float, int]]] = {}
    for line in lines:
        if not line.startswith(HISTOGRAM):
            continue
        words = line[len(HISTOGRAM) :].split(",", 3)
        edge = number(words[1]) if len(words) == 3 else None
        counted = re.fullmatch("[0-9]{1,15}", words[2]) if edge is not None else None
        if edge is not None and edge > 0 and words[0] in _KINDS and counted:
            middle = 1000 * edge / math.exp(_BUCKET_WIDTH)
            found.setdefault(words[0], []).extend(_parts(middle, int(words[2])))
    return {
        name: tuple(sorted((middle, n) for middle, n in buckets if n))
        for name, buckets in found.items()
    }


def _parts(middle: float, count: int) -> Iterator[tuple[float, int]]:
    """A bucket as parts of its width of the one whole millisecond in it; else the bucket itself."""
    reach = math.exp(_BUCKET_WIDTH / 2)
    first, last = math.ceil(middle / reach), math.floor(middle * reach)
    parts = math.ceil(1 / (_BUCKET_WIDTH * first)) if first == last else 1
    if parts == 1:
        yield round(middle, 6), count
        return
    for part in range(parts):
        own = count * (part + 1) // parts - count * part // parts
        yield round(first - 0.5 + (part + 0.5) / parts, 6), own


def _last(name: str, lines: Sequence[str]) -> float | None:
    pattern = re.compile(rf"{re.escape(name)}\s*=\s*{_NUMBER}\s*$", re.IGNORECASE)
    found = [match for line in lines if (match := pattern.search(line))]
    return number(found[-1][1]) if found else None


def _incomplete(lines: Sequence[str]) -> str:
    wrong = next((n for n, line in enumerate(lines, 1) if _LEVEL.search(line)), None)
    if wrong is not None:
        return f"BenchmarkSQL ended with an error: line {wrong} of output.log says which"
    return f"BenchmarkSQL's output ends before its final report, after {len(lines)} lines"

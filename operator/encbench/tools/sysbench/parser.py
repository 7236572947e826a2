"""The output of sysbench 1.0 as a measurement.

Seen with Debian's 1.0.20 against MariaDB 10.11, where the source says the same:

- `--report-checkpoints=W` prints a full report at W seconds and resets transactions, queries,
  errors, latency and histogram. The final report therefore covers the transactions that ended after
  the checkpoint; warm-up and window together were equal to the server's own Com_commit. Its `total
  time`, however, still counts from the start of the load, and ends when the last thread is gone.
  Until then each calls thread_done(), which closes its statements (200,000 of 2,048 threads) and
  its connection, or does whatever a script has it do.
- The window ends when the *last* transaction does, not at `--time`. `session.lua` has each thread
  say when its last one was over, by the timer of `total time`. So the window lasts from the
  checkpoint's `total time` (four digits) to the last of these moments, and the rates are computed
  with that; the printed rates use an interval that ends later than the counters.
- A thread ends before `--time` only if event() returns a value. That is no error.
- Counters, latency sums and histogram are reset one after the other. With tens of thousands of
  transactions a second, the histogram lacked up to 0.3 % of the window's, all from the first
  milliseconds. The average is computed from the latency sum and its own event count.
- A transaction that began in the warm-up and ended in the window counts in the window.
- Two threads write the reports: a periodic line can interrupt the checkpoint report, and the line
  of the last second is sometimes missing. The periodic line next to the checkpoint has the TPS of
  its whole second, but its percentile covers only the transactions after the reset.
- The histogram names a bucket by its middle; neighbours are 1.8 % apart. The printed percentile is
  the same bucket rounded to two digits, which is too coarse for 0.02 ms, so the percentile is taken
  from the histogram.
- stdout is line-buffered even into a file: one write per line. stderr carries errors from before
  the first thread starts.
- `--time` and `--report-checkpoints` take whole seconds only; 0 is no checkpoint.
- A fatal error ends every thread with exit code 1 and no final report. SIGTERM ends sysbench at
  once without a report. With `--rate`, more than 131,071 waiting transactions are fatal.
- The query of `session.lua` before the first transaction is counted if no checkpoint resets the
  counters; it is subtracted. So are the two of `enclave.lua`, the second of which always counts.
- With `--rate`, a line beside each periodic one has the number of transactions that wait for a
  thread: `[ 7s ] queue length: 293, concurrency: 2`. Latency contains that wait, from
  when a transaction enters the queue: what falls due while sysbench stands still enters it late.
- A script that leaves a line of its own unfinished has sysbench's next line at the end of it. In
  the checkpoint report that may be any line.
- Without SQL statements (or with hooks of its own) a script's report has no "SQL statistics".
"""

import re

from encbench.core.statistics.histogram import percentile
from encbench.tools.measurement import (
    PERCENTILE,
    Histogram,
    Measurement,
    ParseError,
    number,
    summed,
    whole,
)
from encbench.tools.progress import Mark
from encbench.tools.session import columns, session_count, sessions
from encbench.tools.sysbench.progress import SysbenchReader, over, progress
from encbench.wire.foreign import LONGEST

_QUEUE = re.compile(r"\[ (\d+)s \] queue length: (\d+)")
_BUCKET = re.compile(r"\s*(\d+\.\d+) \|[* ]*\s(\d+)")
_THREADS = re.compile(r"Number of threads: (\d+)")
_CHECKPOINTS = re.compile(r"Report checkpoint\(s\) at (.+) seconds")
_VALUE = re.compile(
    r" {4}(transactions|queries|ignored errors|reconnects|total time|sum"
    r"|events \(avg/stddev\)):\s+(\d+(?:\.\d+)?)"
)
_LAST_VALUE = "events (avg/stddev)"
_QUEUE_IS_FULL = "FATAL: The event queue is full."
_QUEUE_HOLDS = 131_071
_NO_WINDOW = (
    "sysbench's last transaction ended before load.warmup did: event() must return nothing, "
    "because a value ends its thread"
)


def parse(output: str) -> Measurement:
    """The measured window in the complete output of one run; ParseError for anything else."""
    lines = _lines(output)
    threads, checkpoint = _header(lines)
    queue = [found for line in lines if (found := _QUEUE.match(line))]
    body = [line for line in lines if progress(line) is None and not _QUEUE.match(line)]
    reports = _reports(body)
    if len(reports) != (2 if checkpoint else 1):
        raise ParseError(_why_incomplete(lines, len(reports)))
    rows = columns(output)
    asked = len(rows[1:]) if checkpoint else len(rows) + session_count(output)
    report, histogram = reports[-1], _histogram(body)
    try:
        warmup = reports[0]["total time"] if checkpoint else 0.0
        first, last = _ends(lines, threads, report["total time"])
        seconds = last - warmup
        transactions, queries = int(report["transactions"]), int(report["queries"]) - asked
        errors, reconnects = int(report["ignored errors"]), int(report["reconnects"])
        events = report[_LAST_VALUE] * threads
        latency_sum = report["sum"]
    except KeyError as missing:
        raise ParseError(f"sysbench's final report lacks {missing}") from missing
    if seconds <= 0:
        raise ParseError(_NO_WINDOW)
    if transactions and not histogram:
        raise ParseError("the output has no latency histogram: sysbench must run with --histogram")
    return Measurement(
        seconds=seconds,
        transactions=transactions,
        tps=transactions / seconds,
        qps=queries / seconds,
        latency_average_ms=latency_sum / events if events else 0.0,
        latency_p95_ms=percentile(histogram, PERCENTILE),
        errors=errors,
        reconnects=reconnects,
        histogram=histogram,
        lasted=first,
        sessions=sessions(output),
        columns=rows,
        queue=_queue({whole(found[1]): whole(found[2]) for found in queue}, checkpoint),
    )


def parse_cut(output: str, warmup: float, duration: float) -> Measurement:
    """The planned window in the output of a run that the server's stop has cut off.

    There is no final report: the figures are the means of the window's periodic lines, and there is
    no latency. ParseError if there is no such line.
    """
    lines = _lines(output)
    found = [sample for line in lines if (sample := progress(line)) is not None]
    window = tuple(one for one in found if warmup < one.second <= warmup + duration)
    if not window:
        raise ParseError(_why_incomplete(lines, 0))
    seconds = float(len(window))
    transactions, queries = sum(one.tps for one in window), sum(one.qps for one in window)
    return Measurement(
        seconds=seconds,
        transactions=round(transactions),
        tps=transactions / seconds,
        qps=queries / seconds,
        errors=round(sum(one.errors for one in window)),
        series=window,
        sessions=sessions(output),
        columns=columns(output),
    )


def why_it_failed(log_end: str) -> str:
    """Why sysbench has ended with an error, where that follows from the workload."""
    if not any(line.startswith(_QUEUE_IS_FULL) for line in log_end.split("\n")):
        return ""
    return (
        f"{_QUEUE_HOLDS:,} transactions wait in sysbench, which is all that its queue holds: "
        "load.rate is more than the database serves: offer less"
    )


def _lines(output: str) -> list[str]:
    """Only a newline ends a line, as whoever bounds their number counts them."""
    whole = output.removesuffix("\n").split("\n")
    lines = [line[:LONGEST].removesuffix("\r") for line in whole]
    if not lines[0].startswith("sysbench 1.0"):
        found = "line 1 of output.log says whose" if output else "output.log is empty"
        raise ParseError(f"the output is not sysbench 1.0's: {found}")
    return lines


def _header(lines: list[str]) -> tuple[int, int]:
    """The threads, and the second of the checkpoint: 0 if there is none."""
    threads, checkpoints, reader = None, "", SysbenchReader()
    for line in lines:
        if found := _THREADS.fullmatch(line):
            threads = whole(found[1])
        elif found := _CHECKPOINTS.fullmatch(line):
            checkpoints = found[1]
        elif reader.mark(line) is Mark.STARTED:
            break
    if threads is None:
        raise ParseError(_why_incomplete(lines, 0))
    if "," in checkpoints:
        raise ParseError("the output has several checkpoints: there must be one")
    return threads, whole(checkpoints or "0")


def _reports(lines: list[str]) -> list[dict[str, float]]:
    """Every complete report, in order."""
    reports: list[dict[str, float]] = []
    current: dict[str, float] | None = None
    for line in lines:
        if line.endswith("SQL statistics:"):
            current = current or {}  # another one is a script's, and sysbench's values come last
        elif current is not None and (found := _VALUE.search(line)):
            current[found[1]] = number(found[2])
            if found[1] == _LAST_VALUE:
                reports.append(current)
                current = None
    return reports


def _ends(lines: list[str], threads: int, total: float) -> tuple[float, float]:
    """When the first thread and the last had ended their last transaction, in seconds of the load.

    A `session.lua` of an earlier version has no thread say so, and another build of sysbench may
    hide its timer. `total time` contains what the threads do afterwards.
    """
    ends = [found.seconds for line in lines if (found := over(line))]
    if len(ends) != threads:
        return total, total
    return min(ends), min(max(ends), total)


def _queue(waiting: dict[int, int], warmup: int) -> tuple[int, int] | None:
    """How many waited at the window's begin and at its end, by their number in each second.

    Of two seconds the smaller number counts, so that a short stall of the server is no queue.
    """
    if not waiting:
        return None
    last = max(waiting)
    begin, end = (
        [waiting[second] for second in (edge - 1, edge) if second in waiting]
        for edge in (warmup, last)
    )
    return (min(begin, default=0), min(end))


def _histogram(lines: list[str]) -> Histogram:
    buckets = [found for line in lines if (found := _BUCKET.fullmatch(line))]
    return summed(((number(bucket[1]), whole(bucket[2])),) for bucket in buckets)


def _why_incomplete(lines: list[str], reports: int) -> str:
    fatal = next((n for n, line in enumerate(lines, 1) if "FATAL: " in line), None)
    if fatal is not None:
        return f"sysbench ended with an error: line {fatal} of output.log says which"
    if reports == 0 and any(line.endswith("General statistics:") for line in lines):
        return (
            "sysbench's report has no SQL statistics: the script must use sysbench.sql and leave "
            "sysbench.hooks alone"
        )
    if reports and not any(line.endswith("Checkpoint report:") for line in lines):
        return _NO_WINDOW
    return f"sysbench's output ends before its final report, after {len(lines)} lines"

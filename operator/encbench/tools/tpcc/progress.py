"""Lines of TPC-C clients while they run. Standard library only: the recorder imports this.

It reads three clients and distinguishes them by their lines (see also `tpcc.parser`):

- encbench's own: `encbench-tpcc {"event": "started" | "window" | "second" | "windowEnd", …}`.
- BenchmarkSQL 5: a status line about once a second, overwritten by backspaces in place of a
  newline. The first one, printed before any connection, says 0.00. Its "Current tpmTOTAL" is
  twelve times the difference of two unrelated counters (98,607 on average next to 1,306,284 in a
  published log), so the rate of a second is taken from how the running average moved.
- BenchmarkSQL 6: `Scheduler, …` lines. It counts transactions when they are sent to the database.
"""

from math import isnan, nan
from typing import TypeGuard

from encbench.tools.progress import MOST, Mark, Sample
from encbench.wire.foreign import parsed

OWN = "encbench-tpcc "
"""The prefix of our own client's lines with a JSON object."""
LONGEST = 256 * 2**10
"""Letters of such a line, because JSON grows thirtyfold in memory; histograms have a fiftieth."""
_OWN_EVENTS = {"started": Mark.STARTED, "window": Mark.CHECKPOINT, "windowEnd": Mark.ENDED}
_SHORTEST = 0.001
"""The least length of a period, in seconds, that gives a rate."""
_STATUS = "Running Average tpmTOTAL:"
_INTERVAL = "main, reportIntervalSecs="
_SCHEDULER = "Scheduler, "
_SCHEDULED = {
    "ready": Mark.STARTED,
    "rampup done - measurement begins": Mark.CHECKPOINT,
    "run done - measurement ends": Mark.ENDED,
}


class TpccReader:
    """One run's lines, in order; `mark` is asked before `progress`."""

    def __init__(self) -> None:
        """Starts with nothing read."""
        self._is_own = False
        self._second = 0
        """Status lines since the load began: there is one per second."""
        self._done = 0.0
        """Transactions until the last of these lines."""
        self._interval = 1
        """Seconds between two reports of BenchmarkSQL 6."""

    def mark(self, line: str) -> Mark | None:
        """The moment that this line shows."""
        if line.startswith(OWN):
            self._is_own = True
            return _OWN_EVENTS.get(str(own_event(line).get("event")))
        if _INTERVAL in line:
            seconds = number(line.rpartition(_INTERVAL)[2]) or 0.0
            self._interval = int(seconds) if seconds >= 1 else 1
        if _SCHEDULER in line:
            return _SCHEDULED.get(line.rpartition(_SCHEDULER)[2].strip())
        if _STATUS in line and not self._is_own and not self._second and _average(line):
            self._second = 1
            return Mark.STARTED
        return None

    def when(self, line: str) -> float | None:
        """The time of the window's start or end, which our own client reports."""
        unix = own_event(line).get("unix") if line.startswith(OWN) else None
        return float(unix) if _is_number(unix) else None

    def progress(self, line: str) -> Sample | None:
        """The periodic report in this line."""
        if line.startswith(OWN):
            return _own_sample(own_event(line))
        if _SCHEDULER in line:
            return self._scheduled(line.rpartition(_SCHEDULER)[2])
        if _STATUS in line and not self._is_own and self._second:
            return self._status(_average(line))
        return None

    def _status(self, average: float | None) -> Sample | None:
        if average is None:
            return None
        second = self._second
        done = average * second / 60
        sample = _rate(second, max(0.0, done - self._done))
        self._second, self._done = second + 1, done
        return sample

    def _scheduled(self, text: str) -> Sample | None:
        begin, found, rest = text.partition("Current TPM=")
        if begin or not found:
            return None
        per_minute = number(rest.partition(", ")[0])
        if per_minute is None or isnan(per_minute):
            return None
        self._second += self._interval
        return _rate(self._second, per_minute / 60)


def _rate(second: int, tps: float) -> Sample:
    return Sample(second=second, tps=tps, qps=nan, latency_p95_ms=nan, errors=nan)


def own_event(line: str) -> dict[str, object]:
    """The object in a line of our own client; empty for a damaged line."""
    try:
        event = parsed(line[len(OWN) : LONGEST])
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def _own_sample(event: dict[str, object]) -> Sample | None:
    if event.get("event") != "second":
        return None
    second, seconds = event.get("second"), event.get("seconds")
    transactions, errors, p95 = (event.get(k) for k in ("transactions", "errors", "p95Ms"))
    if not (_is_number(second) and _is_number(seconds) and _is_number(transactions)):
        return None
    if seconds < _SHORTEST:
        return None
    return Sample(
        second=int(second),
        tps=transactions / seconds,
        qps=nan,
        latency_p95_ms=float(p95) if _is_number(p95) else nan,
        errors=float(errors) if _is_number(errors) else nan,
    )


def _is_number(value: object) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= MOST


def _average(line: str) -> float | None:
    """The running average of a status line, transactions a minute."""
    words = line.partition(_STATUS)[2].split()
    found = number(words[0]) if words else None
    return None if found is None or isnan(found) else found


def number(text: str) -> float | None:
    """A number as Java prints it (1.658154209E7), with or without thousands separators.

    None for what is none, or is more than any run counts.
    """
    try:
        found = float(text.replace(",", ""))
    except ValueError:
        return None
    return None if abs(found) > MOST else found

"""Observations of one run: periodic reports, the CPU time that belongs to them, and the window.

CPU time at a moment is interpolated between its two neighbouring readings. Every periodic line
comes with a reading, so the moments that matter have one within milliseconds. The total at the end
is the wrapper's, which is exact because the kernel adds a child's CPU time to its parent's when the
child ends.
"""

from math import isnan
from typing import NamedTuple

from encbench.sidecars.recorder.barrier import BarrierStamp, End
from encbench.sidecars.recorder.moment import Moment
from encbench.sidecars.recorder.process import TICKS, Throttling, Usage
from encbench.tools.progress import Mark, Sample
from encbench.wire.files import SERIES_COLUMNS


class ObservedWindow(NamedTuple):
    """The measured window."""

    start: Moment
    end: Moment

    @property
    def seconds(self) -> float:
        """Its length by the monotonic clock."""
        return self.end.monotonic - self.start.monotonic


class SecondRow(NamedTuple):
    """One second of the run."""

    time: float
    sample: Sample
    is_partial: bool
    """The percentile covers only part of the second, because the checkpoint reset it."""
    usage: Usage | None


class Observation:
    """One run."""

    def __init__(self, *, has_warmup: bool) -> None:
        """Without warm-up the window begins with the load."""
        self._first_mark = Mark.CHECKPOINT if has_warmup else Mark.STARTED
        self.rows: list[SecondRow] = []
        self.started: Moment | None = None
        self.window_start: Moment | None = None
        self.window_end: Moment | None = None
        self.usages: list[Usage] = []
        """Readings of the process."""
        self._checkpoint_second: int | None = None

    def see_mark(self, mark: Mark, when: Moment) -> None:
        """Note a moment of the run."""
        if mark is Mark.STARTED and self.started is None:
            self.started = when
        if mark is Mark.ENDED:
            self.window_end = when
        if mark is self._first_mark and self.window_start is None:
            self.window_start = when
            if self.started is not None:
                passed = when.monotonic - self.started.monotonic
                self._checkpoint_second = round(passed) if passed > 0.5 else None

    def see_sample(self, sample: Sample, when: Moment, usage: Usage | None) -> None:
        """Note the tool's report on a second."""
        partial = sample.second == self._checkpoint_second
        self.rows.append(SecondRow(when.unix, sample, partial, usage))

    @property
    def memory_max_bytes(self) -> int | None:
        """The largest resident memory of the tool."""
        return max((u.memory_max_bytes for u in self.usages if u.memory_max_bytes), default=None)

    def window(self, end: End | None, last_write: Moment | None) -> ObservedWindow | None:
        """The window, if the tool ended well.

        Its end is the tool's own mark, or else the tool's last write: the report after the load.
        """
        over = self.window_end or last_write
        if end is None or end.exit_code != 0 or self.window_start is None or over is None:
            return None
        return ObservedWindow(self.window_start, over)

    def cpu_seconds(self, window: ObservedWindow, began: BarrierStamp, end: End) -> float:
        """CPU time of the tool in the window."""
        total = (end.stamp.cpu_ticks - began.cpu_ticks) / TICKS
        points = [
            (began.moment.monotonic, 0.0),
            *((usage.monotonic, usage.cpu_seconds) for usage in self.usages),
            (end.stamp.moment.monotonic, total),
        ]
        return _at(points, window.end.monotonic) - _at(points, window.start.monotonic)

    def throttling(self, window: ObservedWindow) -> Throttling | None:
        """How far the counters of the tool's container grew in the window, if they are visible."""
        known = [(u.monotonic, u.throttling) for u in self.usages if u.throttling is not None]
        seconds = _growth([(time, it.seconds) for time, it in known], window)
        if seconds is None:
            return None
        return Throttling(
            seconds,
            _growth([(time, it.throttled_periods) for time, it in known], window),
            _growth([(time, it.periods) for time, it in known], window),
        )


def _growth(points: list[tuple[float, float | None]], window: ObservedWindow) -> float | None:
    """Of a counter in the window; None if it was never read."""
    known = [(time, value) for time, value in points if value is not None]
    if not known:
        return None
    over = _at(known, window.end.monotonic)
    return max(0.0, over - _at(known, window.start.monotonic))


def _at(points: list[tuple[float, float]], moment: float) -> float:
    """A growing counter at a moment, interpolated between its neighbours."""
    before = points[0]
    for point in points:
        if point[0] >= moment:
            width = point[0] - before[0]
            share = (moment - before[0]) / width if width > 0 else 1.0
            return before[1] + max(0.0, share) * (point[1] - before[1])
        before = point
    return before[1]


def series_csv(rows: list[SecondRow]) -> str:
    """One line per second under the columns of `wire.files`."""
    return "".join(f"{line}\n" for line in [",".join(SERIES_COLUMNS), *map(_line, rows)])


def _line(row: SecondRow) -> str:
    sample, usage = row.sample, row.usage
    fields = [
        f"{row.time:.3f}",
        _rounded(sample.tps),
        _rounded(sample.qps),
        "" if row.is_partial else _rounded(sample.latency_p95_ms),
        _rounded(sample.errors),
        f"{usage.cpu_seconds:.2f}" if usage else "",
        str(usage.resident_bytes) if usage and usage.resident_bytes is not None else "",
    ]
    return ",".join(fields)


def _rounded(value: float) -> str:
    return "" if isnan(value) else f"{value:.2f}"

"""Observations of one run: periodic reports, the CPU time that belongs to them, and the window.

CPU time at a moment is interpolated between its two neighbouring readings. Every periodic line
comes with a reading, so the moments that matter have one within milliseconds. The total at the end
is the wrapper's, which is exact because the kernel adds a child's CPU time to its parent's when the
child ends.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from math import isnan, nan
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


Point = tuple[float, float]
"""A moment by the monotonic clock, and what a counter had then."""


class Observation:
    """One run, of which 70 bytes are kept of each second: it may last for days."""

    def __init__(self, *, has_warmup: bool) -> None:
        """Without warm-up the window begins with the load."""
        self._first_mark = Mark.CHECKPOINT if has_warmup else Mark.STARTED
        self.started: Moment | None = None
        self.window_start: Moment | None = None
        self.window_end: Moment | None = None
        self.memory_max_bytes: int | None = None
        """The largest resident memory of the tool."""
        self._series = bytearray(f"{','.join(SERIES_COLUMNS)}\n".encode())
        self._readings = tuple(array("d") for _ in range(5))
        """Time, CPU time, and the counters of `Throttling`, with NaN for what is not known."""
        self._last: Usage | None = None
        self._checkpoint_second: int | None = None

    def see_mark(self, mark: Mark, when: Moment) -> None:
        """Note a moment of the run. Each thread may have an end of its own: the last one counts."""
        if mark is Mark.STARTED and self.started is None:
            self.started = when
        if mark is Mark.ENDED:
            ends = (end for end in (self.window_end, when) if end is not None)
            self.window_end = max(ends, key=lambda end: end.monotonic)
        if mark is self._first_mark and self.window_start is None:
            self.window_start = when
            if self.started is not None:
                passed = when.monotonic - self.started.monotonic
                self._checkpoint_second = round(passed) if passed > 0.5 else None

    def see_usage(self, usage: Usage) -> None:
        """Note a reading of the process, unless it is the one before."""
        if usage == self._last:
            return
        self._last, counters = usage, usage.throttling or Throttling(nan)
        for column, value in zip(
            self._readings, (usage.monotonic, usage.cpu_seconds, *counters), strict=True
        ):
            column.append(nan if value is None else value)
        if usage.memory_max_bytes:
            self.memory_max_bytes = max(self.memory_max_bytes or 0, usage.memory_max_bytes)

    def see_sample(self, sample: Sample, when: Moment, usage: Usage | None) -> None:
        """Note the tool's report on a second.

        In the checkpoint's own, the percentile would be that of a part, and is left out.
        """
        partial = sample.second == self._checkpoint_second
        self._series += f"{_line(when.unix, sample, usage, is_partial=partial)}\n".encode()

    def series(self) -> bytes:
        """CSV with a line for each second under the columns of `wire.files`."""
        return bytes(self._series)

    def window(self, end: End | None, last_write: Moment | None) -> ObservedWindow | None:
        """The window, if the tool ended well.

        Its end is the tool's own mark, or else the tool's last write: the report after the load.
        """
        return self._until(last_write) if end is not None and end.exit_code == 0 else None

    def _until(self, last_write: Moment | None) -> ObservedWindow | None:
        """The window, however the tool ended."""
        over = self.window_end or last_write
        if self.window_start is None or over is None:
            return None
        return ObservedWindow(self.window_start, over)

    def cpu_seconds(self, window: ObservedWindow, began: BarrierStamp, end: End) -> float:
        """CPU time of the tool in the window."""
        total = (end.stamp.cpu_ticks - began.cpu_ticks) / TICKS
        first, last = (began.moment.monotonic, 0.0), (end.stamp.moment.monotonic, total)

        def points() -> Iterable[Point]:
            return chain([first], self._points(1), [last])

        return _growth(points, window)

    def _points(self, column: int) -> Iterator[Point]:
        """Those of a counter that were known."""
        found = zip(self._readings[0], self._readings[column], strict=True)
        return ((time, value) for time, value in found if not isnan(value))

    def throttling(self, last_write: Moment | None) -> Throttling | None:
        """How far the counters of the tool's container grew in the window, if they are visible.

        However the tool ended: one that loses its server, as a recovery has it, was measured until
        then.
        """
        window = self._until(last_write)
        if window is None:
            return None
        seconds, throttled, periods = (self._grown(column, window) for column in (2, 3, 4))
        return None if seconds is None else Throttling(seconds, throttled, periods)

    def _grown(self, column: int, window: ObservedWindow) -> float | None:
        """Of a counter in the window; None if it was never read."""
        if next(self._points(column), None) is None:
            return None
        return max(0.0, _growth(lambda: self._points(column), window))


def _growth(points: Callable[[], Iterable[Point]], window: ObservedWindow) -> float:
    return _at(points(), window.end.monotonic) - _at(points(), window.start.monotonic)


def _at(points: Iterable[Point], moment: float) -> float:
    """A growing counter at a moment, interpolated between its neighbours."""
    points = iter(points)
    before = next(points)
    for point in chain([before], points):
        if point[0] >= moment:
            width = point[0] - before[0]
            share = (moment - before[0]) / width if width > 0 else 1.0
            return before[1] + max(0.0, share) * (point[1] - before[1])
        before = point
    return before[1]


def _line(time: float, sample: Sample, usage: Usage | None, *, is_partial: bool) -> str:
    fields = [
        f"{time:.3f}",
        _rounded(sample.tps),
        _rounded(sample.qps),
        "" if is_partial else _rounded(sample.latency_p95_ms),
        _rounded(sample.errors),
        f"{usage.cpu_seconds:.2f}" if usage else "",
        str(usage.resident_bytes) if usage and usage.resident_bytes is not None else "",
    ]
    return ",".join(fields)


def _rounded(value: float) -> str:
    return "" if isnan(value) else f"{value:.2f}"

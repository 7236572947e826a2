"""Window and CPU time from what was seen, and the series."""

import math
import tracemalloc

import pytest

from encbench.sidecars.recorder.barrier import BarrierStamp, End
from encbench.sidecars.recorder.moment import Moment
from encbench.sidecars.recorder.observation import Observation, ObservedWindow
from encbench.sidecars.recorder.process import TICKS, Throttling, Usage
from encbench.tools.progress import Mark, Sample
from encbench.wire.files import SERIES_COLUMNS


def at(seconds: float) -> Moment:
    """By both clocks, the Unix time being 1000 ahead."""
    return Moment(1000 + seconds, seconds)


def usage(seconds: float, cpu: float, throttling: Throttling | None = None, most: int = 1) -> Usage:
    return Usage(seconds, cpu, 100, most, throttling)


def end(code: int = 0, cpu: float = 0.0, when: float = 12.0) -> End:
    return End(code, BarrierStamp(at(when), int(cpu * TICKS)))


BEGAN = BarrierStamp(at(0.0), 5 * TICKS)
SAMPLE = Sample(3, 10.5, 210.0, 1.86, 2.0)
USAGE = Usage(3.0, 1.25, 4096, 8192, None)


def test_the_window_is_from_the_checkpoint_to_the_last_write() -> None:
    seen = Observation(has_warmup=True)
    seen.see_mark(Mark.STARTED, at(0.5))
    assert seen.window(end(), at(11.9)) is None
    seen.see_mark(Mark.CHECKPOINT, at(2.5))
    window = seen.window(end(), at(11.9))
    assert window == ObservedWindow(at(2.5), at(11.9))
    assert window.seconds == pytest.approx(9.4)


def test_without_warm_up_it_begins_with_the_load() -> None:
    seen = Observation(has_warmup=False)
    seen.see_mark(Mark.STARTED, at(0.5))
    window = seen.window(end(), at(11.9))
    assert window is not None
    assert window.start == at(0.5)


@pytest.mark.parametrize("how", [end(1), end(137), None])
def test_no_window_for_a_run_that_did_not_end_well(how: End | None) -> None:
    seen = Observation(has_warmup=False)
    seen.see_mark(Mark.STARTED, at(0.5))
    assert seen.window(how, at(11.9)) is None


def test_cpu_time_is_interpolated_at_the_edges() -> None:
    seen = Observation(has_warmup=True)
    for second in range(1, 12):
        seen.see_usage(usage(second, second * 0.5))
    window = ObservedWindow(at(2.5), at(11.5))
    spent = seen.cpu_seconds(window, BEGAN, end(cpu=5 + 6.0, when=12.0))
    assert spent == pytest.approx(9 * 0.5)


def test_cpu_time_without_any_reading_is_the_whole_run_s() -> None:
    seen = Observation(has_warmup=False)
    window = ObservedWindow(at(0.0), at(12.0))
    assert seen.cpu_seconds(window, BEGAN, end(cpu=5 + 3.0)) == pytest.approx(3.0)


def test_what_is_used_after_the_window_does_not_count() -> None:
    seen = Observation(has_warmup=False)
    seen.see_usage(usage(10.0, 8.0))
    window = ObservedWindow(at(0.0), at(10.0))
    assert seen.cpu_seconds(window, BEGAN, end(cpu=5 + 9.0)) == pytest.approx(8.0)


def test_throttling_in_the_window() -> None:
    seen = Observation(has_warmup=True)
    seen.see_mark(Mark.STARTED, at(0.5))
    assert seen.throttling(at(11.0)) is None
    seen.see_mark(Mark.CHECKPOINT, at(2.0))
    assert seen.throttling(None) is None
    assert seen.throttling(at(11.0)) is None
    for second, throttled in [(1, 5.0), (2, 5.5), (6, 6.0), (11, 7.0)]:
        seen.see_usage(usage(second, second, Throttling(throttled)))
    assert seen.throttling(at(11.0)) == Throttling(1.5)
    seen = Observation(has_warmup=True)
    seen.see_mark(Mark.CHECKPOINT, at(2.0))
    for t in (1, 3, 11):
        seen.see_usage(usage(t, t, Throttling(t / 2, 3.0 * t, 10.0 * t)))
    assert seen.throttling(at(11.0)) == Throttling(4.5, 27.0, 90.0)


def test_a_tool_that_says_when_the_window_is_over_is_believed() -> None:
    seen = Observation(has_warmup=True)
    seen.see_mark(Mark.STARTED, at(0.5))
    seen.see_mark(Mark.CHECKPOINT, at(2.5))
    seen.see_mark(Mark.ENDED, at(7.5))
    assert seen.window(end(), at(11.9)) == ObservedWindow(at(2.5), at(7.5))


def test_of_several_ends_the_last_counts_in_whatever_order_they_were_written() -> None:
    seen = Observation(has_warmup=True)
    seen.see_mark(Mark.CHECKPOINT, at(2.5))
    for moment in (3.0, 7.5, 7.4):
        seen.see_mark(Mark.ENDED, at(moment))
    assert seen.window(end(), at(11.9)) == ObservedWindow(at(2.5), at(7.5))


def test_only_the_first_start_counts() -> None:
    seen = Observation(has_warmup=False)
    seen.see_mark(Mark.STARTED, at(0.5))
    seen.see_mark(Mark.STARTED, at(3.5))
    assert (seen.started, seen.window_start) == (at(0.5), at(0.5))


def test_the_second_of_the_checkpoint_has_a_percentile_of_only_a_part() -> None:
    seen = Observation(has_warmup=True)
    seen.see_mark(Mark.STARTED, at(0.2))
    for second in range(1, 4):
        if second == 2:
            seen.see_mark(Mark.CHECKPOINT, at(2.2))
        seen.see_sample(Sample(second, 1.0, 1.0, 1.0, 0.0), at(second + 0.2), None)
    assert [line.split(",")[3] for line in lines(seen)[1:]] == ["1.00", "", "1.00"]


def test_the_most_memory_of_all_readings() -> None:
    seen = Observation(has_warmup=True)
    assert seen.memory_max_bytes is None
    seen.see_usage(usage(1.0, 1.0, most=7))
    seen.see_usage(Usage(2.0, 1.0, None, None, None))
    assert seen.memory_max_bytes == 7


# -- the series


def lines(seen: Observation) -> list[str]:
    return seen.series().decode().splitlines()


def test_series() -> None:
    seen = Observation(has_warmup=True)
    seen.see_mark(Mark.STARTED, at(0.2))
    for number, (second, reading) in enumerate(
        [(1, USAGE), (2, USAGE), (3, None), (4, USAGE._replace(resident_bytes=None))]
    ):
        if second == 2:
            seen.see_mark(Mark.CHECKPOINT, at(2.2))
        when = Moment(1000 + number + 0.1234, float(number))
        seen.see_sample(SAMPLE._replace(second=second), when, reading)
    assert lines(seen) == [
        "time,tps,qps,latency_p95_ms,errors,cpu_seconds,resident_bytes",
        "1000.123,10.50,210.00,1.86,2.00,1.25,4096",
        "1001.123,10.50,210.00,,2.00,1.25,4096",
        "1002.123,10.50,210.00,1.86,2.00,,",
        "1003.123,10.50,210.00,1.86,2.00,1.25,",
    ]


def test_what_a_tool_does_not_tell_is_empty() -> None:
    seen = Observation(has_warmup=False)
    seen.see_sample(Sample(3, 10.5, math.nan, math.nan, 2.0), Moment(1000.0, 0.0), USAGE)
    assert lines(seen)[1] == "1000.000,10.50,,,2.00,1.25,4096"


def test_a_run_that_reported_nothing_has_a_header_only() -> None:
    assert Observation(has_warmup=True).series().decode() == ",".join(SERIES_COLUMNS) + "\n"


def test_a_day_fits_into_a_part_of_the_recorder_s_memory() -> None:
    seen, day = Observation(has_warmup=True), 86_400
    tracemalloc.start()
    try:
        for second in range(day // 10):
            limits = Throttling(second * 0.1, second + 0.5, second * 10.0)
            reading = Usage(second + 0.1, second * 0.37, 40_000_000, 50_000_000 + second, limits)
            seen.see_usage(reading)
            seen.see_sample(Sample(second, 1e3, 2e4, 5.2, 0.1), at(second + 0.2), reading)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 10 * kept < 16 * 2**20

"""sysbench's periodic lines."""

import pytest

from encbench.tools.progress import Mark, Sample
from encbench.tools.sysbench.progress import Over, SysbenchReader, over, progress

LINE = (
    "[ 12s ] thds: 2 tps: 19.50 qps: 380.25 (r/w/o: 266.00/76.00/38.25) "
    "lat (ms,95%): 1.86 err/s: 3.00 reconn/s: 0.00"
)


def marks(*lines: str) -> list[Mark]:
    reader = SysbenchReader()
    return [mark for line in lines if (mark := reader.mark(line)) is not None]


@pytest.mark.parametrize("unfinished", ["", "....", "ready [ 3 ] "])
def test_a_periodic_line(unfinished: str) -> None:
    expected = Sample(12, 19.5, 380.25, 1.86, 3.0)
    assert SysbenchReader().progress(unfinished + LINE) == progress(unfinished + LINE) == expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Threads started!",
        "[ 2s ] Checkpoint report:",
        "[ 2s ] queue length: 0, concurrency: 1",
        "[ 1s ] thds: 1 eps: 1540.44 lat (ms,95%): 0.74",
        LINE[:60],
        LINE.replace("19.50", "many"),
        LINE.replace("12s", "s"),
    ],
)
def test_any_other_line(line: str) -> None:
    assert progress(line) is None


def test_marks() -> None:
    assert marks("Threads started!", "") == [Mark.STARTED]
    assert marks("[ 30s ] Checkpoint report:") == [Mark.CHECKPOINT]
    assert marks(LINE, "") == []


@pytest.mark.parametrize("unfinished", ["....", "ready ", "ready [ 3 ] "])
def test_marks_at_the_end_of_a_line_that_the_script_left_unfinished(unfinished: str) -> None:
    assert marks(f"{unfinished}Threads started!", "", "") == [Mark.STARTED]
    assert marks(f"{unfinished}[ 30s ] Checkpoint report:") == [Mark.CHECKPOINT]


OVER = "encbench-over 61.002345 1763731234.123456"


def test_the_end_of_a_thread_has_its_time() -> None:
    assert marks("Threads started!", "", "", OVER, "", OVER) == [Mark.STARTED, *[Mark.ENDED] * 2]
    assert over(OVER) == Over(61.002345, 1763731234.123456)
    assert SysbenchReader().when(OVER) == 1763731234.123456
    assert SysbenchReader().when("[ 30s ] Checkpoint report:") is None


@pytest.mark.parametrize(
    "line",
    [OVER[:-1], f"x{OVER}", f"{OVER} ", OVER.replace("61.", "-61."), OVER.replace("61.", "1e9.")],
)
def test_a_damaged_line_is_no_end_of_a_thread(line: str) -> None:
    assert over(line) is None
    assert marks(line) == []


@pytest.mark.parametrize(
    "line", ["    Threads started!", "All Threads started!", "[ s ] Checkpoint report:", "report:"]
)
def test_what_a_script_prints_is_no_mark(line: str) -> None:
    assert marks(line, "[ 1s ]", "") == []
    assert marks(f"My Checkpoint report:{line}", LINE) == []

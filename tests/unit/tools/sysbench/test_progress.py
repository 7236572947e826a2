"""sysbench's periodic lines."""

import pytest

from encbench.tools.progress import Mark, Sample
from encbench.tools.sysbench.progress import mark, progress

LINE = (
    "[ 12s ] thds: 2 tps: 19.50 qps: 380.25 (r/w/o: 266.00/76.00/38.25) "
    "lat (ms,95%): 1.86 err/s: 3.00 reconn/s: 0.00"
)


def test_a_periodic_line() -> None:
    assert progress(LINE) == Sample(12, 19.5, 380.25, 1.86, 3.0)


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
    assert mark("Threads started!") is Mark.STARTED
    assert mark("[ 30s ] Checkpoint report:") is Mark.CHECKPOINT
    assert mark(LINE) is None
    assert mark("    Threads started!") is None

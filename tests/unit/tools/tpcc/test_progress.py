"""What the recorder reads of TPC-C clients while they run."""

from math import isnan
from pathlib import Path

import pytest

from encbench.tools.progress import Mark, Sample
from encbench.tools.tpcc.progress import TpccReader, number

DATA = Path(__file__).parents[3] / "data" / "tpcc"

OWN = [
    'encbench-tpcc {"event":"started","terminals":8}',
    "Term-00, Running Average tpmTOTAL: 70000.00    Current tpmTOTAL: 71000    Memory Usage: 1MB",
    'encbench-tpcc {"event":"second","second":1,"seconds":1.0,"transactions":900,"p95Ms":7.5}',
    'encbench-tpcc {"event":"window","unix":1763731234.1}',
    'encbench-tpcc {"event":"second","second":2,"seconds":0.5,"transactions":600,"newOrders":270,'
    '"retries":1,"errors":2,"p95Ms":null}',
    'encbench-tpcc {"event":"windowEnd","unix":1763731244.1}',
    'encbench-tpcc {"event":"result","complete":true}',
]


def read(lines: list[str]) -> tuple[list[Mark], list[Sample]]:
    """As the recorder reads: a line that marks a moment is asked for nothing else."""
    reader, marks, samples = TpccReader(), list[Mark](), list[Sample]()
    for line in lines:
        if (mark := reader.mark(line)) is not None:
            marks.append(mark)
        elif (sample := reader.progress(line)) is not None:
            samples.append(sample)
    return marks, samples


def golden(name: str) -> list[str]:
    return (DATA / name).read_text().replace("\b", "\n").split("\n")


def test_our_own_client() -> None:
    marks, samples = read(OWN)
    assert marks == [Mark.STARTED, Mark.CHECKPOINT, Mark.ENDED]
    first, second = samples
    assert (first.second, first.tps, first.latency_p95_ms) == (1, 900.0, 7.5)
    assert isnan(first.qps)
    assert isnan(first.errors)
    assert (second.second, second.tps, second.errors) == (2, 1200.0, 2.0)
    assert isnan(second.latency_p95_ms)


def test_our_own_client_says_when_it_cut() -> None:
    reader = TpccReader()
    assert [reader.when(line) for line in OWN[3:6]] == [1763731234.1, None, 1763731244.1]
    assert reader.when(OWN[0]) is None
    assert reader.when("Scheduler, run done - measurement ends") is None


def test_benchmarksql_5_starts_with_its_first_rate() -> None:
    """Before that it says 0.00 while it connects; nothing marks the session's end."""
    marks, samples = read(golden("benchmarksql5.log"))
    assert marks == [Mark.STARTED]
    assert [sample.second for sample in samples] == list(range(1, len(samples) + 1))
    assert len(samples) == 119
    total = sum(sample.tps for sample in samples)
    assert total == pytest.approx(9873 * 119 / 120, rel=0.01)


def test_benchmarksql_5_s_own_current_rate_is_not_believed() -> None:
    _, samples = read(golden("benchmarksql5_separators.log"))
    assert samples
    assert all(69_000 < sample.tps < 90_000 for sample in samples)


def test_a_rate_never_falls_below_zero() -> None:
    line = "Term-00, Running Average tpmTOTAL: {}    Current tpmTOTAL: 1    Memory Usage: 1MB"
    _, samples = read([line.format(value) for value in ("60.00", "6000.00", "2000.00")])
    assert [sample.tps for sample in samples] == [100.0, 0.0]


def test_benchmarksql_6() -> None:
    marks, samples = read(golden("benchmarksql6.log"))
    assert marks == [Mark.STARTED, Mark.CHECKPOINT, Mark.ENDED]
    assert [sample.second for sample in samples[:3]] == [10, 20, 30]
    assert samples[0].tps == 52494 / 60
    assert all(800 < sample.tps < 1300 for sample in samples)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "encbench-tpcc {",
        "encbench-tpcc []",
        'encbench-tpcc {"event":"second"}',
        'encbench-tpcc {"event":"second","second":1,"seconds":0,"transactions":1}',
        'encbench-tpcc {"event":"second","second":1,"seconds":true,"transactions":1}',
        "Scheduler, Current TPM=many, NOPM=1, Progress=1%",
        "Scheduler, done",
        "Term-00, Running Average tpmTOTAL:",
        "11:20:38,030 [Thread-10] INFO   jTPCC : Term-00, ",
    ],
)
def test_other_lines_and_damaged_ones_say_nothing(line: str) -> None:
    assert read([line]) == ([], [])


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.658154209E7", 16581542.09), ("4,787,644.56", 4787644.56), ("0.00", 0.0), ("x", None)],
)
def test_numbers_as_java_prints_them(text: str, value: float | None) -> None:
    assert number(text) == value

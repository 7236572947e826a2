"""What the report of a long interleaved campaign takes, which the operator holds in one process."""

import json
import tracemalloc
from collections.abc import Callable
from functools import cache

import pytest

from encbench.core.artefact import RecordError, decode, encode
from encbench.report.document import Report
from encbench.report.document.trial import RoundView, SlotView
from encbench.report.formats.csvrows import written
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

MANY = 1000


@cache
def the_report() -> Report:
    return report_of(Study(concurrency=(4,), blocks=1, rounds=12))


def peak(work: Callable[[], object]) -> int:
    """Bytes that were held at once while it worked, its result included."""
    tracemalloc.start()
    try:
        result = work()
        found = tracemalloc.get_traced_memory()[1]
        del result
    finally:
        tracemalloc.stop()
    return found


def test_a_slot_takes_little_more_than_its_numbers() -> None:
    def slots() -> list[SlotView]:
        numbers = (float(n) for n in range(4 * MANY))
        return [
            SlotView(slot=n, seconds=a, cpu_seconds=b, read_kib=c, write_kib=d)
            for n, (a, b, c, d) in enumerate(zip(*[numbers] * 4, strict=True))
        ]

    assert peak(slots) / MANY < 250, "1,162 as a model"


def test_a_round_takes_little_more_than_its_numbers() -> None:
    def rounds() -> list[RoundView]:
        return [
            RoundView(
                slot=n,
                seconds=n + 0.1,
                transactions=1000 + n,
                all_transactions=2000 + n,
                database_cpu_seconds=n + 0.2,
                database_side_cpu_seconds=n + 0.3,
                client_cpu_seconds=n + 0.4,
            )
            for n in range(MANY)
        ]

    assert peak(rounds) / MANY < 350, "1,343 as a model"


def test_trials_become_json_one_by_one() -> None:
    one = the_report()
    many = one.model_copy(update={"trials": one.trials * 100})
    assert peak(lambda: encode(many)) < 1.6 * len(encode(many))


def test_lines_become_csv_one_by_one() -> None:
    def lines() -> str:
        return written(["a", "b", "c"], ([n, n + 0.5, "plain"] for n in range(50 * MANY)))

    assert peak(lines) < 5 * len(lines())


def test_rounds_and_slots_are_read_as_they_were_written() -> None:
    report = the_report()
    content = encode(report)
    assert decode(Report, content, "report.json") == report
    body = json.loads(content)
    assert list(body["trials"][0]["rounds"][0]) == [
        "slot",
        "seconds",
        "transactions",
        "allTransactions",
        "databaseCpuSeconds",
        "databaseSideCpuSeconds",
        "clientCpuSeconds",
    ], "without what is not known"
    body["trials"][0]["slots"][0]["odd"] = 1
    with pytest.raises(RecordError, match=r"trials\.0\.slots\.0\.odd"):
        decode(Report, json.dumps(body).encode(), "report.json")

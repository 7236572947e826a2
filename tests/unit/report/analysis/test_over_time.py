"""TPS over the window of a trial, from what its clients wrote."""

import pytest

from encbench.api.trial import Window
from encbench.core.artefact import RecordError, decode, digest_of
from encbench.core.evidence import ClockOffsetFacts
from encbench.core.records import ClientFacts, TrialRecord
from encbench.report.analysis import bucket
from encbench.report.analysis.bucket import over_time
from tests.data.report.synthetic import Study, write

Lines = list[tuple[float, float]]


def record_of(study: Study) -> TrialRecord:
    index, bucket = write(study)
    key = index.trials[0].key or ""
    return decode(TrialRecord, bucket[key], key)


RECORD = record_of(Study(concurrency=(4,), blocks=1)).model_copy(
    update={"window": Window(start=1000.0, end=1003.01), "clients": (ClientFacts(),)}
)


def found(record: TrialRecord, *clients: Lines) -> list[tuple[float, float]]:
    names = [f"client-{number}/series.csv" for number in range(len(clients))]
    content = {
        record.key_of(name): "\n".join(["time,tps", *(f"{at},{tps}" for at, tps in lines)]).encode()
        for name, lines in zip(names, clients, strict=True)
    }
    artefacts = {name: digest_of(content[record.key_of(name)]) for name in names}
    wanted = record.model_copy(update={"artefacts": artefacts})
    return list(over_time(wanted, content.__getitem__, 60))


LINES = [(999.0, 90.0), (1000.0, 100.0), (1000.996, 112.0), (1001.999, 91.0), (1003.0, 109.0)]


def test_a_line_is_of_the_second_that_ended_with_it() -> None:
    assert found(RECORD, LINES) == [(0, 112), (1, 91), (2, 109)]


@pytest.mark.parametrize("late", [-0.4, 0.3, 0.49])
def test_seconds_need_not_begin_with_the_window(late: float) -> None:
    lines = [(at + late, tps) for at, tps in LINES]
    assert [tps for _, tps in found(RECORD, lines)] == [112, 91, 109]


def test_a_client_s_clock_may_be_wrong() -> None:
    ahead = ClientFacts(clock_offset=ClockOffsetFacts(seconds=40.0, round_trip=0.001))
    record = RECORD.model_copy(update={"clients": (ahead,)})
    assert found(record, [(at + 40, tps) for at, tps in LINES]) == found(RECORD, LINES)


def test_a_second_that_a_client_lacks_is_left_out() -> None:
    other = [line for line in LINES if line[0] != 1001.999]
    assert found(RECORD, LINES, other) == [(0, 224), (2, 218)]
    assert found(RECORD, LINES, [(1000.5, float("nan"))]) == []


def test_in_interleaved_blocks_it_is_that_of_the_slices() -> None:
    record = record_of(Study(concurrency=(4,), blocks=1, rounds=10))
    slices, window = record.slices, record.window
    assert slices is not None
    assert window is not None
    times, rates = zip(*found(record, LINES), strict=True)
    rows = slices.rows
    assert list(times) == [pytest.approx(row.counted - window.start, abs=0.06) for row in rows]
    assert list(rates) == [pytest.approx(row.transactions / row.seconds, abs=0.06) for row in rows]


def test_a_series_of_very_many_lines_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket, "MOST_LINES", 4)
    assert found(RECORD, LINES[:3])
    with pytest.raises(RecordError, match=r"client-0/series\.csv has 5 lines, more than 4"):
        found(RECORD, LINES)


@pytest.mark.parametrize("other", ["\r", "\x0b", "\x1c", "\x85", "\u2028"])
def test_only_a_newline_ends_a_line_of_a_series(other: str) -> None:
    content = f"time,tps\r\n1,2\r\n3,4,{'5,' * 9}{other}6,7\n".encode()
    assert [*bucket.parse_series(content, "series.csv")] == [(1, 2), (3, 4)]

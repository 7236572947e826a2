"""A campaign's results as data frames, and as Parquet."""

from pathlib import Path

import pandas as pd
import pytest

import encbench
from encbench.core.artefact import encode
from encbench.core.naming import trial_prefix
from encbench.core.records import IndexTrial
from encbench.report.document import Report
from encbench.results import Results
from encbench.wire.files import SERIES, SERIES_COLUMNS, of_client
from tests.data.report.golden import known, report_of
from tests.data.report.synthetic import Study


@pytest.fixture(scope="module")
def report() -> Report:
    return report_of(Study(blocks=3, concurrency=(4,)))


@pytest.fixture
def results(report: Report, tmp_path: Path) -> Results:
    """A copy of a campaign's folder, with the series of two clients of its first trial."""
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "report.json").write_bytes(encode(report))
    for client in (0, 1):
        own = of_client(client, SERIES)
        path = tmp_path / trial_prefix("", report.trials[0].uid).lstrip("/") / own
        path.parent.mkdir(parents=True)
        path.write_text(f"{','.join(SERIES_COLUMNS)}\n1,{client + 10},20,3.5,0,,\n2,11,,,,,\n")
    return encbench.load(tmp_path)


def test_trials_give_the_report_s_means(results: Results) -> None:
    trials, rows = results.trials, results.rows
    assert len(trials) == len(results.report.trials)
    counted = trials[trials.counted & (trials.arm == "tde")].tps
    (shown,) = rows[rows.arm == "tde"].tps
    assert counted.prod() ** (1 / len(counted)) == pytest.approx(shown, rel=1e-4)


def test_a_trial_without_a_record_is_a_row(tmp_path: Path) -> None:
    place = {"cell": "small", "workload": "oltp-read-write", "concurrency": 4, "block": 9}
    lost = IndexTrial.model_validate(
        {"name": "lost", "outcome": "Failed", "reason": "ArchiveTimeout", "arm": "tde", **place}
    )
    path = tmp_path / "report.json"
    path.write_bytes(encode(known().model_copy(update={"unrecorded": (lost,)})))
    results = encbench.load(path)
    (found,) = results.trials[results.trials.name == "lost"].to_dict("records")
    assert (found["outcome"], found["reason"], found["arm"]) == ("Failed", "ArchiveTimeout", "tde")
    assert found["counted"] is False
    results.write_parquet(tmp_path / "out")
    assert len(pd.read_parquet(tmp_path / "out" / "trials.parquet")) == len(results.trials)


def test_every_client_has_its_seconds(results: Results) -> None:
    first, second = (one.name for one in results.report.trials[:2])
    series = results.series(first)
    assert list(series.client) == [0, 0, 1, 1]
    assert list(series.tps) == [10, 11, 11, 11]
    for name, said in ((second, "there is no series of trial"), ("x", "the report has no trial x")):
        with pytest.raises(LookupError, match=said):
            results.series(name)


def test_parquet_holds_what_the_frames_hold(results: Results, tmp_path: Path) -> None:
    written = results.write_parquet(tmp_path / "out")
    assert {path.stem for path in written} == {"rows", "trials", "series"}
    read = pd.read_parquet(tmp_path / "out" / "trials.parquet")
    assert list(read.tps) == list(results.trials.tps)
    assert len(pd.read_parquet(tmp_path / "out" / "series.parquet")) == 4


def test_a_report_alone_has_no_series(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(encode(known()))
    results = encbench.load(path)
    assert len(results.trials) == len(results.report.trials)
    with pytest.raises(LookupError):
        results.series(results.report.trials[0].name)


def test_a_folder_without_a_report_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="name a campaign's folder"):
        encbench.load(tmp_path)


def test_an_interleaved_block_has_its_rounds(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(encode(report_of(Study(blocks=2, concurrency=(4,), rounds=8))))
    rounds = encbench.load(path).rounds
    per_trial = rounds.groupby("trial").transactions.count()
    assert len(per_trial) == 6 and set(per_trial) == {8}

"""A campaign's results as data frames, and as Parquet."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

import encbench
from encbench.api.trial import Window
from encbench.core.artefact import RecordError, decode, digest_of, encode
from encbench.core.evidence import ClockOffsetFacts
from encbench.core.records import ClientFacts, IndexTrial, TrialRecord
from encbench.report.analysis.build import build
from encbench.results import Results, _Bucket
from encbench.wire.files import SERIES, SERIES_COLUMNS, of_client
from tests.data.report.golden import known, report_of
from tests.data.report.synthetic import Study, write


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign's folder, in which the first trial has the series of twelve clients."""
    folder = tmp_path_factory.mktemp("campaign")
    index, bucket = write(Study(blocks=2, concurrency=(4,), seconds=12))
    first = index.trials[0]
    assert first.key is not None
    record = decode(TrialRecord, bucket[first.key], first.key)
    own = dict(record.artefacts)
    for client in range(12):
        name = of_client(client, SERIES)
        content = f"{','.join(SERIES_COLUMNS)}\n1,{client + 10},20,3.5,0,,\n2,11,,,,,\n".encode()
        bucket[record.key_of(name)] = content
        own[name] = digest_of(content)
    bucket[first.key] = encode(record.model_copy(update={"artefacts": own}))
    entry = first.model_copy(update={"digest": digest_of(bucket[first.key])})
    index = index.model_copy(update={"trials": (entry, *index.trials[1:])})
    bucket[f"{index.storage.prefix}/report/report.json"] = encode(build(index, bucket.__getitem__))
    for key, content in bucket.items():
        path = folder / key.removeprefix(f"{index.storage.prefix}/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture
def folder(campaign: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(campaign, tmp_path / "campaign"))


@pytest.fixture
def results(folder: Path) -> Results:
    return encbench.load(folder)


def of_first(folder: Path, name: str) -> Path:
    return folder / "trials" / encbench.load(folder).report.trials[0].uid / name


def test_trials_give_the_report_s_means(results: Results) -> None:
    trials, rows = results.trials, results.rows
    assert len(trials) == len(results.report.trials)
    counted = trials[trials.counted & (trials.arm == "tde")].tps
    (shown,) = rows[rows.arm == "tde"].tps
    assert counted.prod() ** (1 / len(counted)) == pytest.approx(shown, rel=1e-4)


def test_trials_of_solo_blocks_are_marked(tmp_path: Path) -> None:
    """They count, and the report's means are without them."""
    path = tmp_path / "report.json"
    study = Study(blocks=6, concurrency=(4,), rounds=4, solo=2, solo_loss=0.3)
    path.write_bytes(encode(report_of(study)))
    trials, rows = encbench.load(path).trials, encbench.load(path).rows
    assert trials.solo.sum() == 2 * 3 and set(trials[trials.solo].counted) == {True}
    own = trials[trials.counted & ~trials.solo]
    for arm, arms in (("tde", {"tde"}), ("plain", {"plain", "plain-control"})):
        (shown,) = rows[rows.arm == arm].tps
        values = own[own.arm.isin(arms)].tps
        assert values.prod() ** (1 / len(values)) == pytest.approx(shown, rel=1e-5)


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
    found = results.series(results.report.trials[0].name)
    assert list(found.client) == [client for client in range(12) for _ in range(2)]
    assert list(found.tps) == [tps for client in range(12) for tps in (client + 10, 11)]
    with pytest.raises(LookupError, match="the report has no trial x"):
        results.series("x")


def test_a_series_is_by_the_operator_s_clock(folder: Path) -> None:
    """As the window is; the client's own was two seconds behind."""
    first = encbench.load(folder).report.trials[0]
    path = of_first(folder, "trial.json")
    record = decode(TrialRecord, path.read_bytes(), first.key)
    behind = ClientFacts(clock_offset=ClockOffsetFacts(seconds=-2.0, round_trip=0.1))
    window = Window(start=3.5, end=9.0)
    own = record.model_copy(update={"clients": (behind, ClientFacts()), "window": window})
    path.write_bytes(encode(own))
    results = encbench.load(folder)
    entry = first.model_copy(update={"digest": digest_of(path.read_bytes())})
    report = results.report.model_copy(update={"trials": (entry, *results.report.trials[1:])})
    series = Results(report, results._folder).series(first.name)
    assert list(series.time)[:4] == [3.0, 4.0, 1.0, 2.0]
    assert list(series.second)[:4] == [-0.5, 0.5, -2.5, -1.5]


@pytest.mark.parametrize("name", [of_client(1, SERIES), "trial.json"])
def test_what_a_trial_lacks_is_an_error(name: str, folder: Path, results: Results) -> None:
    """A sum over the clients that are left looks like one over all."""
    of_first(folder, name).unlink()
    first, second = (one.name for one in results.report.trials[:2])
    for read in (lambda: results.series(first), lambda: results.write_parquet(folder / "out")):
        with pytest.raises(RecordError, match=f"there is no .*/{name}"):
            read()
    assert len(results.series(second))


@pytest.mark.parametrize("name", [of_client(1, SERIES), "trial.json"])
def test_what_was_altered_is_an_error(name: str, folder: Path, results: Results) -> None:
    path = of_first(folder, name)
    path.write_bytes(path.read_bytes().replace(b"11", b"12"))
    with pytest.raises(RecordError, match=f"/{name} is not what was archived"):
        results.series(results.report.trials[0].name)


def test_a_trial_that_never_ran_has_no_series(folder: Path) -> None:
    index, bucket = write(
        Study(blocks=2, concurrency=(4,), seconds=12, always={"tde": ("Failed", "PrepareFailed")})
    )
    report = build(index, bucket.__getitem__)
    failed = next(one for one in report.trials if one.outcome == "Failed")
    (folder / "trials" / failed.uid).mkdir(parents=True, exist_ok=True)
    (folder / "trials" / failed.uid / "trial.json").write_bytes(bucket[failed.key])
    (folder / "report" / "report.json").write_bytes(encode(report))
    with pytest.raises(LookupError, match="there is no series of trial"):
        encbench.load(folder).series(failed.name)


def test_parquet_holds_what_the_frames_hold(results: Results, tmp_path: Path) -> None:
    written = results.write_parquet(tmp_path / "out")
    assert {path.stem for path in written} == {"rows", "trials", "series"}
    read = pd.read_parquet(tmp_path / "out" / "trials.parquet")
    assert list(read.tps) == list(results.trials.tps)
    series = pd.read_parquet(tmp_path / "out" / "series.parquet")
    first = results.report.trials[0].name
    assert len(series[series.trial == first]) == 24
    assert set(series.trial) == set(results.trials.name)


def test_parquet_of_another_campaign_is_removed(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_bytes(encode(report_of(Study(blocks=2, concurrency=(4,), rounds=8))))
    second.write_bytes(encode(known()))
    out = tmp_path / "out"
    encbench.load(first).write_parquet(out)
    assert (out / "rounds.parquet").exists()
    (out / "notes.parquet").touch()
    encbench.load(second).write_parquet(out)
    found = {path.stem for path in out.iterdir()}
    assert found == {"rows", "trials", "notes"}, "it has no rounds, and files of others are kept"


def test_a_report_alone_leaves_the_seconds_that_were_written(
    folder: Path, results: Results, tmp_path: Path
) -> None:
    results.write_parquet(tmp_path / "out")
    encbench.load(folder / "report" / "report.json").write_parquet(tmp_path / "out")
    assert (tmp_path / "out" / "series.parquet").exists()


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


def test_a_forwarded_port_is_reached_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = "http://proxy.example.com:3128"
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, proxy)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    for name in ("no_proxy", "NO_PROXY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for endpoint, asked in (("http://127.0.0.1:4711", None), ("http://store.invalid", proxy)):
        way = _Bucket("s3://b/demo", endpoint)._s3._endpoint.http_session._proxy_config
        assert way.proxy_url_for(f"{endpoint}/b/demo") == asked


def test_an_interleaved_block_has_its_rounds(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(encode(report_of(Study(blocks=2, concurrency=(4,), rounds=8))))
    rounds = encbench.load(path).rounds
    per_trial = rounds.groupby("trial").transactions.count()
    assert len(per_trial) == 6 and set(per_trial) == {8}

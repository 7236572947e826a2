"""`kubectl encbench history` with files, with a cluster, and in a pipeline."""

import contextlib
import json
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT, Kind
from encbench.cli import history as command
from encbench.cli import installation
from encbench.cli.main import main
from encbench.cli.output import CommandError
from encbench.core.artefact import RecordError, decode, digest_of, encode
from encbench.ports import NotRestored, Rejected
from encbench.report.analysis.build import to_status
from encbench.report.document import Report
from encbench.report.history.series import HistorySeries
from tests.data.report.nights import BEGIN, NIGHTS, OLDER, ROSE, nights
from tests.support.fake_cluster import FakeCluster
from tests.support.fake_store import FakeStore
from tests.support.manifests import body
from tests.unit.reconcile.seen import with_status
from tests.unit.report.analysis.extended import two_incarnations


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("nights")
    paths = [folder / f"{number}.json" for number in range(NIGHTS)]
    for path, report in zip(paths, nights(), strict=True):
        path.write_bytes(encode(report))
    return [str(path) for path in paths]


def test_files_as_a_table(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "-f", *files]) == 0
    said = capsys.readouterr().out
    assert said.startswith("16 campaigns from 2026-01-01 to 2026-01-16; 1 of 4 series changed")
    assert "Higher from night-11 on (2026-01-11)" in said
    assert max(len(line) for line in said.splitlines()) <= 100


def test_a_page_and_a_document(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "-f", files[0], "-f", files[5], "--output", "html"]) == 0
    assert capsys.readouterr().out.lstrip().startswith("<!doctype html>")
    assert main(["history", "-f", *files[:6], "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "encbench.io/history/v1"


def test_a_year_of_reports_is_kept_without_its_trials(files: list[str]) -> None:
    found = command.from_files(files[:2])
    assert all(nights()[0].trials) and not any(one.trials or one.proofs for one in found)
    assert [one.groups for one in found] == [one.groups for one in nights()[:2]]


def test_what_a_follow_up_contains_is_no_point_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for report in two_incarnations(1):
        paths.append(str(tmp_path / f"{report.campaign.name}.json"))
        Path(paths[-1]).write_bytes(encode(report))
    assert main(["history", "-f", *paths]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("1 campaign ")
    assert said.err == ("left out: campaign demo, whose blocks are among those of demo-more-1\n")


@pytest.mark.parametrize(("first", "last", "code"), [(0, 16, 1), (OLDER, ROSE, 3), (0, 4, 3)])
def test_a_pipeline_ends_on_a_rise(
    first: int, last: int, code: int, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", "--fail-on-rise", "-f", *files[first:last]]) == code
    assert capsys.readouterr().out


def test_an_accepted_rise_is_left_behind(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """On the other side of it the level is flat, and soon long enough for the test again."""
    since = f"night-{ROSE + 1}"
    assert main(["history", "--fail-on-rise", "--since", since, "-f", *files]) == 3
    said = capsys.readouterr().out
    assert said.startswith("6 campaigns from 2026-01-11 to 2026-01-16; 0 of 2 series changed")
    assert main(["history", "--since", "night-99", "-f", *files]) == 2
    assert "none of the reports is that of a campaign night-99" in capsys.readouterr().err


def test_what_is_measured_no_more_fails_no_pipeline(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "again.json"
    again = nights()[0].model_copy(update={"start_time": "2027-01-01T00:00:00Z"})
    path.write_bytes(encode(again))
    assert main(["history", "--fail-on-rise", "-f", *files[OLDER:], str(path)]) == 3
    assert "Higher from night-11 on" in capsys.readouterr().out


def test_a_pipeline_goes_on_where_nothing_rose(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The same nights backwards: the loss fell."""
    paths = []
    for report, other in zip(nights()[OLDER:], reversed(nights()[OLDER:]), strict=True):
        path = tmp_path / f"{report.campaign.name}.json"
        path.write_bytes(encode(report.model_copy(update={"groups": other.groups})))
        paths.append(str(path))
    assert main(["history", "--fail-on-rise", "-f", *paths]) == 0
    assert "Lower from night-9 on" in capsys.readouterr().out


def test_a_series_that_is_still_short_opens_nothing_beside_a_long_one(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """As a condition that was added last night: 16 threads did not rise in fourteen nights."""
    paths = []
    for report in nights()[OLDER:]:
        long = tuple(group for group in report.groups if group.concurrency == 16)
        groups = report.groups if report is nights()[-1] else long
        paths.append(tmp_path / f"{report.campaign.name}.json")
        paths[-1].write_bytes(encode(report.model_copy(update={"groups": groups})))
    assert main(["history", "--fail-on-rise", "-f", *map(str, paths)]) == 0
    assert "0 of 2 series changed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-f", "{file}", "--figure", "recovery"], "no report has an overhead of this figure"),
        (["night-1", "-f", "{file}"], "name reports of the cluster, or give files"),
        (["-f", "pyproject.toml"], "name files report.json of campaigns"),
        (["-f", "absent.json"], "cannot read absent.json"),
    ],
)
def test_what_cannot_be_shown_is_said(
    arguments: list[str], said: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", *(one.format(file=files[0]) for one in arguments)]) == 2
    assert said in capsys.readouterr().err


def test_without_the_extra_it_says_how_to_get_it(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert main(["history", "-f", *files]) == 2
    said = capsys.readouterr().err
    assert "a history needs scipy: pipx inject encbench scipy matplotlib jinja2 (by uv: " in said
    assert "uv tool install . --with scipy --with matplotlib --with jinja2;" in said
    assert said.endswith("by krew: install the plugin by pipx instead)\n")


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


@pytest.fixture
async def store(cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch) -> FakeStore:
    """The bucket and the cluster with all nights' reports, without a network."""
    fake = FakeStore()
    for report in nights():
        await _kept(report, fake, cluster)

    @contextlib.asynccontextmanager
    async def opened(*_: object) -> AsyncIterator[FakeStore]:
        yield fake

    @contextlib.asynccontextmanager
    async def connected(*_: object) -> AsyncIterator[tuple[FakeCluster, str]]:
        yield cluster, "bench"

    monkeypatch.setattr(installation, "store", opened)
    monkeypatch.setattr(command, "connected", connected)
    return fake


async def _kept(report: Report, store: FakeStore, cluster: FakeCluster) -> None:
    name, content = report.campaign.name, encode(report)
    await store.put(f"{name}.json", content, "application/json")
    artefact = {"key": f"{name}.json", "digest": digest_of(content)}
    kinds = ("index", "html", "markdown", "csv", "json")
    artefacts: dict[str, Any] = {"bucket": store.bucket, **dict.fromkeys(kinds, artefact)}
    status = {**to_status(report).to_dict(), "artefacts": artefacts}
    cluster.add(OVERHEAD_REPORT, {**body(OVERHEAD_REPORT, name, "bench"), "status": status})


async def history(**given: Any) -> int:
    from encbench.cli.flags import parser

    args = parser().parse_args(["history"])
    for key, value in given.items():
        setattr(args, key, value)
    return await command.history(args)


async def test_a_namespace_or_some_of_its_reports(
    store: FakeStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await history() == 0
    assert capsys.readouterr().out.startswith("16 campaigns from")
    assert await history(reports=["night-3", "night-9"]) == 0
    assert capsys.readouterr().out.startswith("2 campaigns from 2026-01-03 to 2026-01-09")


async def test_a_report_that_the_bucket_lost_is_left_out(
    store: FakeStore, capsys: pytest.CaptureFixture[str]
) -> None:
    await store.delete(["night-3.json"])
    assert await history() == 0
    said = capsys.readouterr()
    assert said.out.startswith("15 campaigns")
    assert said.err == "left out: report night-3: night-3.json is not in bucket encbench\n"
    store.bucket = "new"
    assert await history() == 0
    both = "the report names bucket encbench, the operator now uses new"
    assert capsys.readouterr().err.endswith(f"night-3.json is not in bucket new; {both}\n")


async def test_a_report_in_an_archive_class_is_left_out(
    store: FakeStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = store.get

    async def get(key: str, limit: int | None = None) -> bytes | None:
        if key == "night-3.json":
            raise NotRestored("answered 403: InvalidObjectState")
        return await usual(key, limit)

    monkeypatch.setattr(store, "get", get)
    assert await history() == 0
    said = capsys.readouterr()
    assert said.out.startswith("15 campaigns")
    assert said.err == "left out: report night-3: answered 403: InvalidObjectState\n"


async def test_a_report_without_a_rendering_is_left_out(
    store: FakeStore, cluster: FakeCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    found = cluster.one(OVERHEAD_REPORT, "bench", "night-3")
    del found["status"]["artefacts"]
    cluster._objects[OVERHEAD_REPORT, "bench", "night-3"] = found
    assert await history() == 0
    assert capsys.readouterr().err == "left out: report night-3 has no rendering yet\n"


async def test_a_report_that_cannot_be_read_is_left_out(
    store: FakeStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def strict(kind: type[Report], content: bytes, key: str) -> Report:
        if key == "night-3.json":
            raise RecordError(f"{key} is not a valid record")
        return decode(kind, content, key)

    monkeypatch.setattr(command, "decode", strict)
    assert await history() == 0
    said = capsys.readouterr()
    assert said.out.startswith("15 campaigns")
    assert said.err == "left out: report night-3: night-3.json is not a valid record\n"


async def test_a_report_that_is_not_what_was_stored_is_left_out(
    store: FakeStore, capsys: pytest.CaptureFixture[str]
) -> None:
    await store.put("night-3.json", b"{}", "application/json")
    assert await history() == 0
    said = capsys.readouterr()
    assert said.out.startswith("15 campaigns")
    assert said.err.startswith("left out: report night-3: ")
    with pytest.raises(CommandError, match="none of the reports can be read"):
        await history(reports=["night-3"])


@pytest.mark.parametrize("named", [[], ["night-2", "night-3"]])
async def test_an_object_that_does_not_parse_is_left_out(
    store: FakeStore, cluster: FakeCluster, capsys: pytest.CaptureFixture[str], named: list[str]
) -> None:
    """As one of another version, whose model has other fields."""
    found = cluster.one(OVERHEAD_REPORT, "bench", "night-3")
    found["status"]["artefacts"]["bucket"] = 3
    cluster._objects[OVERHEAD_REPORT, "bench", "night-3"] = found
    assert await history(reports=named) == 0
    said = capsys.readouterr()
    assert said.out.startswith("1 campaign " if named else "15 campaigns")
    assert said.err.startswith("left out: report night-3: OverheadReport night-3: status.artefacts")
    assert len(said.err.splitlines()) == 1


@pytest.fixture
def flat(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rise fails the pipeline."""
    monkeypatch.setattr(HistorySeries, "rose", False)


def _campaign(cluster: FakeCluster, name: str, condition: str, status: str = "True") -> None:
    """A campaign that is newer than what was there before it."""
    created = BEGIN + timedelta(days=len(cluster.all(CAMPAIGN)))
    cluster._now = lambda: created
    own = with_status(body(CAMPAIGN, name, "bench"), {condition: (status, 9.0)})
    cluster.add(CAMPAIGN, own)


@pytest.mark.parametrize(
    ("newest", "code", "said"),
    [
        ([("Complete", "True")], 3, "it was deleted; its files are in the bucket"),
        ([("Failed", "True")], 3, "the campaign ended without one: Failed is True"),
        ([("Accepted", "False")], 3, "the campaign was refused: Accepted is False"),
        ([("Accepted", "True")], 0, "it appears when the campaign ends (kubectl encbench watch"),
        ([("Failed", "True"), ("Failed", "True"), ("Accepted", "True")], 3, "it appears when"),
    ],
)
async def test_nights_that_stopped_are_no_good_news(
    store: FakeStore,
    cluster: FakeCluster,
    flat: None,
    capsys: pytest.CaptureFixture[str],
    newest: list[tuple[str, str]],
    code: int,
    said: str,
) -> None:
    for report in nights():
        _campaign(cluster, report.campaign.name, "Complete")
    assert await history(fail_on_rise=True) == 0
    assert not capsys.readouterr().err
    for number, condition in enumerate(newest, NIGHTS + 1):
        _campaign(cluster, f"night-{number}", *condition)
    assert await history(fail_on_rise=True) == code
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"no report of campaign night-{NIGHTS + len(newest)}: {said}")
    assert len(lines) == min(2, len(newest)), "the newest that is over, and what runs still"
    assert await history() == 0
    assert await history(reports=["night-9"]) == 0
    assert len(capsys.readouterr().err.splitlines()) == len(lines), "names are what was asked"


async def test_a_night_whose_report_cannot_be_read_is_one_without(
    store: FakeStore, cluster: FakeCluster, flat: None
) -> None:
    for report in nights():
        _campaign(cluster, report.campaign.name, "Complete")
    assert await history(fail_on_rise=True) == 0
    newest = cluster.one(OVERHEAD_REPORT, "bench", f"night-{NIGHTS}")
    await store.delete([newest["status"]["artefacts"]["json"]["key"]])
    assert await history(fail_on_rise=True) == 3


async def test_who_may_not_list_campaigns_has_the_history(
    store: FakeStore,
    cluster: FakeCluster,
    flat: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = cluster.list

    async def narrow(kind: Kind, *rest: Any) -> Any:
        if kind == CAMPAIGN:
            raise Rejected("campaigns is forbidden")
        return await usual(kind, *rest)

    monkeypatch.setattr(cluster, "list", narrow)
    assert await history(fail_on_rise=True) == 0
    assert "missing is not known: campaigns is forbidden" in capsys.readouterr().err


async def test_a_rise_is_worse_than_a_lack(store: FakeStore, cluster: FakeCluster) -> None:
    _campaign(cluster, "night-17", "Failed")
    assert await history(fail_on_rise=True) == 1

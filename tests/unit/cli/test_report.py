"""`kubectl encbench report`: the table, a rendering from the bucket, the page in a browser."""

import argparse
import contextlib
import functools
import re
import webbrowser
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT
from encbench.cli import installation, report
from encbench.cli.output import CommandError
from encbench.core.artefact import RecordError, digest_of
from encbench.ports import NotServed, Rejected
from encbench.reconcile.objects import overhead_report
from encbench.report.analysis.build import to_status
from encbench.report.document import Report
from encbench.report.formats.render import Rendering, render
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.fake_cluster import FakeCluster
from tests.support.fake_store import FakeStore
from tests.support.manifests import UID, body
from tests.unit.reconcile.seen import with_status


def arguments(**given: Any) -> argparse.Namespace:
    usual: dict[str, Any] = {"campaign": "demo", "output": "text", "file": None, "open": False}
    usual |= {"link": False, "expires": 24, "context": None, "kubeconfig": None}
    usual |= {"release_namespace": None}
    return argparse.Namespace(**{**usual, **given})


@pytest.fixture
async def store(monkeypatch: pytest.MonkeyPatch) -> FakeStore:
    """The bucket, in place of the one that the operator's Deployment names."""
    fake = FakeStore()

    @contextlib.asynccontextmanager
    async def opened(*_: object) -> AsyncIterator[FakeStore]:
        yield fake

    monkeypatch.setattr(installation, "store", opened)
    return fake


@functools.cache
def finished() -> tuple[Report, dict[str, Rendering]]:
    """A report and its renderings, which take a second."""
    made = report_of(Study(blocks=2, concurrency=(4,)))
    return made, render(made)


@pytest.fixture
async def cluster(store: FakeStore) -> FakeCluster:
    """One finished report."""
    made, renderings = finished()
    artefacts: dict[str, Any] = {"bucket": store.bucket, "index": made.index.to_dict()}
    for kind, rendering in renderings.items():
        await store.put(rendering.name, rendering.content, rendering.content_type)
        artefacts[kind] = {"key": rendering.name, "digest": digest_of(rendering.content)}
    status = {**to_status(made).to_dict(), "artefacts": artefacts}
    found = FakeCluster()
    found.add(OVERHEAD_REPORT, {**body(OVERHEAD_REPORT, "demo", "bench"), "status": status})
    return found


async def test_the_table(cluster: FakeCluster, capsysbinary: Any) -> None:
    assert await report.report(cluster, "bench", arguments()) == 0
    said = capsysbinary.readouterr().out.decode()
    assert "INSTANCE" in said and "oltp-read-write" in said
    assert said.endswith("\n") and not said.endswith("\n\n")


@pytest.mark.parametrize("output", ["html", "md", "csv", "json"])
async def test_each_rendering_is_the_bucket_s(
    output: str, cluster: FakeCluster, store: FakeStore, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    code = await report.report(cluster, "bench", arguments(output=output, file=str(target)))
    assert code == 0
    assert target.read_bytes() == await store.get(f"report.{output}")


async def test_a_rendering_that_was_altered_is_an_error(
    cluster: FakeCluster, store: FakeStore
) -> None:
    await store.put("report.csv", b"other", "text/csv")
    with pytest.raises(RecordError, match=r"report.csv is not what was archived"):
        await report.report(cluster, "bench", arguments(output="csv"))
    await store.delete(["report.csv"])
    with pytest.raises(CommandError, match=r"report.csv is not in bucket encbench$"):
        await report.report(cluster, "bench", arguments(output="csv"))


async def test_the_bucket_that_was_asked_is_named(cluster: FakeCluster, store: FakeStore) -> None:
    """The administrator has switched to another one; a copy in it serves."""
    store.bucket = "new"
    assert await report.report(cluster, "bench", arguments(output="csv")) == 0
    await store.delete(["report.csv"])
    both = "the report names bucket encbench, the operator now uses new"
    with pytest.raises(CommandError, match=f"report.csv is not in bucket new; {both}$"):
        await report.report(cluster, "bench", arguments(output="csv"))


@pytest.mark.parametrize("named", [True, False])
async def test_a_browser_that_may_be_denied_the_page_gets_another_place(
    named: bool,
    cluster: FakeCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    given = {"file": str(tmp_path / "demo.html")} if named else {}
    assert await report.report(cluster, "bench", arguments(open=True, **given)) == 0
    said = capsys.readouterr().err
    assert ("report --open --file FILE" in said) is not named


async def test_a_page_without_a_place_is_said_with_the_way_out(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(CommandError, match=r"cannot make .*: Not a directory; .*--file FILE"):
        await report.report(cluster, "bench", arguments(open=True))

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(CommandError, match=r"you have no home folder .*--file FILE"):
        await report.report(cluster, "bench", arguments(open=True))


def test_every_report_has_a_page_of_its_own() -> None:
    names = (("team", "a-demo", UID), ("team-a", "demo", UID), ("team-a", "demo", f"{UID}2"))
    places = set()
    for namespace, name, uid in names:
        ref = {"name": name, "uid": "x/../../.."}
        made = body(OVERHEAD_REPORT, name, namespace, campaignRef=ref)
        made["metadata"]["uid"] = uid
        places.add(report._place(None, overhead_report(made)))
    assert len(places) == 3


@pytest.mark.parametrize("starts", [True, False])
async def test_the_page_is_opened(
    starts: bool,
    cluster: FakeCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: list[str] = []

    def browser(url: str) -> bool:
        seen.append(url)
        return starts

    monkeypatch.setattr(webbrowser, "open", browser)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert await report.report(cluster, "bench", arguments(open=True)) == 0
    (page,) = (tmp_path / "encbench" / "reports" / "bench").glob("demo-*.html")
    assert page.read_text().startswith("<!doctype html>")
    assert seen == [page.as_uri()]
    captured = capsys.readouterr()
    assert captured.out.strip() == str(page)
    assert ("no browser could be started" in captured.err) is not starts


@pytest.mark.parametrize(
    ("kind", "ref", "why"),
    [
        ("Accepted", None, "it appears when the campaign ends"),
        ("Complete", "over", "it was deleted; its files are in the bucket under bench/o-1/report/"),
        ("Failed", "over", "it was deleted"),
        ("Failed", None, "the campaign ended without one: Failed is True"),
    ],
)
async def test_a_report_that_is_not_there_any_more(
    cluster: FakeCluster, kind: str, ref: str | None, why: str
) -> None:
    status = {} if ref is None else {"reportRef": ref}
    own = with_status(body(CAMPAIGN, "over", "bench"), {kind: ("True", 9.0)}, **status)
    own["status"]["storagePrefix"] = "bench/o-1"
    cluster.add(CAMPAIGN, own)
    with pytest.raises(CommandError, match=re.escape(why)):
        await report.report(cluster, "bench", arguments(campaign="over"))


async def test_no_report_yet(cluster: FakeCluster) -> None:
    cluster.add(CAMPAIGN, body(CAMPAIGN, "other", "bench"))
    with pytest.raises(CommandError, match="it appears when the campaign ends"):
        await report.report(cluster, "bench", arguments(campaign="other"))
    cluster.add(OVERHEAD_REPORT, body(OVERHEAD_REPORT, "young", "bench"))
    with pytest.raises(CommandError, match="has no rendering yet"):
        await report.report(cluster, "bench", arguments(campaign="young", output="csv"))


@pytest.mark.parametrize("may_list", [True, False])
async def test_in_the_wrong_namespace_nothing_is_waited_for(
    may_list: bool, cluster: FakeCluster
) -> None:
    if not may_list:
        cluster.fail_next(Rejected("you may not"), verb="list", kind=CAMPAIGN)
    why = "neither campaign nor report demo in namespace other: name another namespace with -n"
    with pytest.raises(CommandError, match=why):
        await report.report(cluster, "other", arguments())


async def test_in_a_cluster_without_encbench_no_namespace_is_asked_for(
    cluster: FakeCluster,
) -> None:
    cluster.fail_next(NotServed("there are no campaigns"), verb="list", kind=CAMPAIGN)
    with pytest.raises(NotServed):
        await report.report(cluster, "other", arguments())


async def test_the_page_is_all_that_opens(cluster: FakeCluster) -> None:
    with pytest.raises(CommandError, match="leave --output csv out"):
        await report.report(cluster, "bench", arguments(open=True, output="csv"))

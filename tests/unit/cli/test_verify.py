"""`kubectl encbench verify`: a copy of a folder, and the bucket behind a name."""

import contextlib
import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from encbench.api.kinds import OVERHEAD_REPORT
from encbench.cli import installation, verify
from encbench.cli.flags import parser
from encbench.cli.main import main
from encbench.core.artefact import decode, digest_of, encode
from encbench.core.naming import INDEX
from encbench.core.records import IndexOrphan, IndexRecord, IndexScript, IndexTrial, TrialRecord
from encbench.report.analysis.build import build, to_status
from encbench.report.formats.render import texts
from encbench.report.verify import verification
from tests.data.report.golden import COLUMNS
from tests.data.report.synthetic import Bucket, Study, write
from tests.support.fake_cluster import FakeCluster
from tests.support.fake_store import FakeStore
from tests.support.manifests import body
from tests.unit.report.analysis.extended import written

PLAIN = Study(blocks=2, concurrency=(4,), seconds=12)
PUBLISHED = replace(
    COLUMNS, instances=("2x4c32g",), concurrency=(64,), blocks=2, without_cpu=frozenset()
)
ROUNDS = Study(blocks=2, concurrency=(4,), rounds=8)


@pytest.fixture(autouse=True)
def _of_this_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """The made-up reports are of this version, whatever it is."""
    monkeypatch.setattr(verification, "__version__", "0.1.0")


def finished(index: IndexRecord, bucket: Bucket) -> Bucket:
    """The same with the full proofs, and with the report's own files."""
    bucket = dict(bucket)
    for testbed in index.testbeds:
        if testbed.proof is not None and testbed.proof.key is not None:
            bucket.setdefault(testbed.proof.key, testbed.proof.key.encode())
    report = build(index, bucket.__getitem__)
    folder = f"{index.storage.prefix}/report"
    made = {f"{folder}/{one.name}": one.content for one in texts(report).values()}
    page = {f"{folder}/report.html": b"<!doctype html>"}
    return {**bucket, **made, **page, f"{index.storage.prefix}/{INDEX}": encode(index)}


def copied(bucket: Bucket, root: Path) -> Path:
    """All of the bucket's folders; that of the last report is given."""
    for key, content in bucket.items():
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).write_bytes(content)
    return max((root / key).parents[1] for key in bucket if key.endswith("report.json"))


@pytest.fixture(scope="module")
def bucket() -> Bucket:
    return finished(*write(PLAIN))


@pytest.fixture
def folder(bucket: Bucket, tmp_path: Path) -> Path:
    return copied(bucket, tmp_path)


def said(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    """Lines of the answer, and the notes."""
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err


def first(folder: Path, name: str) -> Path:
    """That file of the first trial, or the first that the pattern finds."""
    return sorted(folder.glob(f"trials/*/{name}"))[0]


def edited(path: Path, old: str, new: str) -> None:
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new, 1))


@pytest.mark.parametrize("flags", [(), ("-n", "bench")])
def test_a_whole_copy_is_in_order(
    flags: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(folder), *flags]) == 0
    files = sum(1 for path in folder.rglob("*") if path.is_file())
    (line,), notes = said(capsys)
    checked = f"{files - 1} objects checked: none is lost or altered, and the records"
    assert line.startswith(f"folder {folder}: {checked}")
    assert notes.count("note: ") == 1 and "report.html is not checked" in notes


def test_interleaved_blocks_are_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(finished(*write(ROUNDS)), tmp_path)
    assert (folder / "report" / "interleaved-slots.csv").is_file()
    assert main(["verify", str(folder)]) == 0, said(capsys)


@pytest.fixture
def extended(tmp_path: Path) -> tuple[Path, Path]:
    """Folders of a campaign and of its follow-up."""
    one, two, objects = written()
    own = {key: objects[key] for key in objects if key.startswith(one.storage.prefix)}
    copied(finished(two, objects | finished(one, own)), tmp_path)
    return tmp_path / one.storage.prefix, tmp_path / two.storage.prefix


def test_a_follow_up_needs_what_it_extends(
    extended: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier, later = extended
    assert main(["verify", str(later)]) == 0, said(capsys)
    said(capsys)
    shutil.rmtree(earlier)
    assert main(["verify", str(later)]) == 1
    (line, _), notes = said(capsys)
    assert line == f"lost     {earlier.relative_to(tmp_path).as_posix()}/{INDEX}"
    assert "report's own files are not compared" in notes


def test_objects_of_the_campaign_that_it_extends_are_checked(
    extended: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier, later = extended
    path = first(earlier, "provenance.json")
    path.write_bytes(path.read_bytes() + b" ")
    assert main(["verify", str(later)]) == 1
    (line, _), _ = said(capsys)
    assert line.startswith(f"altered  {path.relative_to(tmp_path).as_posix()}: its digest is")


@pytest.mark.parametrize(
    "name", ["trial.json", "client-0/series.csv", "provenance.json", "../../testbeds/*/proof.json"]
)
def test_what_is_lost_or_altered_is_named(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = first(folder, name)
    key = path.resolve().relative_to(folder.parents[1]).as_posix()
    path.write_bytes(path.read_bytes() + b" ")
    assert main(["verify", str(folder)]) == 1
    assert any(
        line.startswith(f"altered  {key}: its digest is sha256:") for line in said(capsys)[0]
    )
    path.unlink()
    assert main(["verify", str(folder)]) == 1
    assert f"lost     {key}" in said(capsys)[0]


@pytest.mark.parametrize(
    ("name", "old", "new", "where"),
    [
        (
            "report.json",
            '"verdict": "Inconclusive"',
            '"verdict": "Equivalent"',
            "verdict is Equivalent,",
        ),
        ("report.json", '"role": "treatment"', '"role": "control"', "role is control, and the"),
        ("report.json", '"blocks": 2', '"blocks": 3', "blocks is 3, and the records give 2"),
        ("report.json", "Cannot tell", "Can tell", "headlines[0].text is not the text that"),
        ("report.csv", ",tde,", ",other,", "the records give another content"),
        ("report.md", "tde", "other", "the records give another content"),
    ],
)
def test_a_report_that_the_records_do_not_give_differs(
    name: str, old: str, new: str, where: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited(folder / "report" / name, old, new)
    assert main(["verify", str(folder)]) == 1
    (line, total), _ = said(capsys)
    assert line.startswith("differs ") and f"/report/{name}: " in line and where in line
    assert total.startswith(f"folder {folder}: 1 finding in ")


def test_a_report_json_that_is_lost_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "report" / "report.json").unlink()
    assert main(["verify", str(folder)]) == 1
    (line, total), _ = said(capsys)
    assert line.startswith("lost ") and line.endswith("/report/report.json")
    assert total.startswith(f"folder {folder}: 1 finding in ")


@pytest.mark.parametrize("content", [b"{", b'"\xff'], ids=["no-json", "no-utf-8"])
def test_a_report_json_that_is_no_report_differs(
    content: bytes, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "report" / "report.json").write_bytes(content)
    assert main(["verify", str(folder)]) == 1
    (line, _), _ = said(capsys)
    assert line.endswith("/report/report.json: it is not the text that the records give")


def test_of_many_the_first_ten_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both of differences and of objects that nothing names."""
    path = folder / "report" / "report.json"
    report = json.loads(path.read_text())
    report["groups"][0] |= {f"x{n}": n for n in range(12)}
    path.write_text(json.dumps(report))
    (folder / "more").mkdir()
    for n in range(12):
        (folder / "more" / str(n)).touch()
    assert main(["verify", str(folder)]) == 1
    (*shown, more, _), notes = said(capsys)
    assert len(shown) == 10
    assert more.endswith("/report/report.json: there are 2 more differences")
    assert notes.count("nothing names ") == 10 + 1
    assert "nothing names 2 more objects" in notes


def test_a_study_s_table_that_the_records_do_not_give_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(finished(*write(PUBLISHED)), tmp_path)
    study = next((folder / "report").glob("study-*.csv"))
    study.write_text(study.read_text() + "1\n")
    assert main(["verify", str(folder)]) == 1
    assert f"/report/{study.name}: the records give another content" in said(capsys)[0][0]


def test_an_index_that_was_altered_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for old, new in (('"block', '"b'), ('"tde-small', '"other')):
        edited(folder / INDEX, old, new)
    assert main(["verify", str(folder)]) == 1
    assert said(capsys)[0][0].startswith("altered ")


def test_an_index_that_gives_no_report_is_a_finding(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of its trials claim one place in a block, and report.json has its digest."""
    path, report = folder / INDEX, folder / "report" / "report.json"
    index = decode(IndexRecord, path.read_bytes(), INDEX)
    twice = index.trials[-1].model_copy(update={"name": "twice"})
    path.write_bytes(encode(index.model_copy(update={"trials": (*index.trials, twice)})))
    named = json.loads(report.read_text())
    named["index"]["digest"] = digest_of(path.read_bytes())
    report.write_text(json.dumps(named))
    assert main(["verify", str(folder)]) == 1
    (line, _), notes = said(capsys)
    assert line.startswith("differs ") and f"/{INDEX}: it gives no report: " in line
    assert "the records give no report" in notes


@pytest.mark.parametrize("name", ["scripts/oltp.lua", "trials/deleted/trial.json"])
def test_scripts_and_records_of_deleted_trials_are_checked(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index, objects = write(PLAIN)
    prefix = index.storage.prefix
    script, record = f"{prefix}/scripts/oltp.lua", f"{prefix}/trials/deleted/trial.json"
    objects |= {script: b"-- a script", record: b"{}"}
    named = IndexScript(workload="oltp", key=script, digest=digest_of(objects[script]))
    orphan = IndexOrphan(key=record, digest=digest_of(objects[record]))
    index = index.model_copy(update={"scripts": (named,), "orphans": (orphan,)})
    folder = copied(finished(index, objects), tmp_path)
    assert main(["verify", str(folder)]) == 0, said(capsys)
    assert "the report leaves out 1 trial that someone deleted" in said(capsys)[1]
    (folder / name).write_text("another")
    assert main(["verify", str(folder)]) == 1
    assert said(capsys)[0][0].startswith(f"altered  {prefix}/{name}: its digest is")


def test_a_record_that_the_index_does_not_name_is_a_finding(
    folder: Path, bucket: Bucket, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as that of a trial which was deleted and measured again."""
    path = first(folder, "trial.json")
    other = path.parents[1] / "another" / path.name
    other.parent.mkdir()
    shutil.copy(path, other)
    (other.parent / "output.log").touch()
    assert main(["verify", str(folder)]) == 1
    (line, _), notes = said(capsys)
    name = json.loads(path.read_text())["trial"]["name"]
    assert line.startswith("unnamed ") and f"Succeeded trial {name} is not in the index" in line
    assert "nothing names bench/" in notes and "another/output.log" in notes


@pytest.mark.parametrize("content", ["{", "[1]", '{"trial": 1}'])
def test_so_is_a_record_that_cannot_be_read(
    content: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = folder / "trials" / "another" / "trial.json"
    other.parent.mkdir()
    other.write_text(content)
    assert main(["verify", str(folder)]) == 1
    (line, _), notes = said(capsys)
    assert line.endswith("unfinished trial without a name is not in the index")
    assert "nothing names" not in notes


def test_a_record_that_came_too_late_to_be_named_proves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index, objects = write(PLAIN)
    *others, last = index.trials
    assert last.key is not None
    spec = decode(TrialRecord, objects[last.key], last.key).spec
    place = {"cell": spec.cell, "workload": spec.workload_ref, "concurrency": spec.concurrency}
    place |= {"block": spec.block, "arm": spec.arm.name}
    gone = {"name": last.name, "outcome": "Failed", "reason": "ArchiveTimeout", **place}
    trials = (*others, IndexTrial.model_validate(gone))
    folder = copied(finished(index.model_copy(update={"trials": trials}), objects), tmp_path)
    assert main(["verify", str(folder)]) == 0, said(capsys)
    assert f"note: nothing names {last.key}" in said(capsys)[1]


def test_of_another_version_figures_are_compared_and_words_are_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index, objects = write(PUBLISHED)
    index = index.model_copy(update={"operator_version": "0.0.1"})
    folder = copied(finished(index, objects), tmp_path)
    path = folder / "report" / "report.json"
    report = json.loads(path.read_text())
    report["headlines"][0]["text"] = "Said in other words."
    report["caveats"] = report["caveats"][1:]
    del report["groups"][0]["units"]
    path.write_text(json.dumps(report))
    edited(folder / "report" / "report.md", "enc50", "other")
    assert main(["verify", str(folder)]) == 0, said(capsys)
    assert "written by encbench 0.0.1, and this is" in said(capsys)[1]
    table = report["studies"][0]
    table["rows"][0][-1] = 99999.0
    report["groups"][0]["rows"].pop()
    path.write_text(json.dumps(report))
    assert main(["verify", str(folder)]) == 1
    lines, _ = said(capsys)
    rows = len(report["groups"][0]["rows"])
    assert f"groups[0].rows has {rows} entries, and the records give {rows + 1}" in lines[0]
    column = table["columns"][-1]["name"]
    assert f"studies.{table['name']}.{column}[0] is 99999.0, and the records give" in lines[1]


def test_a_folder_without_an_index_is_another_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(folder / "trials")]) == 2
    assert "name a copy of a campaign's folder" in said(capsys)[1]


@pytest.fixture
async def store(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> FakeStore:
    """A cluster with the report, and its bucket."""
    fake, cluster = FakeStore(objects=dict(bucket)), FakeCluster()
    (key,) = (key for key in bucket if key.endswith(f"/{INDEX}"))
    made = build(decode(IndexRecord, bucket[key], key), bucket.__getitem__)
    folder = key.removesuffix("/index.json")
    artefacts: dict[str, Any] = {"bucket": fake.bucket, "index": made.index.to_dict()}
    for kind, suffix in (("html", "html"), ("markdown", "md"), ("csv", "csv"), ("json", "json")):
        own = f"{folder}/report.{suffix}"
        artefacts[kind] = {"key": own, "digest": digest_of(bucket[own])}
    status = {**to_status(made).to_dict(), "artefacts": artefacts}
    cluster.add(OVERHEAD_REPORT, {**body(OVERHEAD_REPORT, "demo", "bench"), "status": status})

    @contextlib.asynccontextmanager
    async def opened(*_: object) -> AsyncIterator[FakeStore]:
        yield fake

    @contextlib.asynccontextmanager
    async def connected(_: object, space: str | None) -> AsyncIterator[tuple[FakeCluster, str]]:
        yield cluster, space or "bench"

    monkeypatch.setattr(installation, "store", opened)
    monkeypatch.setattr(verify, "connected", connected)
    return fake


@pytest.mark.parametrize("name", ["demo", "bench/demo"])
async def test_by_its_name_the_page_is_checked_too(
    name: str, store: FakeStore, capsys: pytest.CaptureFixture[str]
) -> None:
    args = parser().parse_args(["verify", name])
    assert await verify.verify(args) == 0
    (line,), notes = said(capsys)
    assert line.startswith(f"report bench/demo: {len(store.objects)} objects checked") and not notes
    (key,) = (key for key in store.objects if key.endswith("report.html"))
    store.objects[key] += b" "
    assert await verify.verify(args) == 1
    assert said(capsys)[0][0].startswith(f"altered  {key}")
    (key,) = (key for key in store.objects if key.endswith(INDEX))
    del store.objects[key]
    assert await verify.verify(args) == 1
    assert f"lost     {key}" in said(capsys)[0]
    store.bucket = "new"
    assert await verify.verify(args) == 1
    both = "the report names bucket encbench, the operator now uses new"
    assert f"note: {both}" in said(capsys)[1].splitlines()


@pytest.mark.parametrize(
    ("made", "flags"),
    [("trials.parquet", ()), (INDEX, ("--context=lab",)), (INDEX, ("-n", "bench"))],
)
async def test_a_folder_that_happens_to_have_its_name_is_left_alone(
    made: str,
    flags: tuple[str, ...],
    store: FakeStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "demo" / made
    path.parent.mkdir(parents=True)
    path.touch()
    assert await verify.verify(parser().parse_args(["verify", "demo", *flags])) == 0
    printed, noted = said(capsys)
    assert printed[-1].startswith("report bench/demo: ")
    note = f"note: folder demo has no {INDEX}: write ./demo if you mean the folder"
    assert (note in noted) is (flags == ())

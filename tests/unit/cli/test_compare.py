"""`kubectl encbench compare` with files."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from encbench.api.trial import Outcome
from encbench.cli.compare import is_file
from encbench.cli.main import main
from encbench.core.artefact import encode
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.unit.report.analysis.extended import two_incarnations


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("reports")
    studies = (
        Study(blocks=4),
        Study(blocks=4, loss={"tde": 0.2}),
        Study(loss={"x": 0.1}, blocks=2),
    )
    paths = []
    for number, study in enumerate(studies):
        path = folder / f"{number}.json"
        path.write_bytes(encode(report_of(study)))
        paths.append(str(path))
    return paths


def test_two_files(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *files[:2]]) == 0
    assert "the loss of TPS is higher in B" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("extensions", [0, 1])
def test_a_follow_up_that_contains_the_other_is_refused(
    extensions: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for report in two_incarnations(extensions):
        paths.append(tmp_path / f"{report.campaign.name}.json")
        paths[-1].write_bytes(encode(report))
    for one, other in (paths, paths[::-1]):
        assert main(["compare", str(one), str(other)]) == (2 if extensions else 0)
    said = "campaign demo-more-1 contain the blocks of campaign demo, which it extends"
    assert (said in capsys.readouterr().err) is bool(extensions)


def test_a_follow_up_that_pools_nothing_is_compared(tmp_path: Path) -> None:
    """Such as one that ended early: its figures are of its own blocks."""
    paths = []
    for report in two_incarnations(1):
        alone = tuple(
            group.model_copy(update={"pooled": (), "counted_blocks": len(group.blocks)})
            for group in report.groups
        )
        paths.append(tmp_path / f"{report.campaign.name}.json")
        paths[-1].write_bytes(encode(report.model_copy(update={"groups": alone})))
    assert main(["compare", *map(str, paths)]) == 0


def test_to_a_file_as_json(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.json"
    assert main(["compare", *files[:2], "--output", "json", "--file", str(target)]) == 0
    assert json.loads(target.read_text())["schema"] == "encbench.io/comparison/v1"
    assert not capsys.readouterr().out


def test_nothing_in_common_ends_with_1(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", files[0], files[2]]) == 1
    said = capsys.readouterr().out
    assert "no instance, workload, concurrency and mode in common" in said
    assert "Only in B: x, oltp-read-write at 4 threads on small" in said


@pytest.mark.parametrize(
    ("limit", "code", "said"),
    [
        ("50%", 0, ""),
        ("-20", 1, "worse  tde, oltp-read-write at 4 threads on small: the loss of TPS grew by"),
        ("24%", 3, "at 4 threads on small: whether the increase of CPU per transaction grew"),
    ],
)
def test_a_pipeline_ends_on_what_grew(
    limit: str, code: int, said: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *files[:2], f"--fail-above={limit}"]) == code
    assert said in capsys.readouterr().err


def test_what_grew_ends_a_pipeline_though_something_else_remains_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studies = (Study(blocks=4), Study(blocks=4, concurrency=(4,), loss={"tde": 0.2}))
    paths = [tmp_path / f"{number}.json" for number in range(2)]
    for path, study in zip(paths, studies, strict=True):
        path.write_bytes(encode(report_of(study)))
    assert main(["compare", *map(str, paths), "--fail-above=2%", "--allow-unlike"]) == 1
    said = capsys.readouterr().err
    assert "worse  tde, oltp-read-write at 4 threads on small: the loss of TPS grew" in said
    assert "open   tde, oltp-read-write at 16 threads on small: B does not have it" in said


def test_what_the_second_report_lacks_remains_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a mode without a valid trial nor a condition that was left out has not grown."""
    lacking: tuple[Outcome, str] = ("Invalid", "ProofFailed")
    studies = {
        "whole": Study(blocks=4),
        "broken": Study(blocks=4, always={"tde": lacking}),
        "short": Study(blocks=4, concurrency=(4,)),
    }
    for name, study in studies.items():
        (tmp_path / f"{name}.json").write_bytes(encode(report_of(study)))
    whole, broken, short = (str(tmp_path / f"{name}.json") for name in studies)
    limit = ("--fail-above=90%", "--allow-unlike")
    assert main(["compare", whole, broken, *limit]) == 3
    assert "whether the loss of TPS grew" in capsys.readouterr().err
    assert main(["compare", whole, short, *limit]) == 3
    said = capsys.readouterr().err
    assert "open   tde, oltp-read-write at 16 threads on small: B does not have it" in said
    assert main(["compare", short, whole, *limit]) == 0


def test_what_the_first_report_lacks_remains_open_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no interval that could lie below the limit."""
    whole = Study(blocks=4, concurrency=(4,))
    lacking: tuple[Outcome, str] = ("Invalid", "ProofFailed")
    without = frozenset((4, block, "tde") for block in range(1, 5))
    studies = {
        "whole": whole,
        "broken": replace(whole, always={"tde": lacking}),
        "no-cpu": replace(whole, without_cpu=without),
    }
    for name, study in studies.items():
        (tmp_path / f"{name}.json").write_bytes(encode(report_of(study)))
    limit = ("--fail-above=90%", "--allow-unlike")
    whole_one, broken, no_cpu = (str(tmp_path / f"{name}.json") for name in studies)
    assert main(["compare", whole_one, whole_one, *limit]) == 0
    assert main(["compare", broken, whole_one, *limit]) == 3
    said = capsys.readouterr().err
    assert said == "open   tde, oltp-read-write at 4 threads on small: A has no data\n"
    assert main(["compare", no_cpu, whole_one, *limit]) == 3
    assert capsys.readouterr().err == (
        "open   tde, oltp-read-write at 4 threads on small: whether the increase of CPU per "
        "transaction grew by more than 90 percentage points (A lacks it)\n"
    )
    assert main(["compare", no_cpu, no_cpu, *limit]) == 0, "neither has it"


@pytest.mark.parametrize("fact", ["CPU", "Client's CPU"])
def test_unlike_things_are_refused_by_a_pipeline_alone(
    fact: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A machine of another kind; on other nodes alone the two would be alike."""
    machines = {mode: {"cpu_model": "old"} for mode in ("plain", "tde")}
    first = second = report_of(Study(blocks=2, client_machines=machines))
    origin = second.provenance
    facts = tuple(
        it.model_copy(update={"values": (it.values[0].model_copy(update={"value": "new"}),)})
        if it.name in (fact, "Database node")
        else it
        for it in origin.facts
    )
    assert facts != origin.facts
    origin = origin.model_copy(update={"facts": facts})
    paths = []
    for name, made in (("a", first), ("b", second.model_copy(update={"provenance": origin}))):
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_bytes(encode(made))
    pair = [str(path) for path in paths]
    assert main(["compare", *pair]) == 0
    assert main(["compare", *pair, "--fail-above=90%"]) == 2
    said = capsys.readouterr().err
    assert "the reports measured unlike things" in said and f"{fact}: " in said
    assert "Database node" not in said
    assert main(["compare", *pair, "--fail-above=90%", "--allow-unlike"]) in (0, 3)


@pytest.mark.parametrize(
    ("content", "said"), [(None, "cannot read"), ("{}", "has schema None"), ("x", "is not JSON")]
)
def test_what_is_no_report_is_refused(
    content: str | None,
    said: str,
    files: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "other.json"
    if content is not None:
        path.write_text(content)
    assert main(["compare", files[0], str(path)]) == 2
    assert said in capsys.readouterr().err


def test_names_and_files_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved").write_text("{}")
    assert [is_file(n) for n in ("demo", "bench/demo", "a.json", "saved", "-")] == [
        *(False, False, True, True, True)
    ]

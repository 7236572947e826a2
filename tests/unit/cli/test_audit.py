"""`kubectl encbench audit` as it is called: flags, exit codes, files."""

import json
from pathlib import Path

import pytest

from encbench.cli.main import main

REFERENCE = Path(__file__).resolve().parents[2] / "data" / "reference"
FILES = sorted(str(path) for path in REFERENCE.glob("*.csv"))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text("threads,off,on,cost\n8,100.0,90.0,10\n")
    return path


NAMED = ("--plain", "off", "--encrypted", "on", "--published", "cost")


def test_findings_end_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *FILES]) == 1
    assert "44 of 48 published overheads follow" in capsys.readouterr().out


def test_when_all_follow_it_ends_with_0(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(mine), *NAMED]) == 0
    assert "1 of 1 published overhead follows" in capsys.readouterr().out


def test_a_file_is_written(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "audit.json"
    code = main(["audit", str(mine), *NAMED, "--output", "json", "--file", str(target)])
    assert code == 0
    assert json.loads(target.read_text())["counts"]["follows"] == 1
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.csv"], "cannot read absent.csv"),
        (["{mine}"], "name its columns with --plain"),
        (["{mine}", "--plain", "off"], "add --encrypted"),
        (["{mine}", "--encrypted", "on"], "add --plain"),
        (["{mine}", "--published", "cost"], "--published needs named columns"),
        (["{mine}", "--response", "ms"], "--response needs named columns"),
        (["{mine}", *NAMED, "--response", "a,b,c"], "one column, or two for the plain and the"),
        (["{mine}", "--formula", "loss"], "--formula needs named columns"),
        (["{mine}", "--key", "threads"], "--key needs named columns"),
        (["{mine}", *NAMED, "--baseline", "mode"], "write --baseline as COLUMN=VALUE"),
        (["{mine}", "{mine}", *NAMED], "is given twice"),
        (["{mine}", *NAMED, "--file", "/nowhere/at/all"], "cannot write /nowhere/at/all"),
    ],
)
def test_bad_input_ends_with_2_and_advice(
    arguments: list[str], said: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *(word.format(mine=mine) for word in arguments)]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.startswith("error: ")
    assert not captured.out


def test_keys_formula_and_unit_reach_the_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("box,mode,tps,x\na,off,100.0,\na,on,50.0,2.0\n")
    flags = ["--plain=tps", "--encrypted=tps", "--published=x", "--formula=ratio"]
    assert main(["audit", str(path), *flags, "--key=box", "--baseline=mode=off"]) == 0
    assert "plain where mode is off" in capsys.readouterr().out


def test_files_of_one_name_are_told_apart(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "more" / "mine.csv"
    other.parent.mkdir()
    other.write_text(mine.read_text())
    assert main(["audit", str(mine), str(other), *NAMED]) == 0
    assert f"{other}: cost by" in capsys.readouterr().out


def test_without_published_the_overheads_are_computed(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", str(mine), "--plain", "off", "--encrypted", "on"]) == 0
    said = capsys.readouterr().out
    assert "mine.csv: 1 − on/off" in said
    assert "1 overhead computed, because none is published." in said


def test_response_times_reach_the_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("threads,mode,qps,ms\n8,off,4000,2.0\n8,on,2000,4.0\n16,off,8000,9.0\n")
    flags = ["--plain=qps", "--encrypted=qps", "--baseline=mode=off", "--response=ms"]
    assert main(["audit", str(path), *flags]) == 1
    assert "by Little's law" in " ".join(capsys.readouterr().out.split())


def test_an_unknown_file_beside_known_ones_ends_with_1(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clean = str(REFERENCE / "polardbx_driver_cpu.csv")
    assert main(["audit", clean]) == 0
    assert main(["audit", clean, str(mine)]) == 1
    assert "mine.csv has no known header" in capsys.readouterr().out

"""What bench-aa says of campaigns whose figures are incomplete."""

from pathlib import Path
from typing import Any

import pytest

from tests.bench import aa, results


def test_a_campaign_with_a_single_block_has_neither_interval_nor_noise_floor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row: dict[str, Any] = {
        "verdict": "Inconclusive",
        "overhead": {"estimate": 0.01},
        "noiseFloor": None,
        "blocks": 1,
    }
    kept = tmp_path / "aa.jsonl"
    monkeypatch.setattr(aa, "RESULTS", kept)
    monkeypatch.setattr(aa, "_prepared", lambda design: None)
    monkeypatch.setattr(aa, "_campaign", lambda kube, design, number: row)
    assert aa.main(["--campaigns=1"]) == 0
    said = capsys.readouterr().out
    assert "TPS (not measured)  noise floor (not measured)  CPU per transaction (not" in said
    assert "wrong Overhead of TPS in 0 of 1 campaigns" in said
    assert [one["noiseFloor"] for one in results.read(kept)] == [None]


def test_numbers_are_seeds_and_go_on_over_all_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row: dict[str, Any] = {"verdict": "Equivalent", "overhead": {}, "noiseFloor": 0.01, "blocks": 6}
    file = tmp_path / "aa.jsonl"
    monkeypatch.setattr(aa, "RESULTS", file)
    monkeypatch.setattr(aa, "_prepared", lambda design: None)
    monkeypatch.setattr(aa, "_campaign", lambda kube, design, number: row)
    for options in (["--campaigns=2"], ["--campaigns=1"], ["--campaigns=1", f"--kept={file}"]):
        assert aa.main(options) == 0
    assert [one["number"] for one in results.read(file)] == [1, 2, 3, 4]
    results.add(file, results.read(file)[0])
    with pytest.raises(SystemExit, match="two results of sequential blocks, number 1"):
        aa.main(["--campaigns=0", f"--kept={file}"])

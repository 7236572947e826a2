"""What bench-solo says of interleaved blocks beside sequential ones."""

from pathlib import Path
from typing import Any

import pytest

from tests.bench import results, solo

ROW: dict[str, Any] = {
    "number": 1,
    "engine": "mariadb",
    "workload": "write-only",
    "arm": "tde",
    "figure": "tps",
    "blocks": 80,
    "interleaved": {"estimate": 0.05, "low": 0.04, "high": 0.06},
    "solo": {"estimate": 0.048, "low": 0.035, "high": 0.061},
    "difference": {"estimate": 0.002, "low": -0.0144, "high": 0.0184},
}


@pytest.mark.parametrize(
    ("figure", "high", "code"),
    [("tps", 0.0184, 0), ("tps", 0.0201, 1), ("tps", None, 1), ("cpuPerTransaction", 0.0201, 0)],
)
def test_the_bounds_of_tps_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], figure: str, high: float | None, code: int
) -> None:
    file = tmp_path / "solo.jsonl"
    results.add(file, {**ROW, "figure": figure, "difference": {**ROW["difference"], "high": high}})
    assert solo.main(["--blocks=0", f"--kept={file}"]) == code
    said = capsys.readouterr().out
    assert f"write-only on mariadb, tde, {figure}: difference +0.2 %" in said
    assert ("NO" in said) == bool(code)


def test_most_time_goes_into_sequential_blocks() -> None:
    assert (solo.blocks(80)["min"], solo.blocks(80)["solo"]) == (10, 80)
    assert solo.blocks(8)["min"] == 6


def test_campaigns_of_one_kind_are_pooled_by_their_precision() -> None:
    """Twice as wide counts a quarter; 0.02 and 0.01 together have the half-width 0.0089."""
    wide = {"estimate": 0.01, "low": -0.01, "high": 0.03}
    narrow = {"estimate": 0.0, "low": -0.01, "high": 0.01}
    none = {"estimate": 0.5, "low": None, "high": None}
    point = {"estimate": 0.5, "low": 0.5, "high": 0.5}
    every = (wide, narrow, none, point)
    rows = [{**ROW, "number": n, "difference": it} for n, it in enumerate(every)]
    (one,) = solo.pooled(rows)
    assert one["blocks"] == 160
    expected = {"estimate": 0.002, "low": 0.002 - 0.00894, "high": 0.002 + 0.00894}
    assert one["difference"] == pytest.approx(expected, abs=1e-5)
    assert [it["figure"] for it in solo.pooled([ROW, {**ROW, "figure": "latencyP95"}])] == [
        "tps",
        "latencyP95",
    ]

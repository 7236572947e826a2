"""What bench-solo says of interleaved blocks beside sequential ones."""

from pathlib import Path
from typing import Any

import pytest

from tests.bench import results, solo

ROW: dict[str, Any] = {
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

"""The renderings of a known study, byte for byte."""

import json
import math
from pathlib import Path

import pytest

from encbench.report.render import render
from tests.data.report import golden

ALL = {folder: render(golden.report(study)) for folder, study in golden.STUDIES.items()}
RENDERINGS = ALL[golden.FOLDER]
TEXTS = [
    pytest.param(folder, name, id=f"{folder.name}-{name}")
    for folder, renderings in ALL.items()
    for name in renderings
    if name not in ("json", "html")
]


@pytest.mark.parametrize(("folder", "name"), TEXTS)
def test_text_is_as_before(folder: Path, name: str) -> None:
    rendering = ALL[folder][name]
    expected = (folder / rendering.name).read_text(encoding="utf-8")
    assert rendering.content.decode() == expected


def test_no_file_is_left_over() -> None:
    for folder, renderings in ALL.items():
        expected = {r.name for name, r in renderings.items() if name != "html"}
        assert {path.name for path in folder.iterdir() if path.is_file()} == expected


def same(found: object, expected: object) -> bool:
    """Equal, but for the last of the six digits that figures have."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return list(found) == list(expected) and all(same(found[k], expected[k]) for k in found)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=2e-5, abs_tol=1e-9)
    return found == expected


@pytest.mark.parametrize("folder", ALL, ids=lambda folder: folder.name)
def test_json_is_as_before(folder: Path) -> None:
    expected = json.loads((folder / "report.json").read_bytes())
    assert same(json.loads(ALL[folder]["json"].content), expected)


def test_the_same_bucket_gives_the_same_bytes() -> None:
    again = render(golden.report())
    assert {name: r.content for name, r in again.items()} == {
        name: r.content for name, r in RENDERINGS.items()
    }

"""The renderings of a known study, byte for byte."""

import json
import math
from pathlib import Path

import pytest

from encbench.report.formats.render import render
from tests.data.report import golden

TEXTS = [
    pytest.param(path, id=f"{folder.name}-{path.name}")
    for folder in golden.STUDIES
    for path in sorted(folder.iterdir())
    if path.is_file() and path.name != "report.json"
]


@pytest.mark.parametrize("path", TEXTS)
def test_text_is_as_before(path: Path) -> None:
    (found,) = [r for r in golden.renderings(path.parent).values() if r.name == path.name]
    assert found.content.decode() == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", golden.STUDIES, ids=lambda folder: folder.name)
def test_no_file_is_missing_or_left_over(folder: Path) -> None:
    expected = {r.name for name, r in golden.renderings(folder).items() if name != "html"}
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


@pytest.mark.parametrize("folder", golden.STUDIES, ids=lambda folder: folder.name)
def test_json_is_as_before(folder: Path) -> None:
    expected = json.loads((folder / "report.json").read_bytes())
    assert same(json.loads(golden.renderings(folder)["json"].content), expected)


def test_the_same_bucket_gives_the_same_bytes() -> None:
    again = render(golden.report_of(golden.STUDY))
    assert {name: r.content for name, r in again.items()} == {
        name: r.content for name, r in golden.renderings().items()
    }

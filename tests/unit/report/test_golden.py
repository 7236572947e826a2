"""The renderings of a known study, byte for byte."""

import json
import math
from pathlib import Path

import pytest

from encbench.report.render import render
from tests.data.report import golden

RENDERINGS = render(golden.report())


@pytest.mark.parametrize("name", ["csv", "markdown"])
def test_text_is_as_before(name: str) -> None:
    rendering = RENDERINGS[name]
    expected = (golden.FOLDER / rendering.name).read_text(encoding="utf-8")
    assert rendering.content.decode() == expected


def same(found: object, expected: object) -> bool:
    """Equal, but for the last of the six digits that figures have."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return list(found) == list(expected) and all(same(found[k], expected[k]) for k in found)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=2e-5, abs_tol=1e-9)
    return found == expected


def test_json_is_as_before() -> None:
    expected = json.loads(Path(golden.FOLDER / "report.json").read_bytes())
    assert same(json.loads(RENDERINGS["json"].content), expected)


def test_the_same_bucket_gives_the_same_bytes() -> None:
    again = render(golden.report())
    assert {name: r.content for name, r in again.items()} == {
        name: r.content for name, r in RENDERINGS.items()
    }

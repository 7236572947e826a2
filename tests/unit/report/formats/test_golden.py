"""The renderings of a known study, byte for byte."""

import json
import math
from collections.abc import Iterator
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


def differences(found: object, expected: object, place: str = "report") -> Iterator[str]:
    """Where the two differ, but for the last of the six digits that figures have."""
    if isinstance(found, dict) and isinstance(expected, dict):
        if list(found) != list(expected):
            yield f"{place} has the fields {list(found)}, expected {list(expected)}"
        for key in [key for key in expected if key in found]:
            yield from differences(found[key], expected[key], f"{place}.{key}")
    elif isinstance(found, list) and isinstance(expected, list):
        if len(found) != len(expected):
            yield f"{place} has {len(found)} items, expected {len(expected)}"
        for number, (one, other) in enumerate(zip(found, expected, strict=False)):
            yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(found, float) and isinstance(expected, float):
        if not math.isclose(found, expected, rel_tol=2e-5, abs_tol=1e-9):
            yield f"{place} is {found}, expected {expected}"
    elif found != expected:
        yield f"{place} is {found!r}, expected {expected!r}"


@pytest.mark.parametrize("folder", golden.STUDIES, ids=lambda folder: folder.name)
def test_json_is_as_before(folder: Path) -> None:
    expected = json.loads((folder / "report.json").read_bytes())
    found = json.loads(golden.renderings(folder)["json"].content)
    assert list(differences(found, expected)) == []


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ([1], [1, 2]),
        ([{"a": 1.0}], [{"a": 1.0001}]),
        ({"a": None}, {"a": "None"}),
    ],
)
def test_a_difference_is_noticed(found: object, expected: object) -> None:
    assert list(differences(found, expected))
    assert not list(differences(found, found))


def test_the_layout_of_json_loses_nothing() -> None:
    content = golden.renderings(golden.FOLDER / "columns")["json"].content
    lines = golden.expected_content("json", content).decode().splitlines()
    assert json.loads("".join(lines)) == json.loads(content)
    assert len(lines) < 500


def test_the_same_bucket_gives_the_same_bytes() -> None:
    again = render(golden.report_of(golden.STUDY))
    assert {name: r.content for name, r in again.items()} == {
        name: r.content for name, r in golden.renderings().items()
    }

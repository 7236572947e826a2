"""The reference pages: every field of every kind, and what the schema says of it."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from encbench.api.crd import definition
from encbench.api.pages import ROOT, stale
from encbench.api.reference import FOLDER, main, pages
from encbench.api.resources import RESOURCES, Resource


def page(kind: str) -> str:
    return pages()[FOLDER / f"{kind.lower()}.md"]


def paths(schema: dict[str, Any], path: str) -> Iterator[str]:
    for name, field in schema.get("properties", {}).items():
        yield f"{path}.{name}"
        yield from paths(field, f"{path}.{name}")
    for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(key), dict):
            yield from paths(schema[key], f"{path}{mark}")


def test_the_pages_of_the_checkout_are_fresh() -> None:
    assert [*stale(ROOT, pages())] == []


def described(kind: str) -> list[str]:
    """The paths of the fields on a page."""
    return re.findall(r"(?m)^\| `((?:spec|status)\.[^`]+)` \|", page(kind))


def links(kind: str) -> Iterator[tuple[str, str, str]]:
    """Each part that another page describes: its path, that page's kind and the path there."""
    for path in described(kind):
        cells = row(kind, path)
        if found := re.search(r"are those of \[`(.+)` of \w+\]\((\w+)\.md#spec\)\.", cells[-1]):
            yield f"{path}.*" if cells[1].startswith("map to") else path, found[2], found[1]


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda it: it.kind.kind)
def test_every_field_has_a_line_there_or_where_the_page_links(resource: Resource) -> None:
    kind = resource.kind.kind
    whole = definition(resource)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    wanted = [
        path for part in ("spec", "status") if part in whole for path in paths(whole[part], part)
    ]
    found = described(kind)
    for path, other, there in links(kind):
        below = (it.removeprefix(there) for it in described(other) if it.startswith(f"{there}."))
        found += [f"{path}{rest}" for rest in below]
    assert sorted(found) == sorted(wanted)
    rows = [line for line in page(kind).splitlines() if line.startswith("| `spec.")]
    assert {row.count(" | ") for row in rows} == {4}, "a bar in a cell would break it"


def row(kind: str, field: str) -> list[str]:
    (line,) = (line for line in page(kind).splitlines() if line.startswith(f"| `{field}` |"))
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_a_line_says_what_the_schema_says() -> None:
    assert row("campaign", "spec.margin")[1:] == [
        *("number", "`0.05`", "more than 0; less than 1"),
        "Overhead that matters, as a fraction: 0.05 is 5 %.",
    ]
    method = row("encryptionmode", "spec.atRest.method")
    assert method[1:4] == ["string", "", "required; one of `engine`, `volume`"]
    assert row("campaign", "spec.matrix[].modeRefs")[1] == "list of string"
    settings = row("instancetemplate", "spec.settings")
    assert settings[1].startswith("map to ")


def test_what_the_operator_copies_is_described_where_people_write_it() -> None:
    assert [*links("trial")] == [
        ("spec.workload", "workload", "spec"),
        ("spec.limits", "campaign", "spec.limits"),
        ("spec.stepDeadlines", "campaign", "spec.stepDeadlines"),
    ]
    assert ("status.resolved.modes.*", "encryptionmode", "spec") in links("campaign")
    assert row("trial", "spec.workload")[3] == "required", "its rules stand there too"
    assert row("campaign", "status.resolved.modes")[3] == "at most 257 keys"
    for written in ("instancetemplate", "encryptionmode", "workload"):
        assert [*links(written)] == []
    assert all(path.startswith("status.") for path, *_ in links("campaign"))


def test_a_rule_of_several_fields_is_written_once() -> None:
    said = " ".join(page("campaign").split())
    assert said.count("is fixed once the campaign exists") == 1
    assert "- each of matrix, baselineModeRef, blocks," in said


def test_a_stale_page_is_noticed_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    arguments = ["reference", f"--root={tmp_path}"]
    monkeypatch.setattr(sys, "argv", [*arguments, "--check"])
    assert main() == 1
    assert "docs/reference/trial.md is stale: run" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", arguments)
    assert main() == 0
    assert [*stale(tmp_path, pages())] == []
    (tmp_path / FOLDER / "trial.md").write_text("x")
    assert [*stale(tmp_path, pages())] == [FOLDER / "trial.md"]

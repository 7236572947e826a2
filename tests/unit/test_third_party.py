"""THIRD-PARTY.md: every image, every jar of the TPC-C image and each licence of Python packages."""

import contextlib
import itertools
import re
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

REPO = Path(__file__).resolve().parents[2]
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]]
    for line in (REPO / "THIRD-PARTY.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|")
]
POM = "{http://maven.apache.org/POM/4.0.0}"


def test_every_image_has_a_row() -> None:
    images = {path.parent.name for path in (REPO / "images").glob("*/Containerfile")}
    first = [re.findall(r"`([\w-]+)`", row[0]) for row in ROWS]
    assert images == {names[0] for names in first if len(names) == 1}


def test_every_row_has_a_program_and_a_licence() -> None:
    assert all(len(row) == 3 and row[1] and row[2] for row in ROWS)


def test_every_jar_is_named() -> None:
    tree = ElementTree.parse(REPO / "images" / "tpcc" / "pom.xml")  # noqa: S314 - our own file
    programs = " ".join(row[1] for row in ROWS)
    managed = tree.findall(f"{POM}dependencyManagement/{POM}dependencies/{POM}dependency")
    shipped = [one for one in managed if one.findtext(f"{POM}scope") != "test"]
    assert len(shipped) >= 4
    for one in shipped:
        assert str(one.findtext(f"{POM}artifactId")) in programs


def test_licences_of_the_operator_s_packages_are_named() -> None:
    lock = (REPO / "operator" / "requirements.lock").read_text(encoding="utf-8")
    start = next(number for number, row in enumerate(ROWS) if row[0] == "`operator`")
    rows = itertools.takewhile(lambda row: not row[0], ROWS[start + 1 :])
    named = set(re.findall(r"[\w.-]+", " ".join(row[2] for row in rows)))
    seen = set()
    for name in re.findall(r"^([A-Za-z0-9._-]+)==", lock, re.MULTILINE):
        with contextlib.suppress(metadata.PackageNotFoundError):
            expression = metadata.metadata(name)["License-Expression"] or ""
            seen |= set(re.findall(r"[\w.-]+", expression)) - {"AND", "OR", "WITH"}
    assert "MIT" in seen
    assert seen - named == set()

"""Bills of material: valid, as complete as the lock files; and what is fetched has a digest."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.support import sbom

REPO = Path(__file__).resolve().parents[2]
POM = "{http://maven.apache.org/POM/4.0.0}"
HOSTS = re.compile(r"https?://(?!www\.w3\.org|maven\.apache\.org/(?:POM|xsd))[^\s\"'<>]+")
"""URLs but for the names of XML's schemas."""


def parts(image: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(sbom.document(image))
    return found


@pytest.mark.parametrize("image", sbom.names())
def test_it_is_valid(image: str) -> None:
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(sbom.document(image))
    assert wrong is None


def test_it_is_the_same_when_it_is_made_again() -> None:
    when = datetime(2026, 11, 23, tzinfo=UTC)
    assert sbom.document("turnstile", made=when) == sbom.document("turnstile", made=when)


def test_it_lists_what_is_locked() -> None:
    operator = {one["purl"] for one in parts("operator")["components"]}
    locked = (REPO / "operator" / "requirements.lock").read_text()
    assert len([one for one in operator if one.startswith("pkg:pypi/")]) == locked.count("==")
    assert any(one.startswith("pkg:deb/debian/python3") for one in operator)
    proxy = parts("confidential-proxy")["components"]
    crates = (REPO / "images" / "confidential-proxy" / "Cargo.lock").read_text()
    assert len([one for one in proxy if "cargo" in one["purl"]]) == crates.count("\nchecksum = ")
    minio = {one["purl"].partition("@")[0] for one in parts("minio")["components"]}
    assert "pkg:golang/github.com/minio/minio" in minio
    assert any("HdrHistogram" in one["purl"] for one in parts("tpcc")["components"])


def test_a_built_image_has_versions(tmp_path: Path) -> None:
    archive = _archive(tmp_path, "Package: dash\nStatus: install ok installed\nVersion: 0.5\n")
    (found,) = sbom.components("mariadb", archive)
    assert str(found.purl) == "pkg:deb/debian/dash@0.5?arch=amd64"


def _archive(folder: Path, status: str) -> Path:
    import tarfile

    (folder / "status").write_text(f"{status}Architecture: amd64\n\nPackage: gone\nStatus: x\n")
    with tarfile.open(folder / "layer.tar", "w") as layer:
        layer.add(folder / "status", "./var/lib/dpkg/status")
    (folder / "manifest.json").write_text(json.dumps([{"Layers": ["layer.tar"]}]))
    with tarfile.open(folder / "image", "w") as image:
        for name in ("manifest.json", "layer.tar"):
            image.add(folder / name, name)
    return folder / "image"


def test_every_jar_has_a_digest() -> None:
    """Of those that are shipped: Maven itself trusts whatever the repository's checksum says."""
    pinned = (REPO / "images" / "tpcc" / "jars.sha256").read_text()
    tree = ElementTree.parse(REPO / "images" / "tpcc" / "pom.xml")  # noqa: S314 - our own file
    wanted = tree.findall(f"{POM}dependencyManagement/{POM}dependencies/{POM}dependency")
    shipped = [_path(one) for one in wanted if one.findtext(f"{POM}scope") != "test"]
    assert len(shipped) >= 4
    assert [path for path in shipped if path not in pinned] == []
    drivers = (REPO / "images" / "benchmarksql" / "drivers.sha256").read_text().splitlines()
    tree = ElementTree.parse(REPO / "images" / "benchmarksql" / "pom.xml")  # noqa: S314
    own = [_path(one) for one in tree.findall(f"{POM}dependencies/{POM}dependency")]
    assert sorted(own) == sorted(line.split()[1] for line in drivers)
    assert set(drivers) <= set(pinned.splitlines()), "both images have the same drivers"


def _path(dependency: ElementTree.Element) -> str:
    group, name, version = (
        str(dependency.findtext(POM + field)) for field in ("groupId", "artifactId", "version")
    )
    return f"{group.replace('.', '/')}/{name}/{version}/{name}-{version}.jar"


def test_no_build_names_a_host_to_download_from() -> None:
    """apt, pip, cargo, Go and Maven know by their own settings where things come from."""
    files = [
        *(REPO / "images").glob("*/Containerfile"),
        *(REPO / "images").glob("**/pom.xml"),
        *(REPO / "images").glob("*/Cargo.*"),
        *(REPO / "operator").glob("*.lock"),
        *(REPO / "operator").glob("*.sh"),
        *(REPO / "tests" / "cluster").rglob("go.mod"),
        REPO / "pyproject.toml",
        REPO / "Makefile",
    ]
    named = {
        str(file.relative_to(REPO)): found
        for file in files
        for found in [HOSTS.findall(_without_comments(file))]
        if found and file.name != "Cargo.lock"
    }
    assert named == {}
    locks = [file.read_text() for file in (REPO / "images").glob("*/Cargo.lock")]
    sources = {line for lock in locks for line in lock.splitlines() if line.startswith("source")}
    assert sources == {'source = "registry+https://github.com/rust-lang/crates.io-index"'}, (
        "the name of cargo's default registry, which its settings may replace"
    )


def _without_comments(file: Path) -> str:
    lines = file.read_text().splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("#", "<!--")))

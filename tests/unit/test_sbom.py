"""Bills of material: valid, as complete as the lock files; and what is fetched has a digest."""

import json
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cyclonedx.schema import SchemaVersion

from tests.support import sbom

REPO = Path(__file__).resolve().parents[2]
POM = "{http://maven.apache.org/POM/4.0.0}"


def parts(image: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(sbom.document(image))
    return found


@pytest.mark.parametrize("image", sbom.names())
def test_it_is_valid(image: str) -> None:
    # Importing it builds a grammar, which takes seconds in every worker.
    from cyclonedx.validation.json import JsonStrictValidator

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


CITED = {
    "www.w3.org": "names of XML's schemas",
    "json-schema.org": "names of JSON's schemas",
    "maven.apache.org": "names of Maven's schemas",
    "www.apache.org": "the licence",
    "kubernetes.io": "sources, in comments",
    "cloud.google.com": "sources, in comments",
    "chromedevtools.github.io": "sources, in comments",
}
"""Hosts that stand in files and are asked for nothing."""
PROSE = (".md", "docs/", "tests/data/", "charts/encbench/files/", "crds/")
"""Files that people read, or that are made of such; nothing runs them."""
OTHERS = {
    "tests/contract/conformance/node/package-lock.json": {"github.com"}  # where to pay an author
}
_HOST = re.compile(
    r"\b(?!file:)[a-z][a-z+]*://(?:[^/\s@\"'{}]*@)?([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)"
)
_SPARE = re.compile(
    r"[^.]+|127\..*|0\.0\.0\.0|(.+\.)?example\.com|.+\.(invalid|evil|svc|cluster\.local)"
    r"|s3\.eu-central-1\.amazonaws\.com|kubernetes\.default\.svc\.?"
)
"""Names that lead nowhere, or to this machine or cluster; one is the chart's example of a store."""


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=REPO, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_no_file_names_a_host_to_download_from() -> None:
    """apt, pip, cargo, Go, npm and Maven know by their own settings where things come from."""
    named = set()
    for name in tracked():
        file = REPO / name
        is_prose = any(name.startswith(one) or name.endswith(one) for one in PROSE)
        if is_prose or file == Path(__file__) or not file.is_file():
            continue
        for host in _HOST.findall(file.read_text(encoding="utf-8", errors="replace")):
            known = host in CITED or host in OTHERS.get(name, ())
            if not known and _SPARE.fullmatch(host.lower()) is None:
                named.add((name, host))
    locks = {(name, "github.com") for name in tracked() if name.endswith("Cargo.lock")}
    assert named == locks, "but for the name of cargo's default registry"


def test_a_host_would_be_seen() -> None:
    for text in (
        "RUN curl -O https://get.example.org/x.tgz",
        "pip install git+https://user:word@code.example.net/x",
        "<url>https://repo1.maven.org/maven2</url>",
        "deb http://deb.debian.org/debian sid main",
    ):
        (host,) = _HOST.findall(text)
        assert host not in CITED
        assert _SPARE.fullmatch(host) is None


def test_no_build_fetches_by_hand() -> None:
    """What a package client has not brought, nothing has checked."""
    folders = ("images/", "operator/", "tests/cluster/", "tests/release/", "charts/", ".ci/")
    fetching = re.compile(r"\b(curl|wget|ADD\s+https?:|git clone)\b")
    found = [
        name
        for name in tracked()
        if name.startswith(folders) or name == "Makefile"
        if not name.endswith(".md")
        and (REPO / name).is_file()
        and fetching.search((REPO / name).read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def test_cargo_s_registry_is_the_default_one() -> None:
    locks = [file.read_text() for file in (REPO / "images").rglob("Cargo.lock")]
    sources = {line for lock in locks for line in lock.splitlines() if line.startswith("source")}
    assert sources == {'source = "registry+https://github.com/rust-lang/crates.io-index"'}, (
        "the name of cargo's default registry, which its settings may replace"
    )

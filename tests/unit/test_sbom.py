"""Bills of material: valid, as complete as the lock files; and what is fetched has a digest."""

import json
import re
import subprocess
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from cyclonedx.schema import SchemaVersion

import encbench
from tests.cluster.images import RECIPES
from tests.cluster.layout import Layout
from tests.release import build as release
from tests.release import plugin
from tests.support import sbom, sbom_built, sbom_sources

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


STATUS = """\
Package: dash
Status: install ok installed
Version: 0.5
Architecture: amd64

Package: libssl3
Status: install ok installed
Source: openssl
Version: 3.0.22-1
Architecture: amd64

Package: bash
Status: install ok installed
Source: bash (5.2.15-2)
Version: 5.2.15-2+b13
Architecture: amd64

Package: gone
Status: deinstall ok config-files
Version: 1
Architecture: amd64
"""
RELEASE = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n'


def test_a_built_image_has_what_a_scanner_finds_debian_s_vulnerabilities_by(tmp_path: Path) -> None:
    archive = _archive(tmp_path, {"var/lib/dpkg/status": STATUS, "usr/lib/os-release": RELEASE})
    system, *packages = sbom.components("mariadb", archive)
    assert (system.type, system.name, system.version) == ("operating-system", "debian", "12")
    assert [str(one.purl) for one in packages] == [
        "pkg:deb/debian/dash@0.5?arch=amd64&distro=debian-12",
        "pkg:deb/debian/libssl3@3.0.22-1?arch=amd64&distro=debian-12&upstream=openssl",
        "pkg:deb/debian/bash@5.2.15-2%2Bb13?arch=amd64&distro=debian-12&upstream=bash%405.2.15-2",
    ]


def test_a_list_leads_to_the_source_packages() -> None:
    purls = (
        "pkg:deb/debian/dash@0.5?arch=amd64",
        "pkg:deb/debian/libssl3@3.0.22-1?upstream=openssl",
        "pkg:deb/debian/bash@5.2.15-2%2Bb13?upstream=bash%405.2.15-2",
        "pkg:deb/debian/sysbench",
        "pkg:pypi/numpy@2.4",
    )
    assert list(sbom_sources.sources(purls)) == [
        ("dash", "0.5"),
        ("openssl", "3.0.22-1"),
        ("bash", "5.2.15-2"),
    ]


def test_a_built_image_has_the_libraries_that_wheels_bring(tmp_path: Path) -> None:
    path = "opt/encbench/lib/python3.11/site-packages/numpy.libs/libquadmath-96973f99.so.0.0.0"
    archive = _archive(tmp_path, {path: "library", "opt/other": "x"})
    files = [one for one in sbom.components("operator", archive) if one.type == "file"]
    assert [one.name for one in files] == [path]
    assert files[0].hashes


def test_a_static_program_has_its_c_library(tmp_path: Path) -> None:
    banner = "\x7fELF...GNU C Library (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36."
    names = [
        str(one.purl) for one in sbom.components("turnstile", _archive(tmp_path, {"x": banner}))
    ]
    version = "2.36-9%2Bdeb12u14"
    assert f"pkg:deb/debian/libc6-dev@{version}?distro=debian-12&upstream=glibc" in names
    assert "pkg:deb/debian/libc6-dev?upstream=glibc" in map(
        str, (one.purl for one in sbom.components("turnstile"))
    )


def test_a_program_in_go_has_what_it_was_linked_from() -> None:
    said = (
        "/tmp/minio: go1.26.8\n\tpath\texample.com/minio\n\tmod\texample.com/minio\t(devel)\t\n"
        "\tdep\texample.com/go/storage\tv1.52.0\n\t=>\texample.com/go/storage\tv1.43.0\th1:x=\n\t\n"
        "\tdep\texample.com/mem\tv0.2.0\th1:y=\n\tbuild\tGOOS=linux\n"
    )
    assert [str(one.purl) for one in sbom_built.modules(said)] == [
        "pkg:golang/stdlib@1.26.8",
        "pkg:golang/example.com/go/storage@v1.43.0",
        "pkg:golang/example.com/mem@v0.2.0",
    ]


def test_what_go_mod_replaces_is_replaced() -> None:
    minio = {one["purl"] for one in parts("minio")["components"]}
    (line,) = [
        line
        for line in (REPO / "tests/cluster/tools/minio/go.mod").read_text().splitlines()
        if line.startswith("replace ")
    ]
    module, version = line.split()[-2:]
    assert [one for one in minio if one.startswith(f"pkg:golang/{module}@")] == [
        f"pkg:golang/{module}@{version}"
    ]


def test_versions_and_architectures_have_serial_numbers_of_their_own() -> None:
    lists = [
        sbom.document("turnstile", version=version, architecture=architecture)
        for version in ("1.2.0", "1.3.0")
        for architecture in ("amd64", "arm64")
    ]
    assert len({json.loads(one)["serialNumber"] for one in lists}) == 4


@pytest.mark.parametrize("image", [name for name in release.IMAGES if RECIPES[name].ours])
def test_our_own_part_is_listed(image: str) -> None:
    own = f"pkg:generic/encbench@{encbench.__version__}"
    assert own in [one["purl"] for one in parts(image)["components"]]


def test_the_plugin_has_a_list() -> None:
    packages = (*plugin.PURE, *plugin.COMPILED)
    found = [one["purl"] for one in json.loads(sbom.plugin(packages))["components"]]
    assert len(found) == 1 + len(packages)
    assert any(one.startswith("pkg:pypi/botocore@") for one in found)


def test_what_jars_have_inside_is_listed() -> None:
    jars = {
        file.name: file
        for place in (Layout.from_environment().cache / "tpcc", Path.home() / ".m2/repository")
        for file in place.rglob("*.jar")
    }
    pinned = (REPO / "images" / "tpcc" / "jars.sha256").read_text().split()[1::2]
    seen = False
    for path in pinned:
        *group, name, _, file = path.split("/")
        if file in jars:
            seen = True
            licences = {
                tuple(entry.split("/")[2:4])
                for entry in ZipFile(jars[file]).namelist()
                if re.match(r"META-INF/licenses/[^/]+/[^/]+/", entry)
            }
            shaded = sbom.SHADED.get(f"{'.'.join(group)}/{name}", ())
            assert licences == {(of, f"{part}-{version}") for of, part, version in shaded}
    if not seen:
        pytest.skip("no jar was fetched yet")


def _archive(folder: Path, files: Mapping[str, str]) -> Path:
    with tarfile.open(folder / "layer.tar", "w") as layer:
        for name, text in files.items():
            (folder / "file").write_bytes(text.encode("latin-1"))
            layer.add(folder / "file", f"./{name}")
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

"""`make sbom`: what is in each image, as CycloneDX 1.6 in JSON.

Debian's packages are read from the image itself, where `make images` has built it, with their
versions; otherwise from the Containerfile, which names only those that it asks for. Everything else
is what lock files pin: `Cargo.lock` with crates that only tests use, and for the Go programs all
modules that their `go.mod` requires. A list says what may be in the image, never less.
"""

import json
import re
import sys
import tarfile
import tomllib
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from email.parser import HeaderParser
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from tests.cluster.layout import Layout
from tests.cluster.versions import BASE_IMAGES, DEBIAN_SUITE, IMAGE_TAGS

REPO = Path(__file__).resolve().parents[2]
IMAGES = REPO / "images"
GO_MODULES = {
    "coredns": "clients",
    "gocryptfs": "volumes",
    "local-path-provisioner": "kubernetes",
    "minio": "minio",
    "prometheus": "clients",
}
"""Images with a program in Go, and the folder of `tests/cluster/tools` that pins it."""
_REQUIRED = re.compile(r"^(?:require )?\s*(\S+) (v\S+)(?: // indirect)?$", re.MULTILINE)
_LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
_ASKED = re.compile(r"apt-get install -y --no-install-recommends ([^\\&\n]+)")
_SPACE = uuid.UUID("0c7a1ad5-5d0c-4a7c-9a51-7a5a3e0c1a11")


def names() -> list[str]:
    """The images that have a Containerfile."""
    return sorted(path.parent.name for path in IMAGES.glob("*/Containerfile"))


def document(
    image: str,
    archive: Path | None = None,
    made: datetime | None = None,
    version: str | None = None,
) -> str:
    """The list of one image; `archive` is the image, where it was built. Made now by default.

    `version` is the tag of a release; a cluster of our own has tags of its own.
    """
    root = Component(
        name=f"encbench/{image}",
        version=version or IMAGE_TAGS.get(image),
        type=ComponentType.CONTAINER,
        bom_ref=f"encbench/{image}",
    )
    found = {one.purl: one for one in components(image, archive)}
    bom = Bom(components=found.values())
    bom.metadata.component = root
    bom.metadata.timestamp = made or datetime.now(UTC)
    bom.register_dependency(root, found.values())
    bom.serial_number = uuid.uuid5(_SPACE, "\n".join([image, *sorted(map(str, found))]))
    return str(JsonV1Dot6(bom).output_as_string(indent=1))


def components(image: str, archive: Path | None = None) -> Iterator[Component]:
    """Everything that is or may be in it."""
    folder = IMAGES / image
    text = (folder / "Containerfile").read_text()
    yield from _debian_built(archive) if archive else _debian_asked(text)
    if image == "operator":
        yield from _python(REPO / "operator" / "requirements.lock")
    for lock in folder.glob("Cargo.lock"):
        yield from _rust(lock)
    if image in GO_MODULES:
        yield from _go(REPO / "tests" / "cluster" / "tools" / GO_MODULES[image] / "go.mod")
    for digests in folder.glob("*.sha256"):
        yield from _maven(digests)


def _component(purl: PackageURL, digest: str | None = None) -> Component:
    hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else []
    return Component(
        name=purl.name,
        group=purl.namespace,
        version=purl.version,
        type=ComponentType.LIBRARY,
        purl=purl,
        bom_ref=str(purl),
        hashes=hashes,
    )


def _python(lock: Path) -> Iterator[Component]:
    for name, version in _LOCKED.findall(lock.read_text()):
        yield _component(PackageURL("pypi", name=name.lower(), version=version))


def _rust(lock: Path) -> Iterator[Component]:
    for package in tomllib.loads(lock.read_text())["package"]:
        if "source" in package:
            purl = PackageURL("cargo", name=package["name"], version=package["version"])
            yield _component(purl, package["checksum"])


def _go(go_mod: Path) -> Iterator[Component]:
    for module, version in _REQUIRED.findall(go_mod.read_text()):
        namespace, _, name = module.rpartition("/")
        yield _component(PackageURL("golang", namespace or None, name, version))


def _maven(digests: Path) -> Iterator[Component]:
    for line in digests.read_text().splitlines():
        digest, path = line.split()
        *group, name, version, _ = path.split("/")
        yield _component(PackageURL("maven", ".".join(group), name, version), digest)


def _debian_asked(containerfile: str) -> Iterator[Component]:
    final = containerfile.rpartition("\nFROM ")[2]
    for line in _ASKED.findall(final):
        for word in line.split():
            name = word.strip("'").partition("=")[0]
            yield _component(PackageURL("deb", "debian", name))


def _debian_built(archive: Path) -> Iterator[Component]:
    for entry in _dpkg(archive).split("\n\n"):
        package = HeaderParser().parsestr(entry)
        if "installed" in str(package["Status"]).split():
            more = {"arch": str(package["Architecture"])}
            name, version = str(package["Package"]), str(package["Version"])
            yield _component(PackageURL("deb", "debian", name, version, more))


def _dpkg(archive: Path) -> str:
    """The image's own list of packages, of the last layer that has it; empty without Debian."""
    found = ""
    with tarfile.open(archive) as image:
        index = image.extractfile("manifest.json")
        assert index is not None
        for layer in json.load(index)[0]["Layers"]:
            with tarfile.open(fileobj=image.extractfile(layer)) as files:
                for name in ("var/lib/dpkg/status", "./var/lib/dpkg/status"):
                    if name in files.getnames():
                        content = files.extractfile(name)
                        assert content is not None
                        found = content.read().decode()
    return found


def built(image: str) -> Path | None:
    """The newest archive that `make images` has left in the cache."""
    there = (Layout.from_environment().cache / "images").glob(f"{image}-" + "[0-9a-f]" * 16)
    return max(there, key=lambda path: path.stat().st_mtime, default=None)


def main(folder: Path) -> None:
    """One file an image."""
    folder.mkdir(parents=True, exist_ok=True)
    for image in names():
        archive = built(image)
        target = folder / f"{image}.cdx.json"
        target.write_text(document(image, archive) + "\n")
        has_debian = any(base in (IMAGES / image / "Containerfile").read_text() for base in _BASES)
        note = "" if archive or not has_debian else ", without versions of Debian's packages"
        print(f"{target}{note}")


_BASES = (BASE_IMAGES[DEBIAN_SUITE], *BASE_IMAGES.values())

if __name__ == "__main__":
    main(Path(sys.argv[1]))

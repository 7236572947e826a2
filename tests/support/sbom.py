"""`make sbom`: what is in each image, as CycloneDX 1.6 in JSON.

Where `make images` has built the image, `sbom_built` reads it from the image itself. Otherwise
Debian's packages are those that the Containerfile asks for, without versions, and Go's modules are
all that `go.mod` requires. Everything else is what lock files pin: `Cargo.lock` with crates that
only tests use, Python's packages, and jars.

No list has what makers copied into their own source, what Debian's programs were compiled from,
Rust's standard library, or what a library in a wheel was linked with.
"""

import re
import sys
import tomllib
import uuid
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from encbench import __version__
from tests.cluster.architecture import native
from tests.cluster.binaries import PARTS
from tests.cluster.images import RECIPES
from tests.cluster.layout import Layout
from tests.cluster.versions import BASE_IMAGES, DEBIAN_SUITE, IMAGE_TAGS

from . import sbom_built
from .sbom_built import component

REPO = Path(__file__).resolve().parents[2]
IMAGES = REPO / "images"
GO_MODULES = {
    "coredns": "clients",
    "gocryptfs": "volumes",
    "local-path-provisioner": "kubernetes",
    "minio": "minio",
    "pause": None,
    "prometheus": "clients",
}
"""Images with a program in Go, and the folder of `tests/cluster/tools` that pins its modules."""
SHADED = {
    "org.postgresql/postgresql": (
        ("com.ongres.scram", "scram-client", "3.2"),
        ("com.ongres.scram", "scram-common", "3.2"),
        ("com.ongres.stringprep", "saslprep", "2.2"),
        ("com.ongres.stringprep", "stringprep", "2.2"),
    )
}
"""What a jar has of others inside, renamed: group, name and version."""
_REQUIRED = re.compile(r"^(?:require )?\s*(\S+) (v\S+)(?: // indirect)?$", re.MULTILINE)
_REPLACED = re.compile(r"^(?:replace )?\s*(\S+)(?: v\S+)? => (\S+) (v\S+)$", re.MULTILINE)
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
    architecture: str | None = None,
) -> str:
    """The list of one image; `archive` is the image, where it was built. Made now by default.

    `version` is the tag of a release; a cluster of our own has tags of its own. Lists of two
    versions and of two architectures have different serial numbers.
    """
    root = Component(
        name=f"encbench/{image}",
        version=version or IMAGE_TAGS.get(image),
        type=ComponentType.CONTAINER,
        bom_ref=f"encbench/{image}",
    )
    return _written(root, components(image, archive), made, architecture)


def plugin(packages: Collection[str], made: datetime | None = None) -> str:
    """The list of `kubectl encbench` for krew, which has these Python packages in it."""
    root = Component(
        name="kubectl-encbench",
        version=__version__,
        type=ComponentType.APPLICATION,
        bom_ref="kubectl-encbench",
    )
    locked = _python(REPO / "operator" / "requirements.lock")
    found = [_own(), *(one for one in locked if one.name in packages)]
    return _written(root, found, made, None)


def _written(
    root: Component, found: Iterable[Component], made: datetime | None, architecture: str | None
) -> str:
    parts = {str(one.bom_ref.value): one for one in found}
    bom = Bom(components=parts.values())
    bom.metadata.component = root
    bom.metadata.timestamp = made or datetime.now(UTC)
    bom.register_dependency(root, parts.values())
    head = (root.name, str(root.version), str(architecture))
    bom.serial_number = uuid.uuid5(_SPACE, "\n".join([*head, *sorted(parts)]))
    return str(JsonV1Dot6(bom).output_as_string(indent=1))


def components(image: str, archive: Path | None = None) -> Iterator[Component]:
    """Everything that is known to be in it."""
    folder = IMAGES / image
    if image in RECIPES and RECIPES[image].ours:
        yield _own()
    if archive:
        yield from sbom_built.components(archive, go=image in GO_MODULES)
    else:
        yield from _asked(image, (folder / "Containerfile").read_text())
    if image == "operator":
        yield from _python(REPO / "operator" / "requirements.lock")
    for lock in folder.glob("Cargo.lock"):
        yield from _rust(lock)
    for digests in folder.glob("*.sha256"):
        yield from _maven(digests)


def _asked(image: str, containerfile: str) -> Iterator[Component]:
    """What will be in an image that was not built, as far as files say so."""
    yield from _debian(containerfile)
    if image in GO_MODULES:
        yield sbom_built.golang("stdlib", None)
        if module := GO_MODULES[image]:
            yield from _go(REPO / "tests" / "cluster" / "tools" / module / "go.mod")
    if image in PARTS and PARTS[image].static:
        yield sbom_built.glibc(None)


def _own() -> Component:
    return component(PackageURL("generic", name="encbench", version=__version__))


def _python(lock: Path) -> Iterator[Component]:
    for name, version in _LOCKED.findall(lock.read_text()):
        yield component(PackageURL("pypi", name=name.lower(), version=version))


def _rust(lock: Path) -> Iterator[Component]:
    for package in tomllib.loads(lock.read_text())["package"]:
        if "source" in package:
            purl = PackageURL("cargo", name=package["name"], version=package["version"])
            yield component(purl, package["checksum"])


def _go(go_mod: Path) -> Iterator[Component]:
    text = go_mod.read_text()
    instead = {module: other for module, *other in _REPLACED.findall(text)}
    for module, version in _REQUIRED.findall(text):
        yield sbom_built.golang(*instead.get(module, (module, version)))


def _maven(digests: Path) -> Iterator[Component]:
    for line in digests.read_text().splitlines():
        digest, path = line.split()
        *group, name, version, _ = path.split("/")
        yield component(PackageURL("maven", ".".join(group), name, version), digest)
        for part in SHADED.get(f"{'.'.join(group)}/{name}", ()):
            yield component(PackageURL("maven", *part))


def _debian(containerfile: str) -> Iterator[Component]:
    final = containerfile.rpartition("\nFROM ")[2]
    for line in _ASKED.findall(final):
        for word in line.split():
            name = word.strip("'").partition("=")[0]
            yield component(PackageURL("deb", "debian", name))


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
        target.write_text(document(image, archive, architecture=native()) + "\n")
        has_debian = any(base in (IMAGES / image / "Containerfile").read_text() for base in _BASES)
        note = "" if archive or not has_debian else ", without versions of Debian's packages"
        print(f"{target}{note}")


_BASES = (BASE_IMAGES[DEBIAN_SUITE], *BASE_IMAGES.values())

if __name__ == "__main__":
    main(Path(sys.argv[1]))

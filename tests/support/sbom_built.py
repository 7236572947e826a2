"""What a built image says of itself: its files as components of a bill of material.

These are Debian's packages with the release that they are of, the modules that Go's programs were
compiled from, a C library that a program was linked with statically, and the libraries in C that
Python's wheels bring along. A scanner finds Debian's vulnerabilities by the release and by the
names of the source packages, so each package has both.
"""

import hashlib
import json
import re
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from email.parser import HeaderParser
from pathlib import Path
from tempfile import NamedTemporaryFile

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.component import Component, ComponentType
from packageurl import PackageURL

_STATUS = "var/lib/dpkg/status"
_RELEASE = "usr/lib/os-release"
_PROGRAM = re.compile(r"(?:usr/local/bin/)?[^/]+")
_BUNDLED = re.compile(r".+/site-packages/[^/]+\.libs/[^/]+")
_GLIBC = re.compile(rb"GNU C Library \(Debian GLIBC ([^)]+)\)")
_SOURCE = re.compile(r"(\S+)(?: \((\S+)\))?")


def components(archive: Path, *, go: bool) -> Iterator[Component]:
    """What the archive of an image shows; with `go` its programs are asked for their modules."""
    found = _files(archive)
    distribution = None
    if _RELEASE in found:
        system = _operating_system(found[_RELEASE].decode())
        distribution = f"{system.name}-{system.version}"
        yield system
    yield from _debian(found.get(_STATUS, b"").decode(), distribution)
    for path, content in found.items():
        if _BUNDLED.fullmatch(path):
            yield _file(path, content)
        elif content.startswith(b"\x7fELF"):
            yield from _glibc(content)
            if go:
                yield from _go(content)


def component(purl: PackageURL, digest: str | None = None) -> Component:
    """A library by its package URL; `digest` is the SHA-256 of its file."""
    return Component(
        name=purl.name,
        group=purl.namespace,
        version=purl.version,
        type=ComponentType.LIBRARY,
        purl=purl,
        bom_ref=str(purl),
        hashes=_sha256(digest) if digest else [],
    )


def golang(module: str, version: str | None) -> Component:
    """A module of Go, or its standard library, `stdlib`."""
    namespace, _, name = module.rpartition("/")
    return component(PackageURL("golang", namespace or None, name, version))


def glibc(version: str | None) -> Component:
    """Debian's C library as a part of a program; its source package has another name."""
    of = re.search(r"deb(\d+)", version or "")
    more = {"upstream": "glibc"} | ({"distro": f"debian-{of[1]}"} if of else {})
    return component(PackageURL("deb", "debian", "libc6-dev", version, more))


def _files(archive: Path) -> Mapping[str, bytes]:
    """The files that are read, by path, each of the last layer that has it."""
    found: dict[str, bytes] = {}
    with tarfile.open(archive) as image:
        index = image.extractfile("manifest.json")
        assert index is not None
        for layer in json.load(index)[0]["Layers"]:
            with tarfile.open(fileobj=image.extractfile(layer)) as files:
                for entry in files:
                    path = entry.name.removeprefix("./")
                    if entry.isreg() and _is_read(path):
                        content = files.extractfile(entry)
                        assert content is not None
                        found[path] = content.read()
    return found


def _is_read(path: str) -> bool:
    known = path in (_STATUS, _RELEASE)
    return known or any(one.fullmatch(path) for one in (_PROGRAM, _BUNDLED))


def _operating_system(release: str) -> Component:
    """Its name and version, as `os-release` writes them."""
    fields = dict(line.split("=", 1) for line in release.splitlines() if "=" in line)
    name = fields["ID"].strip('"')
    # Sid has no number, and Debian's list of vulnerabilities calls it unstable.
    version = fields.get("VERSION_ID", "unstable").strip('"')
    return Component(
        name=name,
        version=version,
        type=ComponentType.OPERATING_SYSTEM,
        bom_ref=f"operating-system/{name}-{version}",
    )


def _debian(status: str, distribution: str | None) -> Iterator[Component]:
    for entry in filter(None, status.split("\n\n")):
        package = HeaderParser().parsestr(entry)
        if "installed" not in str(package["Status"]).split():
            continue
        more = {"arch": str(package["Architecture"])}
        if distribution:
            more["distro"] = distribution
        if source := _SOURCE.fullmatch(package["Source"] or ""):
            more["upstream"] = "@".join(filter(None, source.groups()))
        name, version = str(package["Package"]), str(package["Version"])
        yield component(PackageURL("deb", "debian", name, version, more))


def _go(program: bytes) -> Iterator[Component]:
    with NamedTemporaryFile() as file:
        file.write(program)
        file.flush()
        command = ["go", "version", "-m", file.name]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    yield from modules(said.stdout)


def modules(said: str) -> Iterator[Component]:
    """Go's standard library and the modules, as `go version -m` reads them from a program."""
    head, *lines = said.splitlines()
    yield golang("stdlib", head.rpartition(": go")[2])
    found: list[list[str]] = []
    for line in lines:
        kind, *module = line.strip().split("\t")
        if kind == "dep":
            found.append(module)
        elif kind == "=>":
            found[-1] = module
    for name, version, *_ in found:
        yield golang(name, version)


def _glibc(program: bytes) -> Iterator[Component]:
    """Only what is linked statically has the C library's own banner."""
    for version in _GLIBC.findall(program):
        yield glibc(version.decode())


def _file(path: str, content: bytes) -> Component:
    return Component(
        name=path,
        type=ComponentType.FILE,
        bom_ref=path,
        hashes=_sha256(hashlib.sha256(content).hexdigest()),
    )


def _sha256(digest: str) -> list[HashType]:
    return [HashType(alg=HashAlgorithm.SHA_256, content=digest)]

"""The images of a release, built for each architecture that this machine can build for.

Programs in Go are compiled for any architecture, those in Rust by Debian's cross compiler, and jars
run everywhere. Everything else is installed by programs of the architecture itself, which this
machine emulates or else leaves out.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from tests.cluster import binaries, images
from tests.cluster.architecture import native
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout

from . import cross, emulation
from .oci import opened

IMAGES: Final = (
    "confidential-proxy",
    "gocryptfs",
    "minio",
    "node-exporter",
    "operator",
    "postgresql",
    "prometheus",
    "sysbench",
    "tpcc",
    "turnstile",
)
"""Those that the chart names. MariaDB and MySQL are upstream's; the rest is of our test cluster."""

OWN: Final = ("confidential-proxy", "gocryptfs", "operator", "tpcc", "turnstile")
"""Those with programs of ours; their tag is the release's version. In the tags of the others it
follows the program's version, because their filters, extensions and Debian packages change too.
Under one name a node would run what it has of an earlier release, and a registry may refuse a
second image."""

# Where the build leaves the TPC-C client's jars, and where they are in the image.
_MADE: Final = "/src/tpcc/target/lib"
_JARS: Final = "opt/tpcc/lib"


@dataclass
class Built:
    """Archives by image and architecture, and why others are not there."""

    archives: dict[str, dict[str, Path]] = field(default_factory=dict)
    missing: list[dict[str, str]] = field(default_factory=list)


def build(
    layout: Layout,
    console: Console,
    architectures: Sequence[str],
    names: Sequence[str] = IMAGES,
    *,
    pull: bool,
) -> Built:
    """Images, those of this machine's own architecture first."""
    built = Built({name: {} for name in names})
    own = native()
    # Programs and jars for the others are compiled in its storage.
    images.prepare(layout, own)
    for architecture in sorted(architectures, key=lambda one: one != own):
        with ExitStack() as stack:
            reason = ""
            if architecture != own:
                reason = stack.enter_context(emulation.of(layout, console, architecture))
                images.prepare(layout, architecture)
            for name in names:
                gap = {"image": name, "architecture": architecture, "reason": reason}
                if reason and _runs_programs(layout, name):
                    built.missing.append(gap)
                    continue
                try:
                    archive = _image(layout, console, name, architecture, pull=pull)
                    built.archives[name][architecture] = archive
                except cross.NotCompiledError as error:
                    built.missing.append(gap | {"reason": str(error)})
    return built


def _runs_programs(layout: Layout, name: str) -> bool:
    """Whether programs of the architecture itself run while the image or its base is made."""
    text = (layout.repo / "images" / name / "Containerfile").read_text()
    return not text.rpartition("\nFROM ")[2].startswith("scratch\n")


def _image(layout: Layout, console: Console, name: str, architecture: str, *, pull: bool) -> Path:
    part = images.RECIPES[name].part
    made = _compiled(layout, console, part, architecture, pull=pull) if part else None
    with TemporaryDirectory(dir=layout.cache) as scratch:
        given: Mapping[str, Path] = {}
        if name == "tpcc" and architecture != native():
            # From the cache where the release has it too.
            own = _image(layout, console, name, native(), pull=pull)
            given = without_maven(layout, own, Path(scratch))
        return images.ensure(
            layout, console, name, made, pull=pull, architecture=architecture, given=given
        )


def _compiled(
    layout: Layout, console: Console, part: str, architecture: str, *, pull: bool
) -> Path:
    if architecture == native() or binaries.PARTS[part].crate is None:
        return binaries.ensure(layout, console, part, architecture)
    return cross.ensure(layout, console, part, architecture, pull=pull)


def without_maven(layout: Layout, own: Path, folder: Path) -> dict[str, Path]:
    """The context of the TPC-C image with the jars of this machine's own, which run on every other.

    Compiling them again under an emulator would take long, and Debian's Java is not made for one.
    """
    text = (layout.repo / "images/tpcc/Containerfile").read_text()
    last = text[text.rindex("\nFROM ") + 1 :]
    containerfile = folder / "Containerfile"
    containerfile.write_text(last.replace(f"COPY --from=build {_MADE} ", "COPY lib "))
    if containerfile.read_text() == last:
        raise ClusterError(f"the Containerfile of tpcc copies nothing from {_MADE}")
    return {"Containerfile": containerfile} | {
        f"lib/{file.name}": file for file in _jars(own, folder)
    }


def _jars(archive: Path, folder: Path) -> Iterator[Path]:
    """The jars of this machine's own image, which run on every other."""
    for layer in opened(archive):
        for entry in layer:
            path = PurePosixPath(entry.name.removeprefix("./"))
            if entry.isreg() and str(path.parent) == _JARS:
                content = layer.extractfile(entry)
                assert content is not None
                with (folder / path.name).open("wb") as file:
                    shutil.copyfileobj(content, file)
                yield folder / path.name

"""The Debian base images, one a suite, made with mmdebstrap where they cannot be pulled.

Each carries the name under which registries know it, so that the same Containerfiles build here
and, with an ordinary pull, anywhere else. Like the official slim image it leaves out documentation,
refuses to start services, and has Debian's security updates, for itself and for what is installed
on it.

``ENCBENCH_DEBIAN_SOURCES`` names a file of apt sources, such as a mirror's or a snapshot's, with
which the usual suite's image is made, and which it keeps.
"""

import io
import os
import tarfile
from pathlib import Path
from typing import Final

from . import cache, packages
from .architecture import folder, native
from .command import run_logged
from .console import ClusterError, Console
from .layout import Layout
from .versions import DEBIAN_SUITE, FOREIGN_PROGRAMS, KEYRING

_VARIABLE: Final = "ENCBENCH_DEBIAN_SOURCES"
_DROPPED: Final = ("doc", "info", "locale", "man")
_DPKG: Final = (
    *(f"path-exclude=/usr/share/{place}/*" for place in _DROPPED),
    "path-include=/usr/share/doc/*/copyright",
)
_APT: Final = (
    'Dir::Cache::pkgcache ""',
    'Dir::Cache::srcpkgcache ""',
    'APT::Install-Recommends "false"',
    'Acquire::Languages "none"',
    # A mirror may be days behind, and lists that carry a date end after a week. Their signature is
    # checked.
    'Acquire::Check-Valid-Until "false"',
)
# apt and dpkg keep their options in the image.
_OPTIONS: Final = (
    "--variant=minbase",
    "--format=tar",
    # Without Debian's keys it would take whichever the host trusts.
    f"--keyring={KEYRING}",
    # As on every Debian since bookworm, and without the 40 MB of Perl that convert an older one.
    "--hook-dir=/usr/share/mmdebstrap/hooks/maybe-merged-usr",
    *(f"--dpkgopt={option}" for option in _DPKG),
    *(f"--aptopt={option}" for option in _APT),
)
_POLICY: Final = b"#!/bin/sh\nexit 101\n"
_MANUALS: Final = tuple(f"man{section}" for section in range(1, 10))
CONTAINERFILE: Final = """\
FROM scratch
ADD rootfs.tar /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["bash"]
"""


def key(suite: str) -> str:
    """What the base image of that suite is made from."""
    sources = (Path(file).read_text(encoding="utf-8") for file in _sources(suite))
    parts = (CONTAINERFILE, _POLICY.decode(), *_MANUALS, *_OPTIONS, *sources)
    return cache.content_key(suite, *parts)


def context(layout: Layout, console: Console, suite: str, architecture: str = native()) -> Path:
    """A build context with the base's root file system, from the cache or mmdebstrap.

    Programs of the packages run in it, so this machine runs those of the architecture.
    """

    def bootstrap(made: Path) -> None:
        made.mkdir()
        root = made / "rootfs.tar"
        log = layout.build_logs / f"mmdebstrap-{suite}.log"
        if architecture != native():
            packages.ensure(layout, console, FOREIGN_PROGRAMS)
        with console.step("base image", f"mmdebstrap {suite} for {architecture}"):
            command = ["mmdebstrap", *_OPTIONS, f"--architectures={architecture}"]
            run_logged([*command, suite, str(root), *_sources(suite)], log, timeout=1800)
            _complete(root)
        (made / "Containerfile").write_text(CONTAINERFILE)

    return cache.entry(layout, folder("base", architecture), suite, key(suite), bootstrap)


def _sources(suite: str) -> list[str]:
    """The file of apt sources that the environment names; mmdebstrap has its own without one."""
    file = os.environ.get(_VARIABLE)
    if not file or suite != DEBIAN_SUITE:
        return []
    if not Path(file).is_file():
        raise ClusterError(f"{_VARIABLE} is '{file}': name a file with apt sources")
    return [str(Path(file).resolve())]


def _complete(root: Path) -> None:
    """Add what keeps services from starting, and the folders that alternatives link manuals in.

    mmdebstrap removes a policy of its own at its end.
    """
    policy = tarfile.TarInfo("./usr/sbin/policy-rc.d")
    policy.mode, policy.size = 0o755, len(_POLICY)
    with tarfile.open(root, "a") as archive:
        archive.addfile(policy, io.BytesIO(_POLICY))
        for section in _MANUALS:
            directory = tarfile.TarInfo(f"./usr/share/man/{section}")
            directory.type, directory.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(directory)

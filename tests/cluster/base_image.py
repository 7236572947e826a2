"""The Debian base images, one a suite, made with debootstrap where they cannot be pulled.

Each carries the name under which registries know it, so that the same Containerfiles build here
and, with an ordinary pull, anywhere else. Like the official slim image it leaves out documentation
and refuses to start services.
"""

import shutil
from pathlib import Path
from typing import Final

from . import cache
from .architecture import folder, native
from .command import run_logged
from .console import Console
from .layout import Layout
from .versions import KEYRING

_DROPPED: Final = ("usr/share/doc", "usr/share/info", "usr/share/locale", "usr/share/man")
_EMPTIED: Final = (*_DROPPED, "var/cache/apt", "var/lib/apt/lists", "var/log")
_SETTINGS: Final = {
    "etc/dpkg/dpkg.cfg.d/slim": "".join(f"path-exclude /{folder}/*\n" for folder in _DROPPED)
    + "path-include /usr/share/doc/*/copyright\n",
    "etc/apt/apt.conf.d/slim": 'Dir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n'
    'APT::Install-Recommends "false";\nAcquire::Languages "none";\n',
    "usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
}
CONTAINERFILE: Final = """\
FROM scratch
ADD rootfs.tar /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["bash"]
"""


def key(suite: str) -> str:
    """What the base image of that suite is made from."""
    settings = [text for item in sorted(_SETTINGS.items()) for text in item]
    return cache.content_key(suite, CONTAINERFILE, *_EMPTIED, *settings)


def context(layout: Layout, console: Console, suite: str, architecture: str = native()) -> Path:
    """A build context with the base's root file system, from the cache or debootstrap.

    Programs of the packages run in it, so this machine runs those of the architecture.
    """

    def bootstrap(made: Path) -> None:
        made.mkdir()
        root = made / "rootfs"
        log = layout.build_logs / f"debootstrap-{suite}.log"
        with console.step("base image", f"debootstrap {suite} for {architecture}"):
            # Without Debian's keys it would take any archive for Debian's.
            checked = ["--force-check-gpg", f"--keyring={KEYRING}"]
            command = ["debootstrap", "--variant=minbase", f"--arch={architecture}", *checked]
            run_logged([*command, suite, str(root)], log, timeout=1800)
            _slim(root)
            run_logged(
                ["tar", "-C", str(root), "--numeric-owner", "-cf", f"{made}/rootfs.tar", "."],
                log,
                timeout=300,
            )
            shutil.rmtree(root)
        (made / "Containerfile").write_text(CONTAINERFILE)

    return cache.entry(layout, folder("base", architecture), suite, key(suite), bootstrap)


def _slim(root: Path) -> None:
    """Delete documentation (licences stay), downloads and logs; their folders stay."""
    for place in _EMPTIED:
        for file in (root / place).rglob("*"):
            if not file.is_dir() and file.name != "copyright":
                file.unlink()
    for name, text in _SETTINGS.items():
        (root / name).write_text(text)
    (root / "usr/sbin/policy-rc.d").chmod(0o755)

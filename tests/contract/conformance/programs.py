"""Clients that this machine does not have: in Go and in Node, as their lock files say, and MySQL's.

The programs in Go and Node ask by lines of JSON; `clients.program` speaks to them.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.cluster import cache
from tests.cluster.command import capture
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.support import debian, rootfs

_HERE = Path(__file__).parent
_GO, _NODE = _HERE / "go", _HERE / "node"
_CLIENT = ("mysql-client-core=9.7.*", "libedit2")
"""MySQL's clients, and the one library that its server's image does not have."""


def go() -> Path:
    """The program in Go. Its modules' digests are in go.sum."""
    version = capture(["go", "-C", str(_GO), "env", "GOVERSION"], timeout=300)
    key = cache.content_key(cache.files_key(_GO, _files(_GO)), version)

    def build(made: Path) -> None:
        command = ["go", "build", "-trimpath", "-mod=readonly", "-o", str(made), "."]
        subprocess.run(command, cwd=_GO, check=True)

    return _entry("bin", "conformance-go", key, build)


def node() -> Path:
    """A folder with the program in Node. Its packages' digests are in package-lock.json."""
    debian.install("nodejs", "npm")
    key = cache.files_key(_NODE, _files(_NODE))

    def install(made: Path) -> None:
        shutil.copytree(_NODE, made, ignore=shutil.ignore_patterns("node_modules"))
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(command, cwd=made, check=True, stdout=subprocess.DEVNULL)

    return _entry("node", "conformance", key, install)


def mysql() -> Path:
    """A folder with MySQL's own command-line clients, to be run in the server's root file system.

    Debian's stable release has none, and the image of the server has no client.
    """
    root = rootfs.of_image("mysql")
    keyring = root / "usr/share/keyrings/debian-archive-keyring.pgp"

    def extract(made: Path) -> None:
        made.mkdir()
        debian.extract_from("sid", keyring, made, *_CLIENT)

    return _entry("debian", "mysql-client", cache.content_key(root.name, *_CLIENT), extract)


def _entry(kind: str, name: str, key: str, make: Callable[[Path], None]) -> Path:
    return cache.shared(Layout.from_environment(), Console(), kind, name, key, make)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()]

"""Java and Maven on this machine, and what they make of our Java parts for the tests."""

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.cluster import cache
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.support import debian


def install() -> None:
    """Have the compiler and Maven."""
    debian.install("openjdk-17-jdk-headless", "maven")


def maven(folder: Path, *words: str) -> None:
    """Run Maven in a folder."""
    subprocess.run(["mvn", "--quiet", "--batch-mode", *words], cwd=folder, check=True)


def sources(*folders: Path) -> list[Path]:
    """The files in these folders, but for what was made of them."""
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in found if "target" not in path.parts)


def built(name: str, root: Path, files: Sequence[Path], make: Callable[[Path, Path], None]) -> Path:
    """A folder of the cache with what was made of these files, made now unless it is there.

    `make` gets a copy of the files, as they lie below `root`, and the folder that it is to make.
    """
    install()
    layout, key = Layout.from_environment(), cache.files_key(root, files)

    def make_from_copy(made: Path) -> None:
        copy = made.parent / "copy"
        for path in files:
            target = copy / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        make(copy, made)

    return cache.shared(layout, Console(), "tpcc", name, key, make_from_copy)

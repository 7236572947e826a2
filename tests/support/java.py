"""Java and Maven on this machine, and what they make of our Java parts for the tests."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support import debian

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "encbench" / "tpcc"


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
    CACHE.mkdir(parents=True, exist_ok=True)
    place = CACHE / f"{name}-{_digest(root, files)}"
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=CACHE) as folder:
                copy, made = Path(folder) / "copy", Path(folder) / "made"
                for path in files:
                    target = copy / path.relative_to(root)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, target)
                make(copy, made)
                made.rename(place)
    return place


def _digest(root: Path, files: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for path in files:
        whole.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return whole.hexdigest()[:16]

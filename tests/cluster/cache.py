"""A cache whose entries are named by what they were made from and appear all at once.

An entry is a file or a directory ``<kind>/<name>-<key>``. It is made under a temporary name and
renamed when complete, so an entry that exists is whole. Older entries of the same name go away when
a new one is published.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from . import lock
from .console import Console
from .layout import Layout

_TEMPORARY = ".making-"


def content_key(*parts: str | bytes) -> str:
    """A short hash of the parts; the boundaries between them count."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(raw)}:".encode())
        digest.update(raw)
    return digest.hexdigest()[:16]


def files_key(root: Path, files: Iterable[Path]) -> str:
    """A hash of files' names below ``root``, their contents and whether they are executable."""
    parts: list[str | bytes] = []
    for file in sorted(files):
        mode = "x" if os.access(file, os.X_OK) else "-"
        parts += [str(file.relative_to(root)), mode, file.read_bytes()]
    return content_key(*parts)


def place(layout: Layout, kind: str, name: str, key: str) -> Path:
    """Where an entry is once it is made."""
    return layout.cache / kind / f"{name}-{key}"


def entry(layout: Layout, kind: str, name: str, key: str, make: Callable[[Path], None]) -> Path:
    """The cached entry, made by ``make(path)`` if it is not there yet."""
    final = place(layout, kind, name, key)
    if final.exists():
        return final
    folder = final.parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=folder) as scratch:
        made = Path(scratch) / "entry"
        make(made)
        _sync(made)
        made.rename(final)
    for other in folder.glob(f"{name}-*"):
        if other != final and len(other.name) == len(final.name):
            remove(other)
    return final


def shared(
    layout: Layout, console: Console, kind: str, name: str, key: str, make: Callable[[Path], None]
) -> Path:
    """The same for who does not hold the lock: it is taken only to make the entry."""
    found = place(layout, kind, name, key)
    if found.exists():
        return found
    with exclusive(layout, console):
        return entry(layout, kind, name, key, make)


def remove(path: Path) -> None:
    """Remove a file or a whole directory, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def size(path: Path) -> int:
    """The bytes that a directory's files occupy; a missing directory occupies none."""
    return sum(
        512 * (Path(folder) / file).lstat().st_blocks
        for folder, _, files in os.walk(path)
        for file in files
    )


def drop_unfinished(layout: Layout) -> None:
    """Remove what a killed run was making. Call only while holding the lock."""
    for left in layout.cache.glob(f"*/{_TEMPORARY}*"):
        remove(left)


def _sync(made: Path) -> None:
    """Flush an entry to disk, so that its name never outlives its content after a power cut."""
    for file in [made] if made.is_file() else [f for f in made.rglob("*") if f.is_file()]:
        with file.open("rb") as handle:
            os.fsync(handle.fileno())


@contextmanager
def exclusive(layout: Layout, console: Console, timeout: float = 1800) -> Iterator[None]:
    """Hold the lock of this cache."""
    layout.cache.mkdir(parents=True, exist_ok=True)
    with layout.lock.open("a") as handle:
        lock.take(handle.fileno(), str(layout.lock), console, timeout)
        yield

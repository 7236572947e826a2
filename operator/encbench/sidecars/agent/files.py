"""Searching files for a marker, a bounded chunk at a time.

Chunks overlap by one byte less than the marker's length, so that no occurrence falls between two. A
full search tells the kernel to forget each chunk: the server's files are not to fill the page cache
with what only the proof wanted to see.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

CHUNK = 1 << 20

Stop = Callable[[], None]
"""Called before each chunk; ends the search by raising."""


@dataclass(frozen=True)
class Searched:
    """One file that was read to its end."""

    path: Path
    size: int
    found: bool


def search_file(path: Path, marker: bytes, stop: Stop, *, forget: bool) -> Searched:
    """Read the whole file, beyond the first hit too: its size says how much was seen.

    OSError when it cannot be read.
    """
    keep = len(marker) - 1
    buffer = bytearray(keep + CHUNK)
    view = memoryview(buffer)
    size, filled, found = 0, 0, False
    with path.open("rb", buffering=0) as file:
        while True:
            stop()
            count = file.readinto(view[filled : filled + CHUNK])
            if not count:
                break
            end = filled + count
            found = found or buffer.find(marker, 0, end) >= 0
            if forget:
                os.posix_fadvise(file.fileno(), size, count, os.POSIX_FADV_DONTNEED)
            size += count
            filled = min(keep, end)
            view[:filled] = view[end - filled : end]
    return Searched(path, size, found)


def search_tree(root: Path, marker: bytes, stop: Stop) -> Iterator[Searched]:
    """Every regular file under the root, in order of path; one that goes away is left out."""
    for path in sorted(_regular_files(root)):
        try:
            yield search_file(path, marker, stop, forget=True)
        except FileNotFoundError:
            continue


def _regular_files(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            try:
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path
            except FileNotFoundError:
                continue

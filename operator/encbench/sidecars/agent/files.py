"""Searching files for a marker, a bounded chunk at a time.

Chunks overlap by one byte less than the marker's length, so that no occurrence falls between two. A
full search drops each chunk from the page cache, because the proof must not fill it.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from encbench.engines.layout import GOLDEN
from encbench.sidecars.naming import naming
from encbench.sidecars.walk import regular_files

CHUNK = 1 << 20

Stop = Callable[[], None]
"""Called before each chunk; ends the search by raising."""


@dataclass(frozen=True)
class Searched:
    """One file that was read to its end."""

    path: Path
    size: int
    found: bool
    """The marker is in it."""
    echoed: bool = False
    """The marker's echo is in it; see `probe.EngineProbe.echo`."""


def search_file(
    path: Path, marker: bytes, stop: Stop, *, forget: bool, echo: bytes = b""
) -> Searched:
    """Read the whole file, even after a hit, because its size says how much was searched.

    The echo is empty or as long as the marker. OSError when the file cannot be read.
    """
    keep = len(marker) - 1
    buffer = bytearray(keep + CHUNK)
    view = memoryview(buffer)
    size, filled, found, echoed = 0, 0, False, False
    with naming(path), path.open("rb", buffering=0) as file:
        while True:
            stop()
            count = file.readinto(view[filled : filled + CHUNK])
            if not count:
                break
            end = filled + count
            found = found or buffer.find(marker, 0, end) >= 0
            echoed = echoed or (bool(echo) and buffer.find(echo, 0, end) >= 0)
            if forget:
                os.posix_fadvise(file.fileno(), size, count, os.POSIX_FADV_DONTNEED)
            size += count
            filled = min(keep, end)
            view[:filled] = view[end - filled : end]
    return Searched(path, size, found, echoed)


def search_tree(root: Path, marker: bytes, stop: Stop, *, echo: bytes = b"") -> Iterator[Searched]:
    """Search every regular file under the root, in order of path; skip files that disappear.

    The golden copy at the top is skipped.
    """
    for path in sorted(path for path, _ in regular_files(root, without=GOLDEN)):
        with suppress(FileNotFoundError):
            yield search_file(path, marker, stop, forget=True, echo=echo)

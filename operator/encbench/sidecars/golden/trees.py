"""Copying trees of files: plain bytes with their holes, synced to disk, not left in the cache."""

import errno
import os
import shutil
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from encbench.sidecars.naming import naming
from encbench.sidecars.walk import regular_files

CHUNK = 4 << 20


class Amount(NamedTuple):
    """Number and total length of regular files."""

    files: int = 0
    size_bytes: int = 0


def measure(tree: Path) -> Amount:
    """The files under a folder; nothing if there is no folder."""
    sizes = [status.st_size for _, status in regular_files(tree)]
    return Amount(len(sizes), sum(sizes))


def copy_tree(source: Path, target: Path) -> None:
    """Copy folders, regular files and symbolic links; `target` must not exist.

    Sockets and pipes are skipped, because they belong to processes. OSError when reading or writing
    fails.
    """
    target.mkdir()
    with os.scandir(source) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        place = target / entry.name
        if entry.is_symlink():
            place.symlink_to(os.readlink(entry.path))  # noqa: PTH115 the text as it stands
        elif entry.is_dir():
            copy_tree(Path(entry.path), place)
        elif entry.is_file():
            copy_file(Path(entry.path), place)
    shutil.copystat(source, target)
    sync_folder(target)


def copy_file(source: Path, target: Path) -> None:
    """Copy one file."""
    with source.open("rb", buffering=0) as read, target.open("xb", buffering=0) as written:
        size = os.fstat(read.fileno()).st_size
        for start, end in _extents(read, size):
            _copy_range(read, written, start, end)
        with naming(target):
            os.ftruncate(written.fileno(), size)
            os.fsync(written.fileno())
        for file in (read, written):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    shutil.copystat(source, target)


def forget(tree: Path) -> None:
    """Drop these files from the page cache. Pages that are not on disk yet stay."""
    for path, _ in regular_files(tree):
        with path.open("rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def sync_folder(folder: Path) -> None:
    """Sync the names in it to disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with naming(folder):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _extents(file: FileIO, size: int) -> Iterator[tuple[int, int]]:
    """The ranges that hold data; the rest is holes, which read as zeros."""
    at = 0
    while at < size:
        with naming(Path(file.name)):
            try:
                start = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nothing but a hole up to the end
                    return
                raise
            at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
        yield start, at


def _copy_range(source: FileIO, target: FileIO, start: int, end: int) -> None:
    at = start
    while at < end:
        with naming(Path(source.name)):
            chunk = os.pread(source.fileno(), min(CHUNK, end - at), at)
        if not chunk:
            return
        view = memoryview(chunk)
        while view:
            with naming(Path(target.name)):
                count = os.pwrite(target.fileno(), view, at)
            view, at = view[count:], at + count

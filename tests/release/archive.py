"""Archives that are equal whenever their files are: one order, one owner, one time."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol


class Sink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...


@contextmanager
def compressed(target: Sink) -> Iterator[gzip.GzipFile]:
    """Gzip that remembers neither a name nor a time."""
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=target, mtime=0) as stream:
        yield stream


def pack(target: Path, files: Mapping[str, Path | bytes], epoch: int) -> None:
    """A .tar.gz of these files: name in the archive → file or content.

    All belong to root; only whether root may execute a file is kept.
    """
    with (
        target.open("wb") as raw,
        compressed(raw) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, file in sorted(files.items()):
            content = file if isinstance(file, bytes) else file.read_bytes()
            executable = isinstance(file, Path) and file.stat().st_mode & 0o100
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(content), epoch, 0o755 if executable else 0o644
            tar.addfile(info, io.BytesIO(content))


def digest(file: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def below(folder: Path, prefix: str) -> dict[str, Path]:
    """All files of a folder, by their names in an archive."""
    return {
        f"{prefix}/{file.relative_to(folder)}": file for file in folder.rglob("*") if file.is_file()
    }

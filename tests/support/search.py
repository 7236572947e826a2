"""Our own look for text in a server's files, without the agent's search."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def files_with(root: Path, text: bytes) -> Iterator[Path]:
    """Every regular file under the root that has the text in it.

    A server that runs makes and drops files meanwhile: one that is gone has nothing in it.
    """
    for path in root.rglob("*"):
        with suppress(FileNotFoundError):
            if path.is_file() and not path.is_symlink() and text in path.read_bytes():
                yield path

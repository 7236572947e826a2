"""Walking a tree of files, and naming one that fails.

The agent imports this module alone, because copying needs more.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def regular_files(tree: Path, without: str = "") -> Iterator[tuple[Path, os.stat_result]]:
    """The regular files under a folder, except those in its subfolder `without`.

    A file that disappears meanwhile is left out.
    """
    for folder, inside, names in os.walk(tree):
        if without in inside and Path(folder) == tree:
            inside.remove(without)
        for path in (Path(folder, name) for name in names):
            with suppress(FileNotFoundError):
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    yield path, status


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in an OSError of its descriptor, as opening it does.

    Python knows no path for one that is already open, and a message without it helps no user.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise

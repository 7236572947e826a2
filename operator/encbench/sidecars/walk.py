"""Walking a tree of files. The agent imports this module alone, because copying needs more."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
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

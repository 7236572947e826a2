"""Walking a tree of files. The agent imports this module alone, because copying needs more."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

LOST_FOUND = "lost+found"


def regular_files(tree: Path, without: str = "") -> Iterator[tuple[Path, os.stat_result]]:
    """The regular files under a folder, except those in its subfolder `without`.

    A file or folder that disappears meanwhile is left out. OSError when a folder cannot be listed,
    because no caller may take a part of the files for all of them.
    """

    def fail(error: OSError) -> None:
        # A file system makes it for root alone, so no server has written there.
        is_roots = isinstance(error, PermissionError) and error.filename == str(tree / LOST_FOUND)
        if not (is_roots or isinstance(error, FileNotFoundError)):
            raise error

    for folder, inside, names in os.walk(tree, onerror=fail):
        if without in inside and Path(folder) == tree:
            inside.remove(without)
        for path in (Path(folder, name) for name in names):
            with suppress(FileNotFoundError):
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    yield path, status

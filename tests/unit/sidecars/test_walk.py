"""Walking a tree: what is left out, and what ends it."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from encbench.sidecars.agent.files import search_tree
from encbench.sidecars.golden.trees import measure
from encbench.sidecars.walk import regular_files

Break = Callable[[Path, int], None]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("data/sbtest", "lost+found"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").touch()
    return tmp_path


@pytest.fixture
def break_folder(monkeypatch: pytest.MonkeyPatch) -> Break:
    """Makes a folder fail when it is listed; root could list any."""
    real = os.scandir

    def broken(folder: Path, code: int) -> None:
        def scandir(path: Any) -> Any:
            if Path(path) == folder:
                raise OSError(code, os.strerror(code), os.fspath(path))
            return real(path)

        monkeypatch.setattr(os, "scandir", scandir)

    return broken


def names(tree: Path) -> list[str]:
    return sorted(path.relative_to(tree).as_posix() for path, _ in regular_files(tree))


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOTCONN, errno.ESTALE, errno.EACCES])
def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(
    tree: Path, break_folder: Break, code: int
) -> None:
    break_folder(tree / "data" / "sbtest", code)
    with pytest.raises(OSError, match=r"data/sbtest") as error:
        list(search_tree(tree, b"marker", lambda: None))
    assert error.value.errno == code
    with pytest.raises(OSError, match=r"data/sbtest"):
        measure(tree)


def test_a_folder_that_goes_away_is_left_out(tree: Path, break_folder: Break) -> None:
    break_folder(tree / "data" / "sbtest", errno.ENOENT)
    assert names(tree) == ["lost+found/file"]
    assert names(tree / "none") == []


def test_a_file_systems_own_folder_may_be_roots_alone(tree: Path, break_folder: Break) -> None:
    assert names(tree) == ["data/sbtest/file", "lost+found/file"]
    break_folder(tree / "lost+found", errno.EACCES)
    assert names(tree) == ["data/sbtest/file"]


def test_no_other_error_of_that_folder_is_passed_over(tree: Path, break_folder: Break) -> None:
    break_folder(tree / "lost+found", errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        names(tree)
    (tree / "data" / "lost+found").mkdir()
    break_folder(tree / "data" / "lost+found", errno.EACCES)
    with pytest.raises(PermissionError):
        names(tree)

"""The search for a marker: chunk borders, trees that change, an end on demand."""

from pathlib import Path

import pytest

from encbench.sidecars.agent.files import CHUNK, Searched, search_file, search_tree

MARKER = b"encbench-marker-0123456789abcdef"


def never() -> None:
    """Do not stop the search."""


@pytest.mark.parametrize(
    "offset",
    [
        0,
        1,
        CHUNK - len(MARKER),
        CHUNK - len(MARKER) + 1,
        CHUNK - 1,
        CHUNK,
        2 * CHUNK - 5,
        3 * CHUNK,
    ],
)
@pytest.mark.parametrize("forget", [False, True])
def test_a_marker_is_found_wherever_it_lies(tmp_path: Path, offset: int, forget: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\0" * offset + MARKER + b"\0" * 100)
    searched = search_file(path, MARKER, never, forget=forget)
    assert searched.found
    assert searched.size == offset + len(MARKER) + 100


@pytest.mark.parametrize("size", [0, 1, len(MARKER) - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 7])
def test_nothing_is_found_where_nothing_is(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    path.write_bytes((MARKER[:-1] * (size // 31 + 1))[:size])
    searched = search_file(path, MARKER, never, forget=False)
    assert not searched.found
    assert searched.size == size


def test_a_marker_in_two_halves_of_different_chunks_is_no_marker(tmp_path: Path) -> None:
    """The overlap must hold what stood before, not what an earlier chunk left in the buffer."""
    path = tmp_path / "file"
    path.write_bytes(MARKER[:16] + b"\0" * (CHUNK - 16) + MARKER[16:] + b"\0" * CHUNK)
    assert not search_file(path, MARKER, never, forget=False).found


def test_a_tree_in_order_without_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "hit").write_bytes(b"x" + MARKER)
    (tmp_path / "a").write_bytes(b"y")
    (tmp_path / "link").symlink_to(tmp_path / "b" / "hit")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    found = [(f.path.relative_to(tmp_path).as_posix(), f.found) for f in _tree(tmp_path)]
    assert found == [("a", False), ("b/hit", True)]


def test_a_file_that_goes_away_is_left_out(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_bytes(b"x")
    search = search_tree(tmp_path, MARKER, never)
    first = next(search)
    (tmp_path / "b").unlink()
    assert [first.path.name, *(f.path.name for f in search)] == ["a", "c"]


def test_the_search_ends_when_it_is_told_to(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")

    def stop() -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        list(search_tree(tmp_path, MARKER, stop))


def _tree(root: Path) -> list[Searched]:
    return list(search_tree(root, MARKER, never))

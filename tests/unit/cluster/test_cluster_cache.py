"""The cache: entries appear whole, once, and replace their predecessors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster import binaries, cache
from tests.cluster.layout import Layout


def test_an_entry_is_made_once(layout: Layout) -> None:
    made: list[Path] = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_text("content")

    first = cache.entry(layout, "bin", "tool", "a" * 16, make)
    second = cache.entry(layout, "bin", "tool", "a" * 16, make)

    assert first == second
    assert first.read_text() == "content"
    assert len(made) == 1


def test_a_failed_attempt_leaves_nothing(layout: Layout) -> None:
    def fail(path: Path) -> None:
        path.write_text("half")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        cache.entry(layout, "bin", "tool", "a" * 16, fail)

    assert list((layout.cache / "bin").iterdir()) == []


def test_what_a_killed_run_was_making_is_dropped(layout: Layout) -> None:
    left = layout.cache / "images" / ".making-xyz" / "context"
    left.mkdir(parents=True)

    cache.drop_unfinished(layout)

    assert list((layout.cache / "images").iterdir()) == []


def test_a_new_entry_replaces_older_ones_of_its_name_only(layout: Layout) -> None:
    def make(path: Path) -> None:
        path.touch()

    cache.entry(layout, "images", "node", "1" * 16, make)
    other = cache.entry(layout, "images", "node-exporter", "1" * 16, make)
    new = cache.entry(layout, "images", "node", "2" * 16, make)

    assert set((layout.cache / "images").iterdir()) == {other, new}


def test_versions_of_one_program_stay_side_by_side(layout: Layout) -> None:
    def make(path: Path) -> None:
        path.touch()

    names = ("kubernetes", "kubernetes-1.32", "kubernetes-1.37")
    made = {cache.entry(layout, "bin", name, "1" * 16, make) for name in names}

    assert set((layout.cache / "bin").iterdir()) == made


def test_keys_depend_on_where_parts_end() -> None:
    assert cache.content_key("ab", "c") != cache.content_key("a", "bc")
    assert cache.content_key("ab", b"c") == cache.content_key("ab", "c")


def test_a_files_key_covers_names_contents_and_modes(tmp_path: Path) -> None:
    file = tmp_path / "x"
    keys = set()
    file.write_text("1")
    keys.add(cache.files_key(tmp_path, [file]))
    file.write_text("2")
    keys.add(cache.files_key(tmp_path, [file]))
    file.chmod(0o755)
    keys.add(cache.files_key(tmp_path, [file]))
    keys.add(cache.files_key(tmp_path, [file.rename(tmp_path / "y")]))
    assert len(keys) == 4


def test_only_compiling_takes_the_lock(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    there = cache.place(layout, "bin", "vale", "a" * 16)
    locked: list[bool] = []

    @contextmanager
    def exclusive(*_: object) -> Iterator[None]:
        locked.append(there.exists())
        yield

    monkeypatch.setattr(cache, "exclusive", exclusive)
    monkeypatch.setattr(Layout, "from_environment", lambda: layout)
    monkeypatch.setattr(binaries, "_key", lambda *_: "a" * 16)
    monkeypatch.setattr(binaries, "ensure", lambda *_: there)

    there.mkdir(parents=True)
    assert binaries.compiled("vale") == there
    assert locked == []
    there.rmdir()
    assert binaries.compiled("vale") == there
    assert locked == [False]

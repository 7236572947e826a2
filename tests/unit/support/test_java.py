"""Where the tests keep what Maven has made of our Java parts."""

from pathlib import Path

import pytest

from tests.cluster import cache
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout
from tests.support import java


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    monkeypatch.setattr(java, "install", lambda: None)
    monkeypatch.setenv("ENCBENCH_CACHE", str(tmp_path / "cache"))
    return Layout.from_environment()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    found = tmp_path / "source" / "tpcc" / "Own.java"
    found.parent.mkdir(parents=True)
    found.write_text("class Own {}")
    return found


def compiled(copy: Path, made: Path) -> None:
    made.mkdir()
    (made / "Own.class").write_text((copy / "tpcc" / "Own.java").read_text())


def built(source: Path) -> Path:
    return java.built("tpcc", source.parents[1], [source], compiled)


def test_it_is_kept_in_the_cache_of_the_environment(layout: Layout, source: Path) -> None:
    made = built(source)
    assert made.parent == layout.cache / "tpcc"
    assert (made / "Own.class").read_text() == "class Own {}"
    # Nobody waits for who compiles something else.
    with cache.exclusive(layout, Console()):
        assert built(source) == made


def test_what_is_made_of_older_sources_goes(layout: Layout, source: Path) -> None:
    old = built(source)
    source.write_text("class Own { int field; }")
    made = built(source)
    assert made != old
    assert list(made.parent.iterdir()) == [made]


def test_what_a_killed_run_was_making_is_dropped(layout: Layout, source: Path) -> None:
    left: list[Path] = []

    def killed(copy: Path, made: Path) -> None:
        left.append(made.parent)
        with pytest.raises(ClusterError), cache.exclusive(layout, Console(), timeout=0):
            pass
        made.parent.rename(made.parent.with_suffix(".left"))
        raise InterruptedError

    with pytest.raises(InterruptedError):
        java.built("tpcc", source.parents[1], [source], killed)
    assert list((layout.cache / "tpcc").iterdir()) == [left[0].with_suffix(".left")]
    cache.drop_unfinished(layout)
    assert not list((layout.cache / "tpcc").iterdir())

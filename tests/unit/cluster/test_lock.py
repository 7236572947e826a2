"""Locks: one run after the other, on one cluster, whichever caches they use."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster import __main__ as command_line
from tests.cluster import cache, cleanup, lock, packages, preflight
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout

CONSOLE = Console()


def layout(place: Path) -> Layout:
    return Layout(repo=place / "repo", cache=place / "cache", state=place / "state")


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of this test's own in place of the machine's."""
    monkeypatch.setattr(lock, "MACHINE", tmp_path)
    return tmp_path


def test_one_run_holds_the_cluster_at_a_time(machine: Path) -> None:
    with (
        lock.machine(CONSOLE),
        pytest.raises(ClusterError, match="another run has held the cluster's lock for 0 s"),
        lock.machine(CONSOLE, timeout=0),
    ):
        pass
    with lock.machine(CONSOLE, timeout=0):
        assert list(machine.iterdir()) == [], "it leaves no file"


def test_caches_have_locks_of_their_own(tmp_path: Path) -> None:
    one, other = layout(tmp_path / "one"), layout(tmp_path / "other")
    with cache.exclusive(one, CONSOLE), cache.exclusive(other, CONSOLE, timeout=0):
        with pytest.raises(ClusterError), cache.exclusive(one, CONSOLE, timeout=0):
            pass
        with lock.machine(CONSOLE, timeout=0):
            pass


@pytest.mark.parametrize(
    ("words", "locks"), [(["down"], True), (["lose", "b"], True), (["build"], False)]
)
def test_what_changes_the_cluster_takes_its_lock(
    words: list[str], locks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Console] = []

    @contextmanager
    def taking(console: Console) -> Iterator[None]:
        taken.append(console)
        yield

    def ended(*_: object) -> None:
        raise ClusterError("the command has begun")

    monkeypatch.setattr(lock, "machine", taking)
    monkeypatch.setattr(Layout, "from_environment", lambda: layout(tmp_path))
    monkeypatch.setattr(preflight, "check_host", lambda: None)
    for module, name in ((cleanup, "down"), (cleanup, "lose"), (packages, "ensure")):
        monkeypatch.setattr(module, name, ended)
    monkeypatch.setattr(sys, "argv", ["tests.cluster", *words])
    assert command_line.main() == 1
    assert len(taken) == locks

"""What the package manager is asked for, and when it is asked again."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import packages
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout
from tests.support import debian, prometheus

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"
NO_NETWORK = "E: Failed to fetch http://deb.example.com/debian/dists/bookworm/InRelease"
NOT_FOUND = "E: Unable to locate package prometheus"


class Apt:
    """apt-get: what it was asked for, and what it says before it fails, for each such word."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.complaints: dict[str, list[str]] = {}

    def run(self, argv: Sequence[str], log: Path, *, cwd: Path | None, **_: Any) -> None:
        word = next(one for one in argv[1:] if not one.startswith("-"))
        self.asked.append(word)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as output:
            if complaints := self.complaints.get(word):
                print(complaints.pop(0), file=output)
                raise ClusterError("apt-get failed with exit code 100", log)
        if word == "download":
            assert cwd is not None
            (cwd / f"{argv[-1]}_1_all.deb").touch()


@pytest.fixture
def apt(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> Apt:
    made = Apt()
    monkeypatch.setattr(packages, "run_logged", made.run)
    monkeypatch.setattr(packages, "capture", lambda *_: "")
    monkeypatch.setattr(packages, "_POLICY", layout.cache / "policy-rc.d")
    monkeypatch.setattr(packages, "_PAUSE", 0)
    monkeypatch.setattr(Layout, "from_environment", lambda: layout)
    return made


@pytest.mark.parametrize("word", ["install", "download"])
def test_a_machine_without_lists_gets_them(
    word: str, layout: Layout, apt: Apt, tmp_path: Path
) -> None:
    apt.complaints[word] = [NOT_FOUND]
    if word == "install":
        packages.ensure(layout, Console(), {"prometheus": "/nowhere"})
    else:
        with packages.alone(layout):
            archive = packages.download(layout, "prometheus", tmp_path)
        assert archive == tmp_path / "prometheus_1_all.deb"
    assert apt.asked == [word, "update", word]


def test_who_updates_the_lists_meanwhile_is_waited_for(layout: Layout, apt: Apt) -> None:
    apt.complaints = {"install": [NOT_FOUND], "update": [LOCKED, LOCKED]}
    packages.ensure(layout, Console(), {"prometheus": "/nowhere"})
    assert apt.asked == ["install", *["update"] * 3, "install"]


def test_any_other_failure_is_final(layout: Layout, apt: Apt) -> None:
    apt.complaints = {"install": [NOT_FOUND], "update": [LOCKED, NO_NETWORK, LOCKED]}
    with pytest.raises(ClusterError, match="exit code 100"):
        packages.ensure(layout, Console(), {"prometheus": "/nowhere"})
    assert apt.asked == ["install", "update", "update"]


def test_nobody_is_waited_for_without_end(
    layout: Layout, apt: Apt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "_LOCK_SECONDS", 0)
    apt.complaints["update"] = [LOCKED, LOCKED]
    with packages.alone(layout), pytest.raises(ClusterError, match="exit code 100"):
        packages.update(layout)
    assert apt.asked == ["update"]


def test_what_tests_unpack_is_fetched_the_same_way(
    apt: Apt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine without lists, too."""
    unpacked: list[str] = []

    def unpack(argv: list[str], **_: Any) -> None:
        unpacked.append(Path(argv[2]).name)
        Path(argv[3], "usr", "bin").mkdir(parents=True)

    monkeypatch.setattr(subprocess, "run", unpack)
    for complaints in ([], [NOT_FOUND]):
        apt.complaints["download"] = complaints
        debian.extract("lua5.1", tmp_path / f"{len(complaints)}")
    prometheus._unpack(tmp_path / "made")
    assert apt.asked == [*["download"] * 2, "update", *["download"] * 2]
    assert unpacked == ["lua5.1_1_all.deb", "lua5.1_1_all.deb", "prometheus_1_all.deb"]

"""Who is in our control groups, while groups come and go."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import cgroups

SCANDIR = os.scandir


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree in place of the kernel's: a group, one inside it, and one inside that."""
    for number, name in enumerate(("encbench", "encbench/daemons", "encbench/daemons/etcd"), 1):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cgroup.procs").write_text(f"{number}\n")
    monkeypatch.setattr(cgroups, "_tracking_root", lambda: tmp_path)
    return tmp_path


@pytest.mark.usefixtures("root")
def test_members_are_those_of_groups_inside_too() -> None:
    assert cgroups.members() == {1, 2, 3}
    assert cgroups.members("encbench/daemons") == {2, 3}
    assert cgroups.members("encbench/kubepods") == set()


def test_a_group_that_goes_away_meanwhile_has_no_members(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = root / "encbench" / "daemons" / "etcd"

    def scandir(path: Any) -> Any:
        if Path(path) == gone:
            (gone / "cgroup.procs").unlink()
            gone.rmdir()
        return SCANDIR(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert cgroups.members() == {1, 2}


def test_what_a_killed_runc_left_frozen_is_thawed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "_freezer_root", lambda: root)
    states = {"encbench": "FREEZING", "encbench/daemons/etcd": "FROZEN", "encbench/daemons": None}
    for name, state in states.items():
        if state is not None:
            (root / name / "freezer.state").write_text(f"{state}\n")
    cgroups.thaw("encbench/daemons")
    assert (root / "encbench/daemons/etcd/freezer.state").read_text() == "THAWED"
    assert (root / "encbench/freezer.state").read_text() == "FREEZING\n", "not in the group"

"""What a run that was killed left is found without a record, and undone."""

import subprocess
import sys
from pathlib import Path
from signal import SIGSTOP

import pytest

from tests.chaos import disks, leftovers, network
from tests.chaos.evidence import pod_of
from tests.cluster.layout import Layout

UID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture(autouse=True)
def empty_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster of this machine may run beside; clients that take turns there stand still."""
    monkeypatch.setattr("tests.cluster.cgroups.members", lambda *_: set())


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path, tmp_path / "cache", tmp_path / "state")


def test_a_disk_that_was_filled_gets_its_room_back(layout: Layout) -> None:
    disk = disks.disks(layout)[0]
    disk.point.mkdir(parents=True)
    (disk.point / disks.FILLER).write_bytes(b"x")
    assert f"full disk {disk.name}" in leftovers.undo_on_machine(layout)
    assert not (disk.point / disks.FILLER).exists()
    assert leftovers.undo_on_machine(layout) == []


def test_a_process_that_stands_still_goes_on(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        monkeypatch.setattr("tests.cluster.cgroups.members", lambda *_: {process.pid})
        monkeypatch.setattr("tests.cluster.cgroups.is_member", lambda pid, _: pid == process.pid)
        process.send_signal(SIGSTOP)
        while leftovers.state(process.pid) != "T":
            pass
        assert leftovers.undo_on_machine(layout) == [f"stopped process {process.pid}"]
        process.communicate(b"\n", timeout=20)
    assert process.returncode == 0


def test_a_rule_is_told_from_others_and_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = f'-A INPUT ! -i lo -m comment --comment "{network.MARK}" -j DROP'
    said = {"iptables-save": f"*filter\n{ours}\n-A INPUT -j ACCEPT\n", "tc": ""}
    ran: list[tuple[str, ...]] = []

    def run(pid: int, *command: str) -> str:
        ran.append(command)
        return said.get(command[0], "")

    monkeypatch.setattr(network, "run", run)
    assert network.restore(1) == [ours]
    deleted = ("INPUT", "!", "-i", "lo", "-m", "comment", "--comment", network.MARK, "-j", "DROP")
    assert ("iptables", "--wait=5", "-D", *deleted) in ran


def test_a_narrow_link_is_made_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = "qdisc tbf 8001: dev eth0 root refcnt 2 rate 2Mbit\nqdisc noqueue 0: dev lo root\n"
    ran: list[tuple[str, ...]] = []

    def run(pid: int, *command: str) -> str:
        ran.append(command)
        return shown if command == ("tc", "qdisc", "show") else ""

    monkeypatch.setattr(network, "run", run)
    assert len(network.restore(1)) == 1
    assert ("tc", "qdisc", "del", "dev", "eth0", "root") in ran


@pytest.mark.parametrize(
    ("path", "pod"),
    [
        (f"/state/kubelet/pods/{UID}/volumes/kubernetes.io~secret/token", UID),
        (f"3:pids:/encbench/kubepods/burstable/pod{UID}/4b1f", UID),
        ("3:pids:/encbench/daemons/kubelet", None),
        ("/state/chaos/database-1", None),
    ],
)
def test_mounts_and_processes_are_told_to_be_a_pods(path: str, pod: str | None) -> None:
    assert pod_of(path) == pod

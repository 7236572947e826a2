"""Reading `/proc`."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from encbench.sidecars.proc import ProcessStat, parse_stat
from encbench.sidecars.recorder import process
from encbench.sidecars.recorder.process import ToolProcess, find, is_alive


def test_a_name_may_hold_brackets_and_blanks() -> None:
    text = b"7 (a) b (c) S 3 7 7 0 -1 4194560 1 2 3 4 150 25 9 8 20 0 1 0 100 4096 12 0\n"
    assert parse_stat(text) == ProcessStat(
        process_id=7,
        name=b"a) b (c",
        state=b"S",
        parent=3,
        own_ticks=175,
        ended_ticks=17,
        start_ticks=100,
        resident_pages=12,
    )


def test_own_usage() -> None:
    own = ToolProcess(os.getpid())
    before = own.usage()
    spent = time.process_time()
    while time.process_time() - spent < 0.2:
        pass
    after = own.usage()
    assert before is not None
    assert after is not None
    # The kernel counts in ticks, and a busy machine puts some of them down to the wrong process.
    assert after.cpu_seconds - before.cpu_seconds == pytest.approx(0.2, abs=0.08)
    assert after.monotonic > before.monotonic
    assert after.resident_bytes is not None
    assert after.memory_max_bytes is not None
    assert 2**20 < after.resident_bytes <= after.memory_max_bytes


def test_a_process_that_has_ended() -> None:
    child = subprocess.Popen(["sleep", "30"])
    watched = ToolProcess(child.pid)
    assert watched.usage() is not None
    assert is_alive(child.pid)
    child.kill()
    deadline = time.monotonic() + 5
    while is_alive(child.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(child.pid)  # its parent has not waited for it yet
    child.wait()
    assert watched.usage() is None
    with pytest.raises(OSError, match=str(child.pid)):
        ToolProcess(child.pid)


def test_only_a_descendant_is_found() -> None:
    ours = subprocess.Popen(["sh", "-c", "sleep 31 & wait"])
    try:
        deadline = time.monotonic() + 5
        while (found := find(ours.pid, "sleep")) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert found is not None
        assert find(os.getpid(), "sleep") == found
        assert find(found, "sleep") is None
        assert find(ours.pid, "sleeper") is None
    finally:
        if found:
            os.kill(found, 9)
        ours.wait()


@pytest.mark.parametrize(
    ("file", "content", "found"),
    [
        (
            "cpu.stat",
            "usage_usec 5\nnr_periods 7\nnr_throttled 3\nthrottled_usec 2500000\n",
            (2.5, 3, 7),
        ),
        ("cpu.stat", "usage_usec 5\nthrottled_usec 2500000\n", (2.5, None, None)),
        ("cpu/cpu.stat", "nr_periods 4\nnr_throttled 3\nthrottled_time 1500000000\n", (1.5, 3, 4)),
        ("cpu.stat", "usage_usec 5\nuser_usec 5\n", None),
        ("other", "", None),
    ],
)
def test_throttling(
    tmp_path: Path, file: str, content: str, found: tuple[float | None, ...] | None
) -> None:
    path = tmp_path / "sys/fs/cgroup" / file
    path.parent.mkdir(parents=True)
    path.write_text(content)
    counters = process._throttling(tmp_path)
    assert (counters.read() if counters else None) == found


def test_long_names_are_cut_as_the_kernel_cuts_them(tmp_path: Path) -> None:
    name = tmp_path / "a-rather-long-name"
    name.symlink_to(Path(sys.executable).resolve())
    child = subprocess.Popen([name, "-S", "-E", "-c", "import time; time.sleep(30)"])
    try:
        deadline = time.monotonic() + 5
        while find(os.getpid(), name.name) != child.pid and time.monotonic() < deadline:
            time.sleep(0.01)
        assert find(os.getpid(), name.name) == child.pid
    finally:
        child.kill()
        child.wait()

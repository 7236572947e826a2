"""Readings from a made-up `/proc`."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from encbench.sidecars.agent.process import CpuPeriods, ProcessReader, Reading, together
from encbench.sidecars.proc import CPU_STATS

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
BOOT = 1_700_000_000


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "stat").write_text(f"cpu 1 2 3\nbtime {BOOT}\nprocesses 9\n")
    (tmp_path / "self").mkdir()
    return tmp_path


def add(
    proc: Path,
    number: int,
    comm: str,
    *,
    cpu: tuple[int, int, int, int] = (0, 0, 0, 0),
    start: int = 100,
    pages: int = 0,
    shared: int = 0,
    state: str = "S",
    io: tuple[int, int] | None = None,
) -> None:
    folder = proc / str(number)
    folder.mkdir()
    fields = [state, *["0"] * 10, *map(str, cpu), *["0"] * 4, str(start), "0", str(pages), "0"]
    (folder / "stat").write_text(f"{number} ({comm}) {' '.join(fields)}\n")
    (folder / "statm").write_text(f"900 {pages} {shared} 1 0 90 0\n")
    if io is not None:
        (folder / "io").write_text(
            f"rchar: 1\nwchar: 2\nread_bytes: {io[0]}\nwrite_bytes: {io[1]}\n"
        )


def read(name: str, proc: Path) -> Reading | None:
    return ProcessReader(name, proc).read()


def test_one_server(proc: Path) -> None:
    add(proc, 7, "mariadbd", cpu=(150, 50, 0, 0), start=250, pages=3, io=(10, 20))
    add(proc, 8, "python3", cpu=(999, 0, 0, 0), start=1)
    reading = read("mariadbd", proc)
    assert reading is not None
    assert reading.process_id == 7
    assert reading.cpu_seconds == pytest.approx(200 / TICK)
    assert reading.started_at == pytest.approx(BOOT + 250 / TICK)
    assert reading.resident_bytes == 3 * PAGE
    assert (reading.read_bytes, reading.write_bytes) == (10, 20)


def test_many_processes_are_summed_with_those_that_ended(proc: Path) -> None:
    add(proc, 20, "postgres", cpu=(1, 2, 30, 40), start=100, pages=1, io=(1, 2))
    add(proc, 9, "postgres", cpu=(5, 5, 0, 0), start=300, pages=2, io=(3, 4))
    reading = read("postgres", proc)
    assert reading is not None
    assert reading.process_id == 20
    assert reading.cpu_seconds == pytest.approx(83 / TICK)
    assert reading.resident_bytes == 3 * PAGE
    assert (reading.read_bytes, reading.write_bytes) == (4, 6)


def test_what_processes_share_is_counted_once(proc: Path) -> None:
    add(proc, 20, "postgres", pages=100, shared=90)
    add(proc, 21, "postgres", start=200, pages=70, shared=65)
    add(proc, 22, "postgres", start=200, pages=95, shared=91)
    reading = read("postgres", proc)
    assert reading is not None
    assert reading.resident_bytes == (10 + 5 + 4 + 91) * PAGE


def test_a_child_that_nobody_has_waited_for_still_counts(proc: Path) -> None:
    add(proc, 20, "postgres", cpu=(1, 0, 0, 0))
    add(proc, 21, "postgres", cpu=(5, 0, 0, 0), start=200, state="Z")
    reading = read("postgres", proc)
    assert reading is not None
    assert reading.cpu_seconds == pytest.approx(6 / TICK)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Has something happen once in the middle of the next reading, after the parent was read."""
    listdir, waiting = os.listdir, list[Callable[[], None]]()

    def listed(path: str) -> list[str]:
        names = listdir(path)
        if waiting:
            waiting.pop()()
        return names

    monkeypatch.setattr(os, "listdir", listed)
    return waiting.append


def end(proc: Path, parent: int, child: int, *, ticks: int, io: tuple[int, int]) -> None:
    """The parent waits for its child, whose account becomes the parent's."""
    shutil.rmtree(proc / str(child))
    shutil.rmtree(proc / str(parent))
    add(proc, parent, "postgres", cpu=(10, 0, ticks, 0), io=io)


def test_a_child_that_ends_meanwhile_is_counted_once(
    proc: Path, meanwhile: Callable[[Callable[[], None]], None]
) -> None:
    add(proc, 20, "postgres", cpu=(10, 0, 0, 0), io=(0, 0))
    add(proc, 21, "postgres", cpu=(5, 0, 0, 0), start=200, io=(7, 8))
    reader = ProcessReader("postgres", proc)
    first = reader.read()
    meanwhile(lambda: end(proc, 20, 21, ticks=6, io=(9, 9)))
    second = reader.read()
    assert first is not None
    assert first.cpu_seconds == pytest.approx(15 / TICK)
    assert second is not None
    assert second.cpu_seconds == pytest.approx(16 / TICK)
    assert (second.read_bytes, second.write_bytes) == (9, 9)


def test_counters_do_not_fall_for_what_the_kernel_cannot_show(
    proc: Path, meanwhile: Callable[[Callable[[], None]], None]
) -> None:
    """A child of less than a tick leaves no trace in its parent's time, but in its I/O."""
    add(proc, 20, "postgres", cpu=(10, 0, 0, 0), io=(100, 100))
    add(proc, 21, "postgres", start=200, io=(7, 8))
    reader = ProcessReader("postgres", proc)
    first = reader.read()

    def ends() -> None:
        shutil.rmtree(proc / "21")

    meanwhile(ends)
    second = reader.read()
    assert first is not None
    assert second is not None
    assert (second.read_bytes, second.write_bytes) == (107, 108)


def test_a_clock_that_is_set_is_no_restart(proc: Path) -> None:
    add(proc, 20, "postgres", cpu=(90, 0, 0, 0))
    reader = ProcessReader("postgres", proc)
    first = reader.read()
    (proc / "stat").write_text(f"cpu 1 2 3\nbtime {BOOT + 1}\nprocesses 9\n")
    second = reader.read()
    assert first is not None
    assert second is not None
    assert second.started_at == first.started_at


def test_another_server_begins_anew(proc: Path) -> None:
    add(proc, 20, "postgres", cpu=(90, 0, 0, 0), start=100, io=(5, 5))
    reader = ProcessReader("postgres", proc)
    assert reader.read() is not None
    shutil.rmtree(proc / "20")
    assert reader.read() is None
    add(proc, 20, "postgres", cpu=(1, 0, 0, 0), start=900, io=(0, 0))
    again = reader.read()
    assert again is not None
    assert again.cpu_seconds == pytest.approx(1 / TICK)
    assert again.read_bytes == 0


def test_a_younger_process_with_a_lower_number_is_not_the_main_one(proc: Path) -> None:
    add(proc, 20, "postgres", start=100)
    reader = ProcessReader("postgres", proc)
    reader.read()
    add(proc, 9, "postgres", start=300)
    reading = reader.read()
    assert reading is not None
    assert reading.process_id == 20


def test_no_server(proc: Path) -> None:
    add(proc, 7, "mariadb")
    add(proc, 8, "mariadbd", state="Z")
    assert read("mariadbd", proc) is None


def test_counters_that_the_kernel_hides_are_none(proc: Path) -> None:
    add(proc, 7, "mariadbd", cpu=(1, 0, 0, 0))
    reading = read("mariadbd", proc)
    assert reading is not None
    assert reading.read_bytes is None
    assert reading.write_bytes is None


def test_odd_names(proc: Path) -> None:
    add(proc, 7, "a) R (b", cpu=(1, 0, 0, 0))
    add(proc, 8, "a-very-long-nam", cpu=(2, 0, 0, 0))
    (proc / "9").mkdir()
    odd, long = read("a) R (b", proc), read("a-very-long-name-indeed", proc)
    assert odd is not None
    assert odd.process_id == 7
    assert long is not None
    assert long.process_id == 8


@pytest.mark.parametrize("path", CPU_STATS)
def test_what_its_cpu_limit_held_up(proc: Path, path: str) -> None:
    add(proc, 7, "mariadbd")
    reading = read("mariadbd", proc)
    assert reading is not None and reading.periods is None
    stat = proc / "7/root" / path
    stat.parent.mkdir(parents=True)
    stat.write_text("usage_usec 1\n")  # of a container without a limit
    reading = read("mariadbd", proc)
    assert reading is not None and reading.periods is None
    stat.write_text("usage_usec 1\nnr_periods 200\nnr_throttled 31\nthrottled_usec 5\n")
    reading = read("mariadbd", proc)
    assert reading is not None and reading.periods == CpuPeriods(ran=200, throttled=31)


ROOT = "usage_usec 9\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n"
OWN = "usage_usec 9\nnr_periods 600\nnr_throttled 540\nthrottled_usec 5\n"


def periods(proc: Path, environ: bytes, group: str, own: str) -> CpuPeriods | None:
    """Of a privileged container that sees its node's groups, and with that group its own."""
    add(proc, 42, "gocryptfs")
    (proc / "42/environ").write_bytes(environ)
    tree = proc / "42/root/sys/fs/cgroup"
    for path, text in (("", ROOT), (group, own)):
        (tree / path).mkdir(parents=True, exist_ok=True)
        (tree / path / "cpu.stat").write_text(text)
    reading = ProcessReader("gocryptfs", proc, sees_node=True).read()
    assert reading is not None
    return reading.periods


def test_a_privileged_container_s_group_is_deep_in_the_tree_that_it_sees(proc: Path) -> None:
    group = "kubepods.slice/kubepods-pod1.slice/cri-containerd-abc.scope"
    environ = b"PATH=/bin\0ENCBENCH_CGROUP=/%s\0HOME=/\0" % group.encode()
    assert periods(proc, environ, group, OWN) == CpuPeriods(ran=600, throttled=540)


def test_a_runtime_may_give_it_a_view_of_its_own(proc: Path) -> None:
    found = periods(proc, b"ENCBENCH_CGROUP=/\0", "", OWN)
    assert found == CpuPeriods(ran=600, throttled=540)


def test_the_node_s_own_periods_are_not_taken_for_a_container_s(proc: Path) -> None:
    """As where the sidecar's image is an earlier one."""
    assert periods(proc, b"PATH=/bin\0", "", OWN) is None


def test_version_1_shows_each_container_its_own_group(proc: Path) -> None:
    """A hybrid has an empty tree of version 2 as well, in which the container has a group."""
    found = periods(proc, b"ENCBENCH_CGROUP=/system\0", "cpu,cpuacct", OWN)
    assert found == CpuPeriods(ran=600, throttled=540)


def test_beneath_a_server_only_the_file_system_reads_and_writes_the_disk(proc: Path) -> None:
    add(proc, 7, "mariadbd", cpu=(150, 50, 0, 0), pages=3, io=(1000, 2000))
    add(proc, 8, "gocryptfs", cpu=(30, 0, 0, 0), pages=9, io=(10, 20))
    server, beneath = read("mariadbd", proc), read("gocryptfs", proc)
    both = together(server, beneath)
    assert both is not None
    assert (both.process_id, both.resident_bytes) == (7, 3 * PAGE)
    assert both.cpu_seconds == pytest.approx(230 / TICK)
    assert (both.read_bytes, both.write_bytes) == (10, 20)
    assert together(server, None) is None, "figures without it would be others"

"""Readings from a made-up `/proc`."""

import os
from pathlib import Path

import pytest

from encbench.sidecars.agent.process import read

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
    state: str = "S",
    io: tuple[int, int] | None = None,
) -> None:
    folder = proc / str(number)
    folder.mkdir()
    fields = [state, *["0"] * 10, *map(str, cpu), *["0"] * 4, str(start), "0", str(pages), "0"]
    (folder / "stat").write_text(f"{number} ({comm}) {' '.join(fields)}\n")
    if io is not None:
        (folder / "io").write_text(
            f"rchar: 1\nwchar: 2\nread_bytes: {io[0]}\nwrite_bytes: {io[1]}\n"
        )


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

"""The exported CPU counter against a process whose consumption is known."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from encbench.sidecars.agent.metrics import metrics
from encbench.sidecars.agent.process import ProcessReader

BURN = """
import resource, sys, time

def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime

print(used(), flush=True)
sys.stdin.readline()
end = used() + {seconds}
while used() < end:
    goal = used() + 0.03
    while used() < goal:
        pass
    time.sleep(0.07)
print(used(), flush=True)
sys.stdin.readline()
"""
"""Burns up to 30 % of a core and says by its own account how much it has used."""


@pytest.fixture
def burner(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that bears the server's name."""
    program = tmp_path / "mariadbd"
    program.symlink_to(Path(sys.executable).resolve())
    process = subprocess.Popen(
        [str(program), "-I", "-S", "-c", BURN.format(seconds=1.5)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()


def test_the_counter_is_right_within_two_percent(
    burner: subprocess.Popen[str], tmp_path: Path
) -> None:
    proc = tmp_path / "proc"
    proc.mkdir()
    for name in ("stat", str(burner.pid)):
        (proc / name).symlink_to(Path("/proc", name))
    reader = ProcessReader("mariadbd", proc)
    assert burner.stdin is not None
    assert burner.stdout is not None

    used_before = float(burner.stdout.readline())
    counted_before = counter(reader)
    burner.stdin.write("go\n")
    burner.stdin.flush()
    used = float(burner.stdout.readline()) - used_before
    counted = counter(reader) - counted_before

    assert used > 1.0
    assert counted == pytest.approx(used, rel=0.02)


def test_a_process_that_has_ended_has_no_series(
    burner: subprocess.Popen[str], tmp_path: Path
) -> None:
    proc = tmp_path / "proc"
    proc.mkdir()
    for name in ("stat", str(burner.pid)):
        (proc / name).symlink_to(Path("/proc", name))
    reader = ProcessReader("mariadbd", proc)
    first = reader.read()
    assert first is not None
    assert abs(first.started_at - time.time()) < 30
    burner.kill()
    burner.wait()
    assert reader.read() is None
    assert not [one for one in metrics(reader.read) if one.name.startswith("encbench_database")]


def counter(reader: ProcessReader) -> float:
    values = {one.name: one.value for one in metrics(reader.read)}
    return values["encbench_database_cpu_seconds_total"]

"""The exported counters against processes whose consumption is known, as they come and go."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from encbench.sidecars.agent.metrics import metrics
from encbench.sidecars.agent.process import ProcessReader
from tests.support.postgres import Postgres

FAMILY = """
import os, resource, select, sys

def used(who):
    now = resource.getrusage(who)
    return now.ru_utime + now.ru_stime

def burn(seconds):
    goal = used(resource.RUSAGE_SELF) + seconds
    while used(resource.RUSAGE_SELF) < goal:
        pass

print("ready", flush=True)
sys.stdin.readline()
while not select.select([sys.stdin], [], [], 0.02)[0]:
    born = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            burn(0.004 * (number + 1))
            os._exit(0)
        born.append(child)
    burn(0.003)
    for child in born:
        os.waitpid(child, 0)
sys.stdin.readline()
print(used(resource.RUSAGE_SELF) + used(resource.RUSAGE_CHILDREN), flush=True)
sys.stdin.readline()
"""
"""A parent whose children live for some hundredths of a second, and its own account of them all.

It begins and ends when it is told.
"""


@pytest.fixture
def family(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """In a process namespace of its own, whose `/proc` a test reads."""
    program = tmp_path / "postgres"
    program.symlink_to(Path(sys.executable).resolve())
    process = subprocess.Popen(
        [
            *("setpriv", "--pdeathsig", "KILL"),
            *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
            *(str(program), "-I", "-S", "-c", FAMILY),
        ],
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


def test_the_counter_of_a_family_is_right_and_never_falls(family: "subprocess.Popen[str]") -> None:
    assert family.stdin is not None
    assert family.stdout is not None
    assert family.stdout.readline() == "ready\n"
    own = Path(f"/proc/{family.pid}/task/{family.pid}/children").read_text().split()[0]
    reader = ProcessReader("postgres", Path(f"/proc/{own}/root/proc"))
    first = reader.read()
    assert first is not None
    family.stdin.write("go\n")
    family.stdin.flush()
    readings = [first.cpu_seconds]
    ends = time.monotonic() + 60
    while len(readings) <= 200 or readings[-1] < 1.0:
        reading = reader.read()
        assert reading is not None
        readings.append(reading.cpu_seconds)
        assert time.monotonic() < ends
        time.sleep(0.005)
    family.stdin.write("end\n")
    family.stdin.flush()
    used = float(family.stdout.readline())
    last = reader.read()
    assert last is not None
    readings.append(last.cpu_seconds)
    # The kernel cuts each of four figures to a hundredth of a second.
    assert used - 0.05 < last.cpu_seconds < used + 0.01
    assert readings == sorted(readings)
    assert max(readings) == readings[-1]


def test_backends_that_ended_stay_in_the_counter(plaintext_server: Postgres) -> None:
    """Each statement has a connection, and so a process, of its own.

    The server's account of its time is what `log_executor_stats` writes, which is getrusage's.
    """
    reader = ProcessReader("postgres", plaintext_server.proc)
    before = cpu_seconds(reader)
    began = len(plaintext_server.said())
    work = "SELECT count(md5(n::text)) FROM generate_series(1, 400000) n"
    for _ in range(6):
        plaintext_server.admin(
            "SET log_executor_stats = on", "SET client_min_messages = warning", work
        )
    grown = cpu_seconds(reader) - before
    said = plaintext_server.said()[began:]
    accounts = re.findall(r"\[([\d.]+) s user, ([\d.]+) s system total\]", said)
    assert len(accounts) >= 6
    # The last account of each backend is its whole life but for its end.
    lives = sum(sorted((float(u) + float(s) for u, s in accounts), reverse=True)[:6])
    assert lives > 0.3
    assert grown == pytest.approx(lives, rel=0.1, abs=0.1)
    assert grown >= lives - 0.02


def test_shared_buffers_are_counted_once(plaintext_server: Postgres) -> None:
    """They are in the resident set of every process that touches them: here of four, nearly all.

    A table larger than a quarter of the buffers would be read through a few of them only.
    """
    tables = [f"wide{number}" for number in range(4)]
    for table in tables:
        plaintext_server.admin(
            f"CREATE TABLE {table} (filling text)",
            f"INSERT INTO {table} "  # noqa: S608 a name of our own
            "SELECT repeat('x', 900) FROM generate_series(1, 13000)",
        )
    parts = (f"(SELECT sum(length(filling)) FROM {table})" for table in tables)  # noqa: S608
    question = " + ".join(parts)
    sessions = [
        subprocess.Popen(
            ["psql", "--no-psqlrc", "--quiet", "--tuples-only"],
            env={
                "PATH": f"{plaintext_server.binaries}:/usr/bin:/bin",
                "PGHOST": str(Path(plaintext_server.layout.socket).parent),
                "PGPORT": str(plaintext_server.layout.port),
                "PGUSER": "postgres",
                "PGDATABASE": "sbtest",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    try:
        for session in sessions:
            assert session.stdin is not None
            assert session.stdout is not None
            session.stdin.write(f"SELECT {question};\n")
            session.stdin.flush()
            assert session.stdout.readline().strip() == str(4 * 900 * 13000)
        reading = ProcessReader("postgres", plaintext_server.proc).read()
        exact, naive = memory(plaintext_server.proc)
    finally:
        for session in sessions:
            session.communicate("")
        plaintext_server.admin(f"DROP TABLE {', '.join(tables)}")
    assert reading is not None
    assert naive > 2.5 * exact
    assert reading.resident_bytes == pytest.approx(exact, rel=0.25)


def memory(proc: Path) -> tuple[int, int]:
    """The server's memory by the kernel's own proportional account, and the resident sets' sum."""
    exact = naive = 0
    for entry in proc.iterdir():
        # A worker may end while we look.
        with suppress(FileNotFoundError, ProcessLookupError):
            if entry.name.isdigit() and (entry / "comm").read_text() == "postgres\n":
                lines = (entry / "smaps_rollup").read_text().splitlines()[1:]
                values = dict(line.split(":") for line in lines)
                exact += int(values["Pss"].split()[0]) * 1024
                naive += int(values["Rss"].split()[0]) * 1024
    return exact, naive


def cpu_seconds(reader: ProcessReader) -> float:
    """The counter as it is exported."""
    values = {one.name: one.value for one in metrics(reader.read)}
    return values["encbench_database_cpu_seconds_total"]

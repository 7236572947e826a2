"""`make bench-proxy`: what the confidential proxy costs, on a MariaDB on loopback.

Point queries by sysbench: straight to the server, through a raw relay (what a hop costs with a
blocking thread for each direction), through the proxy with no rules, and with every column
encrypted by AES and by SM4. The proxy has one worker, as in a pod, where it is given one processor
unless the testbed says more; with no rules it is measured with a worker for each of this machine's
processors as well.

The ways take turns several times, because on a shared machine what others do changes from minute to
minute. The figure is the geometric mean of the windows with its interval at 95 %, and what is asked
has to hold for the interval's upper end. CPU time is the relay's or the proxy's own, over the
queries of the window. Then what one value of 100 bytes costs, in rounds of one thread's CPU time.

It is a closed loop: a faster way gets more queries, and a busier one pays less for each. `make
bench-proxy-rate` compares builds at an equal rate.

It prints each figure, and what is asked of it where anything is.
"""

import os
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench import program, turns
from tests.bench.interval import mean
from tests.cluster import crates
from tests.cluster.layout import Layout
from tests.support import confidential, debian, mariadb
from tests.support.confidential import AES, SM4

REPEATS = int(os.environ.get("REPEATS", "5"))
SECONDS = int(os.environ.get("SECONDS", "5"))
THREADS = 4
ROWS = 10_000
TICKS = os.sysconf("SC_CLK_TCK")
COLUMNS = "".join(f"sbtest1.{name}\n" for name in ("id", "k", "c", "pad"))
PLAIN, SPREAD = "no rules", "no rules, a worker a processor"
ASKED, GOAL = 20.0, 12.0
"""Microseconds of CPU a point query with no rules; with rules it encrypts a value of 120 bytes."""
VALUE_NS = {AES: 300.0, SM4: 1500.0}


@dataclass(frozen=True)
class Run:
    """One window."""

    per_second: float
    hop_us: float
    """CPU of the hop a query; 0 where there is none."""


def main() -> int:
    """Run the benchmark; the exit code says whether every figure is as it should be."""
    debian.install("sysbench")
    examples = compiled()
    with mariadb.running({}) as server, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = server.credentials
        options = [
            *("sysbench", "oltp_point_select", "--db-driver=mysql", "--mysql-host=127.0.0.1"),
            *(f"--mysql-user={database['username']}", "--mysql-db=sbtest", "--tables=1"),
            *(f"--table-size={ROWS}", f"--threads={THREADS}", f"--time={SECONDS}"),
            *("--mysql-ssl=off", "--db-ps-mode=auto"),
        ]
        config = folder / "sysbench.conf"
        config.write_text(f"mysql-password={database['password']}\n")
        config.chmod(0o600)
        command = [options[0], f"--config-file={config}", *options[1:]]
        _sysbench(command, server.layout.port, "prepare")
        ways = ["direct", "relay", PLAIN, SPREAD, AES, SM4]
        runs: dict[str, list[Run]] = {way: [] for way in ways}
        drawn = random.Random(turns.SEED)
        for _ in range(REPEATS):
            turns.draw(ways, drawn)
            for way in ways:
                with hop(way, server.layout.port, folder, examples) as (port, pid):
                    before = cpu_seconds(pid)
                    said = _sysbench(command, port, "run")
                    used = cpu_seconds(pid) - before
                queries = int(_found(r"^\s+total:\s+(\d+)", said))
                runs[way].append(Run(queries / SECONDS, used * 1e6 / queries))
    good = True
    print(f"point queries, {THREADS} threads, {REPEATS} windows of {SECONDS} s each: mean [95 %]")
    for way, found in runs.items():
        good &= _line(way, found)
    values = subprocess.run([examples / "value_cost"], check=True, capture_output=True, text=True)
    good &= report_values(values.stdout)
    return 0 if good else 1


def report_values(rounds: str) -> bool:
    """Print what a value costs, from lines of a name and its rounds; whether all are as asked."""
    good = True
    print("a value of 100 bytes")
    for line in rounds.splitlines():
        name, *nanoseconds = line.split()
        found, asked = mean(list(map(float, nanoseconds))), VALUE_NS[name]
        fits = found.high <= asked
        good &= fits
        missed = "" if fits else " MISSED"
        print(f"  {name}: {found.text(0)} ns (at most {asked:.0f} asked){missed}")
    return good


def compiled() -> Path:
    """The folder with the raw relay and the measurement of one value."""
    layout = Layout.from_environment()
    crate = layout.repo / "images" / "confidential-proxy"
    target = layout.cache / "cargo" / "confidential-proxy"
    subprocess.run(
        [crates.cargo(), "build", "--release", "--locked", "--quiet", "--examples"],
        cwd=crate,
        check=True,
        env={**os.environ, "CARGO_TARGET_DIR": str(target)},
    )
    return target / "release" / "examples"


@contextmanager
def hop(way: str, server: int, folder: Path, examples: Path) -> Iterator[tuple[int, int | None]]:
    """The port to connect to, and the process in between."""
    if way == "direct":
        yield server, None
    elif way == "relay":
        argv = [str(examples / "raw_relay"), "127.0.0.1:0", f"127.0.0.1:{server}"]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield int(process.stdout.readline().rpartition(":")[2]), process.pid
            finally:
                process.terminate()
    else:
        columns, algorithm = ("", AES) if way in (PLAIN, SPREAD) else (COLUMNS, way)
        workers = [] if way == SPREAD else ["--workers", "1"]
        with confidential.running(folder, server, columns, algorithm, *workers) as proxy:
            yield proxy.port, proxy.process.pid


def cpu_seconds(pid: int | None) -> float:
    """CPU time of all threads of a process so far, also of those that have ended; to a tick."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _sysbench(command: list[str], port: int, what: str) -> str:
    done = subprocess.run(
        [*command, f"--mysql-port={port}", what], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    time.sleep(0.2)
    return done.stdout


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    assert found is not None, text
    return found[1]


def _line(way: str, runs: list[Run]) -> bool:
    text = f"  {way}: {mean([run.per_second for run in runs]).text(0)} queries a second"
    if way == "direct":
        print(text)
        return True
    hop_us = mean([run.hop_us for run in runs])
    text += f", {hop_us.text(1)} us CPU of the hop a query"
    if way != PLAIN:
        print(text)
        return True
    good = hop_us.high <= ASKED
    print(f"{text} (at most {ASKED:.0f} asked, {GOAL:.0f} is the goal){'' if good else ' MISSED'}")
    return good


if __name__ == "__main__":
    program.run(main)

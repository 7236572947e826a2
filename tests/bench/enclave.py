"""`make bench-enclave`: what encrypted columns cost PostgreSQL, beside plain ones and pgcrypto.

    ROUNDS=15  SECONDS=2

One server of Debian's 15 on loopback, with a database for each arm. Everything is asked in
turn, round for round, so that what else the machine does meets all of it. Statements are measured
by the CPU time of their backend (`/proc/PID/schedstat`), throughputs by the wall clock. Figures are
geometric means with Student's interval at 95 %; what is asked of a figure has to hold for the worse
end of its interval.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pg8000.dbapi

from encbench.core.statistics.intervals import estimate
from encbench.tools import sysbench
from tests.support import debian, enclave
from tests.support.postgres import ADMIN, Postgres

ROUNDS = int(os.environ.get("ROUNDS", "15"))
SECONDS = int(os.environ.get("SECONDS", "2"))
VALUES = 100_000
"""Rows of the tables whose sums and comparisons are measured."""
PGP_VALUES = 100
"""pgcrypto's are dear: it derives a key from the password for each value."""
TABLES, ROWS, THREADS = 2, 200_000, 2
"""Rows enough for trees of three levels in every arm, as in the study."""
LOADS = 3
RULES = "host all postgres 127.0.0.1/32 trust\n"
SETTINGS = {
    # All arms fit, so that no arm is slower because its rows are longer.
    "shared_buffers": "1GB",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "autovacuum": "off",
}
COSTS = {"encbench_enclave.transition_ns": 8000, "encbench_enclave.value_ns": 1200}

SCRIPT = Path(sysbench.__file__).with_name("enclave.lua")
CIPHER = Path(sysbench.__file__).with_name("enclave_cipher.lua")
CIPHER_BENCH = Path(__file__).with_name("enclave_cipher.lua")

ARMS: dict[str, tuple[str, ...]] = {
    "plain": ("--encrypted=none",),
    "encrypted": ("--encrypted=id,k,c,pad",),
    "single": ("--encrypted=id,k,c,pad",),
    "batched": ("--encrypted=id,k,c,pad", "--index=PageBatch"),
}
"""Databases and their clients' options; the last two have a boundary that costs something."""


@dataclass(frozen=True)
class Asked:
    """A statement over some values."""

    name: str
    statement: str
    values: int


STATEMENTS = (
    Asked("count, plain", "SELECT count(k) FROM plain", VALUES),
    Asked("sum, plain", "SELECT sum(k) FROM plain", VALUES),
    Asked("sum, encrypted", "SELECT sum(k) FROM encrypted", VALUES),
    Asked("sum, pgp_sym_decrypt", "SELECT sum(pgp_sym_decrypt(k, 'p')::int) FROM pgp", PGP_VALUES),
    Asked("comparison, plain", "SELECT count(*) FROM plain WHERE k < 5000", VALUES),
    Asked("comparison, encrypted", "SELECT count(*) FROM encrypted WHERE k < '{}'", VALUES),
    Asked(
        "comparison, pgp_sym_decrypt",
        "SELECT count(*) FROM pgp WHERE pgp_sym_decrypt(k, 'p')::int < 5000",
        PGP_VALUES,
    ),
)


@dataclass
class Seen:
    """Figures of all rounds, by name."""

    figures: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, figure: float) -> None:
        self.figures.setdefault(name, []).append(figure)

    def mean(self, name: str, over: str | None = None) -> tuple[float, float, float]:
        """Geometric mean and interval, of the ratios to another figure if there is one."""
        arm = self.figures[name]
        base = self.figures[over] if over else [1.0] * len(arm)
        found = estimate(base, arm)
        bounds = found and found.change_bounds("increase")
        if not found or not bounds:
            raise SystemExit(f"{name}: no interval; ROUNDS must be 2 or more")
        return 1 + found.change("increase"), 1 + bounds.low, 1 + bounds.high


@dataclass
class Bench:
    """The server, and the folder with the client's key."""

    server: Postgres
    folder: Path
    seen: Seen = field(default_factory=Seen)

    @contextmanager
    def session(self, database: str) -> Iterator["Session"]:
        """A session of the superuser, over the socket."""
        connection = pg8000.dbapi.connect(
            ADMIN, unix_sock=self.server.layout.socket, database=database, ssl_context=False
        )
        connection.autocommit = True
        try:
            yield Session(connection.cursor(), self.server.proc)
        finally:
            connection.close()

    def client(self, arm: str, command: str, **options: object) -> str:
        """Run sysbench in an arm and return what it said."""
        given = {"tables": TABLES, "table-size": ROWS, "threads": THREADS}
        words = [
            *("sysbench", "--db-driver=pgsql", "--pgsql-host=127.0.0.1"),
            *(f"--pgsql-port={self.server.layout.port}", f"--pgsql-user={ADMIN}"),
            *(f"--pgsql-db={arm}", str(SCRIPT), f"--key-file={self.folder / 'key'}", *ARMS[arm]),
            *(f"--{name}={value}" for name, value in {**given, **options}.items()),
            command,
        ]
        environment = {"PATH": "/usr/bin:/bin", "PGSSLMODE": "disable"}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        if done.returncode or "FATAL" in done.stdout + done.stderr:
            raise SystemExit(done.stdout + done.stderr)
        return done.stdout


@dataclass
class Session:
    """A backend and its clock."""

    cursor: Any
    proc: Path

    def rows(self, statement: str) -> list[Any]:
        self.cursor.execute(statement)
        return list(self.cursor.fetchall()) if self.cursor.description else []

    def cpu_us(self, statement: str) -> float:
        """CPU time of the backend for a statement."""
        before = self._clock()
        self.rows(statement)
        return (self._clock() - before) / 1000

    def _clock(self) -> int:
        ((pid,),) = self.rows("SELECT pg_backend_pid()")
        return int((self.proc / str(pid) / "schedstat").read_text().split()[0])


def main() -> int:
    """Run the benchmark; the exit code says whether every figure is as it should be."""
    if shutil.which("sysbench") is None:
        debian.install("sysbench")
    with ExitStack() as stack:
        programs = stack.enter_context(enclave.debian_programs())
        server = stack.enter_context(enclave.running(programs, overrides=SETTINGS, rules=RULES))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="encbench-bench-")))
        (folder / "key").write_text(enclave.KEY)
        bench = Bench(server, folder)
        _databases(bench)
        for number in range(LOADS):
            _load(bench, list(ARMS) if number == 0 else ["plain", "encrypted"])
        _set_costs(bench)
        with bench.session("encrypted") as session:
            _tables(session)
            for number in range(ROUNDS):
                _statements(session, bench.seen)
                _points(bench, number)
        _cipher(bench)
    return 0 if _print(bench.seen) else 1


def _databases(bench: Bench) -> None:
    for arm in ARMS:
        bench.server.admin(f"CREATE DATABASE {arm}")
        if arm != "plain":
            with bench.session(arm) as session:
                session.rows("CREATE EXTENSION encbench_enclave")
    with bench.session("encrypted") as session:
        session.rows("CREATE EXTENSION enclave_client")
        session.rows("CREATE EXTENSION pgcrypto")


def _load(bench: Bench, arms: Sequence[str]) -> None:
    """Load arms anew, with a boundary that costs nothing, and time it."""
    for arm in arms:
        bench.client(arm, "cleanup")
        began = time.monotonic()
        bench.client(arm, "prepare")
        bench.seen.add(f"load, {arm}", time.monotonic() - began)


def _set_costs(bench: Bench) -> None:
    for arm in ("single", "batched"):
        with bench.session(arm) as session:
            for name, cost in COSTS.items():
                session.rows(f"ALTER DATABASE {arm} SET {name} = {cost}")


def _tables(session: Session) -> None:
    series = "FROM generate_series(1, {}) n"
    values = series.format(VALUES)
    session.rows(f"CREATE TABLE plain AS SELECT n % 10000 AS k {values}")
    session.rows(f"CREATE TABLE encrypted AS SELECT enc_seal(n % 10000) AS k {values}")
    few = series.format(PGP_VALUES)
    session.rows(
        f"CREATE TABLE pgp AS SELECT pgp_sym_encrypt((n * 100 % 10000)::text, 'p') AS k {few}"
    )
    for table in ("plain", "encrypted", "pgp"):
        session.rows(f"VACUUM ANALYZE {table}")


def _statements(session: Session, seen: Seen) -> None:
    ((middle,),) = session.rows("SELECT enc_seal(5000)::text")
    for asked in STATEMENTS:
        took = session.cpu_us(asked.statement.format(middle))
        seen.add(asked.name, took / asked.values)


def _points(bench: Bench, number: int) -> None:
    """Point queries by primary key in every arm, in one order and then in the other."""
    for arm in list(ARMS) if number % 2 else list(reversed(ARMS)):
        said = bench.client(arm, "run", workload="point", time=SECONDS)
        (rate,) = re.findall(r"transactions: +[0-9]+ +\(([0-9.]+) per sec", said)
        bench.seen.add(f"points, {arm}", float(rate))


def _cipher(bench: Bench) -> None:
    done = subprocess.run(
        ["sysbench", str(CIPHER_BENCH), "bench"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "CIPHER": str(CIPHER), "KEY_FILE": f"{bench.folder}/key"},
    )
    for name, took in re.findall(r"^client: (.+)=([0-9.]+)$", done.stdout, re.MULTILINE):
        bench.seen.add(f"client, {name}", float(took))


def _print(seen: Seen) -> bool:
    """The table; whether each figure is as asked."""
    print(f"PostgreSQL 15, {ROUNDS} rounds; geometric mean (95 % interval)")
    for asked in STATEMENTS:
        print(f"  {asked.name}: {_text(seen.mean(asked.name))} us a value")
    for name in seen.figures:
        if name.startswith("points"):
            print(f"  {name}: {_text(seen.mean(name), 0)} a second")
    return all(
        [
            _line("sum of encrypted integers, us a value", seen.mean("sum, encrypted"), 0.35),
            _line("a comparison, us", seen.mean("comparison, encrypted"), 0.6),
            _line(
                "points by an encrypted key to plain ones",
                seen.mean("points, encrypted", "points, plain"),
                0.8,
                least=True,
            ),
            _line(
                "points with page batching to those without, 8 us a transition",
                seen.mean("points, batched", "points, single"),
                1.4,
                least=True,
            ),
            _line("load to the plain load", seen.mean("load, encrypted", "load, plain"), 2.0),
            *(
                _line(f"{name}, us", seen.mean(name), 2.0)
                for name in seen.figures
                if name.startswith("client")
            ),
        ]
    )


def _line(what: str, found: Sequence[float], asked: float, *, least: bool = False) -> bool:
    good = found[1] >= asked if least else found[2] <= asked
    wanted = f"{'at least' if least else 'at most'} {asked:g} asked"
    print(f"  {what}: {_text(found)}, {wanted}{'' if good else ' MISSED'}")
    return good


def _text(found: Sequence[float], digits: int = 3) -> str:
    mean, low, high = (f"{one:,.{digits}f}" for one in found)
    return f"{mean} ({low} to {high})"


if __name__ == "__main__":
    sys.exit(main())

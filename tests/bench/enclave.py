"""`make bench-enclave`: what encrypted columns cost PostgreSQL, beside plain ones and pgcrypto.

    LAUNCHES=45  ROUNDS=6  SECONDS=0.2  LOADS=25

One server of Debian's 15 on loopback, with a database for each arm. Everything is asked in turn,
round for round, so that what else the machine does meets all of it. Statements are measured by the
CPU time of their backend (`/proc/PID/schedstat`), loads and point queries by the wall clock. Point
queries have many short turns, in an order that is drawn for each round, see
tests/bench/enclave_points.py. A client and its server processes keep for life what luck they have
with their code, their memory and their processors, which is up to a tenth. So they are launched
many times, the backends of statements and the client that seals by itself too, and a launch is one
observation. Two clients of the plain arm show by their ratio what the bench makes of nothing.
Figures are geometric means with Student's interval at 95 %; what is asked of a figure has to hold
for the worse end of its interval.
"""

import os
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pg8000.dbapi

from encbench.core.statistics.intervals import geometric_mean
from encbench.tools import sysbench
from tests.bench import interval, program
from tests.bench.enclave_points import Client, Turn, client
from tests.support import debian, enclave
from tests.support.postgres import ADMIN, Postgres

LAUNCHES = int(os.environ.get("LAUNCHES", "45"))
"""Of every process that is asked."""
ROUNDS = int(os.environ.get("ROUNDS", "6"))
"""A launch's."""
SECONDS = float(os.environ.get("SECONDS", "0.2"))
"""A turn's."""
SEED = 15
"""Of the arms' order."""
VALUES = 100_000
"""Rows of the tables whose sums and comparisons are measured."""
PGP_VALUES = 100
"""pgcrypto's are dear: it derives a key from the password for each value."""
TABLES, ROWS, THREADS = 2, 200_000, 2
"""Rows enough for trees of three levels in every arm, as in the study."""
LOADS = int(os.environ.get("LOADS", "25"))
LOADED = 25_000
"""Rows of a table whose load is timed: small ones, so that there can be many."""
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
CLIENTS = {"plain again": "plain", **{arm: arm for arm in ARMS}}
"""Those of point queries, and their arms."""
FREE = ("plain again", "plain", "encrypted")
"""The ones with a boundary that costs nothing; the others have one turn a launch."""


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

    def mean(self, name: str) -> interval.Mean:
        """Of a figure."""
        return interval.mean(self.figures[name])

    def ratio(self, name: str, base: str) -> interval.Mean:
        """To another figure of the same rounds."""
        return interval.ratio(self.figures[base], self.figures[name])


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

    def words(self, arm: str, script: Path | str, command: str, **options: object) -> list[str]:
        """The command of an arm's sysbench."""
        given = {"tables": TABLES, "table-size": ROWS, "threads": THREADS}
        return [
            *("sysbench", "--db-driver=pgsql", "--pgsql-host=127.0.0.1"),
            *(f"--pgsql-port={self.server.layout.port}", f"--pgsql-user={ADMIN}"),
            *(f"--pgsql-db={arm}", str(script), f"--key-file={self.folder / 'key'}", *ARMS[arm]),
            *(f"--{name}={value}" for name, value in {**given, **options}.items()),
            command,
        ]

    def run(self, arm: str, command: str, **options: object) -> None:
        """Run sysbench in an arm until it ends."""
        words = self.words(arm, SCRIPT, command, **options)
        environment = {"PATH": "/usr/bin:/bin", "PGSSLMODE": "disable"}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        if done.returncode or "FATAL" in done.stdout + done.stderr:
            raise SystemExit(done.stdout + done.stderr)

    @contextmanager
    def clients(self) -> Iterator[dict[str, Client]]:
        """One of each, connected."""
        endless = {"workload": "point", "time": 0, "events": 0}
        with ExitStack() as stack:
            yield {
                name: stack.enter_context(
                    client(
                        self.words(arm, "SCRIPT", "run", **endless), SCRIPT, THREADS, self.backends
                    )
                )
                for name, arm in CLIENTS.items()
            }

    def backends(self, application: str) -> list[Path]:
        """Folders in `/proc` of those with that name."""
        asked = f"SELECT pid FROM pg_stat_activity WHERE application_name = '{application}'"  # noqa: S608
        return [self.server.proc / str(pid) for (pid,) in self.server.admin(asked)]


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
    debian.install("sysbench")
    with ExitStack() as stack:
        programs = stack.enter_context(enclave.debian_programs())
        server = stack.enter_context(enclave.running(programs, overrides=SETTINGS, rules=RULES))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="encbench-bench-")))
        (folder / "key").write_text(enclave.KEY)
        bench = Bench(server, folder)
        _databases(bench)
        for number in range(LOADS):
            _time_loads(bench, number)
        for arm in ARMS:
            bench.run(arm, "cleanup")
            bench.run(arm, "prepare")
        _set_costs(bench)
        drawn = random.Random(SEED)
        with bench.session("encrypted") as session:
            _tables(session)
        for _ in range(LAUNCHES):
            launch(bench, drawn)
    return 0 if _print(bench.seen) else 1


def launch(bench: Bench, drawn: random.Random) -> None:
    """One observation of each figure: every process that is asked is a new one."""
    with bench.session("encrypted") as session:
        _statements(session, bench.seen)
    _points(bench, drawn)
    _cipher(bench)


def _databases(bench: Bench) -> None:
    for arm in ARMS:
        bench.server.admin(f"CREATE DATABASE {arm}")
        if arm != "plain":
            with bench.session(arm) as session:
                session.rows("CREATE EXTENSION encbench_enclave")
    with bench.session("encrypted") as session:
        session.rows("CREATE EXTENSION enclave_client")
        session.rows("CREATE EXTENSION pgcrypto")


def _time_loads(bench: Bench, number: int) -> None:
    """Load both kinds anew, with a boundary that costs nothing, in one order and then the other."""
    arms = ["plain", "encrypted"]
    for arm in arms if number % 2 else reversed(arms):
        bench.run(arm, "cleanup")
        began = time.monotonic()
        bench.run(arm, "prepare", **{"table-size": LOADED})
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
    """Each twice; the first time a new backend fills its caches and loads the extensions."""
    ((middle,),) = session.rows("SELECT enc_seal(5000)::text")
    for asked in STATEMENTS:
        session.rows(asked.statement.format(middle))
        took = session.cpu_us(asked.statement.format(middle))
        seen.add(asked.name, took / asked.values)


def _points(bench: Bench, drawn: random.Random) -> None:
    """The turns of a launch; each figure is the geometric mean of an arm's."""
    turns: dict[str, list[Turn]] = {name: [] for name in CLIENTS}
    with bench.clients() as clients:
        for number in range(ROUNDS):
            names = list(clients if number == 0 else FREE)
            drawn.shuffle(names)
            for name in names:
                turns[name].append(clients[name].turn(SECONDS))
    for name, taken in turns.items():
        bench.seen.add(f"points, {name}", geometric_mean([turn.per_second for turn in taken]))
        for what, figure in (
            ("client's CPU", [turn.client_us for turn in taken]),
            ("server's CPU", [turn.server_us for turn in taken]),
            ("CPU", [turn.client_us + turn.server_us for turn in taken]),
        ):
            bench.seen.add(f"{what}, {name}", geometric_mean(figure))


def _cipher(bench: Bench) -> None:
    """What a client of its own takes for a value; each figure is the geometric mean of turns."""
    done = subprocess.run(
        ["sysbench", str(CIPHER_BENCH), "bench"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "CIPHER": str(CIPHER), "KEY_FILE": f"{bench.folder}/key"},
    )
    turns: dict[str, list[float]] = {}
    for name, took in re.findall(r"^client: (.+)=([0-9.]+)$", done.stdout, re.MULTILINE):
        turns.setdefault(name, []).append(float(took))
    for name, taken in turns.items():
        bench.seen.add(f"client, {name}", geometric_mean(taken))


def _print(seen: Seen) -> bool:
    """The table; whether each figure is as asked."""
    print(f"PostgreSQL 15, {LAUNCHES} launches; geometric mean [95 % interval]")
    for asked in STATEMENTS:
        print(f"  {asked.name}: {seen.mean(asked.name).text(3)} us a value")
    for name in CLIENTS:
        print(f"  points, {name}: {seen.mean(f'points, {name}').text(0)} a second")
    for what in ("client's CPU", "server's CPU", "CPU"):
        for name in FREE:
            print(f"  {what}, {name}: {seen.mean(f'{what}, {name}').text(1)} us a query")
    for what in ("points", "CPU"):
        print(
            f"  {what}, plain again to plain: {_ratio(seen, what, 'plain again', 'plain').text(3)}"
        )
    print(f"  CPU, encrypted to plain: {_ratio(seen, 'CPU', 'encrypted', 'plain').text(3)}")
    points = _ratio(seen, "points", "encrypted", "plain")
    batched = _ratio(seen, "points", "batched", "single")
    return all(
        [
            _line("sum of encrypted integers, us a value", seen.mean("sum, encrypted"), 0.35),
            _line("a comparison, us", seen.mean("comparison, encrypted"), 0.6),
            _line("points by an encrypted key to plain ones", points, 0.8, least=True),
            _line("page batching to none, 8 us a transition", batched, 1.4, least=True),
            _line("load to the plain load", _ratio(seen, "load", "encrypted", "plain"), 2.0),
            *(
                _line(f"{name}, us", seen.mean(name), 2.0)
                for name in seen.figures
                if name.startswith("client, ")
            ),
        ]
    )


def _ratio(seen: Seen, what: str, arm: str, base: str) -> interval.Mean:
    return seen.ratio(f"{what}, {arm}", f"{what}, {base}")


def _line(what: str, found: interval.Mean, asked: float, *, least: bool = False) -> bool:
    good = found.low >= asked if least else found.high <= asked
    wanted = f"{'at least' if least else 'at most'} {asked:g} asked"
    print(f"  {what}: {found.text(3)}, {wanted}{'' if good else ' MISSED'}")
    return good


if __name__ == "__main__":
    program.run(main)

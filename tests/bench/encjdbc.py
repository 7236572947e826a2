"""`make bench-encjdbc`: what the encrypting driver costs its client, beside what people use.

A client asks a MariaDB on loopback for one row of eight columns at a time, or for a hundred rows of
four. Each arm is a Java of its own; they are asked in turn, and only the asked one does anything,
so that what else the machine does strikes all of them alike. The figure is client CPU seconds per
1,000 queries.

Clients, server and benchmark share one processor. With two, the kernel puts client and server on
one or on both of them as it likes, and waking the other processor is at the waker's cost: rounds of
the same arm took 13 or 30 to 60 us a query, by turns. On one they take 13 to 14 us. What is added
weighs most there, because the inner driver costs least.

A JVM compiles and places its code anew each time, so each arm is launched LAUNCHES times (15), and
a launch is one observation: its rounds' mean. An arm is compared within each set of launches; the
figure is the geometric mean of the ratios with Student's interval at 95 %, and what is asked of it
has to hold for the interval's upper end. What a value costs follows from the same interval. The arm
`inner again` is the inner driver a second time: its interval shows what the benchmark can
distinguish. The arms `no cipher` read envelopes whose content is plaintext: they cost what the
driver does apart from cryptography, and exist among the tests alone.

The encrypted arms read tables that hold the envelopes which a proxy would make, so that the server
does the same for each. They are numbered in the order in which they are read, as a proxy numbers
them; the arms that skip every other value read a table of which the other four columns are numbered
as well. ShardingSphere encrypts at the client and gives texts only; it is compared with the inner
driver that reads texts.
"""

import os
import random
import secrets
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from encbench.core.connection import DATABASE
from encbench.core.statistics.intervals import estimate
from tests.bench import program, turns
from tests.bench.clock import cpu_seconds
from tests.support import encjdbc, mariadb

LAUNCHES = int(os.environ.get("LAUNCHES", "15"))
WARM_QUERIES = int(os.environ.get("WARM_QUERIES", "120000"))
"""The figures change until the 40,000th, and near the 100,000th something is compiled again."""
QUERIES = 800
ROUNDS = 20
LESS = 6
"""By how much fewer queries there are that ask for many rows; they change until the 16,000th."""
AT_MOST = {"swap": 2.0, "AES": 15.0, "SM4": 35.0, "100 rows, AES": 60.0, "100 rows, SM4": 150.0}
"""Per cent more client CPU than the inner driver, at the interval's upper end."""
VALUE_US = {"100 rows, AES": 0.25, "100 rows, SM4": 0.7}
"""Microseconds more a value, at the same end."""
VALUES = {"typed": 8, "text": 8, "many": 400}
"""Values that a query reads."""

JAVA = (
    *("java", "-XX:+UseSerialGC", "-Xms192m", "-Xmx192m", "-Xmn48m"),
    *("-XX:-UsePerfData", "-Xshare:auto", "-XX:ActiveProcessorCount=2"),
)
"""The compiler is that of a machine with two processors, though they have but one."""
PARAMETERS = "sslMode=DISABLED&allowPublicKeyRetrieval=true&cachePrepStmts=true"
TYPES = {
    "c_id": "INT",
    "c_d_id": "INT",
    "c_discount": "DECIMAL(4,4)",
    "c_credit": "CHAR(2)",
    "c_last": "VARCHAR(16)",
    "c_balance": "DECIMAL(12,2)",
    "c_since": "TIMESTAMP NULL",
    "c_city": "VARCHAR(20)",
}
PLAIN, SPHERE = "bench_plain", "bench_sphere"
ALGORITHMS = ("AES", "SM4", "NONE")
"""Of envelopes; NONE has plaintext in them."""


@dataclass(frozen=True)
class Way:
    """What an arm is, and the arm that it is compared with."""

    url: str
    table: str
    how: str = "typed"
    beside: str = "inner"
    algorithm: str = ""
    """Where it is not the envelope's to say."""

    @property
    def queries(self) -> int:
        """How many it is asked in a round."""
        return QUERIES // LESS if self.how == "many" else QUERIES


def sealed(algorithm: str, how: str = "typed") -> str:
    """The table of envelopes that were sealed in the order in which they are read."""
    return f"bench_{algorithm}_{how}".lower()


@dataclass
class Arm:
    """One launch of a client; `seconds` are CPU seconds per 1,000 queries, one a round."""

    name: str
    process: "subprocess.Popen[str]"
    seconds: list[float] = field(default_factory=list)
    checksum: str = ""

    def say(self, word: str) -> str:
        """Ask it and wait for its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"the arm {self.name} has ended")
        return answer

    def ask(self, queries: int) -> float:
        """CPU seconds per 1,000 of so many queries."""
        before = cpu_seconds(self.process.pid)
        self.checksum = self.say(str(queries))
        return 1000 * (cpu_seconds(self.process.pid) - before) / queries


@dataclass(frozen=True)
class Place:
    """Where the arms find what they need."""

    folder: Path
    server: Any

    @property
    def inner(self) -> str:
        """The URL of the driver that does the work."""
        return f"jdbc:mysql://127.0.0.1:{self.server.layout.port}/{DATABASE}?{PARAMETERS}"

    @property
    def ours(self) -> str:
        return f"jdbc:encbench:{self.inner}"

    @property
    def sphere(self) -> str:
        return f"jdbc:shardingsphere:absolutepath:{self.folder}/sphere.yaml"

    @contextmanager
    def arm(self, name: str, url: str, table: str, how: str, *words: str) -> Iterator[Arm]:
        """A client that is connected."""
        kind = "shardingsphere" if "shardingsphere" in url else "driver"
        user = self.server.credentials["username"]
        argv = [*JAVA, "-cp", encjdbc.class_path(kind), "io.encbench.jdbc.Bench", url, table]
        argv += [user, f"{self.folder}/password", how, f"{self.folder}/mek", *words]
        with (self.folder / f"{name}.log").open("w") as log:
            process = subprocess.Popen(
                argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        try:
            yield Arm(name, process)
        finally:
            process.kill()
            process.wait()

    def started(self, arm: Arm) -> Arm:
        """The arm, once it is connected; SystemExit with its log if it cannot."""
        assert arm.process.stdout is not None
        for line in arm.process.stdout:
            if line.strip() == "ready":
                return arm
        raise SystemExit((self.folder / f"{arm.name}.log").read_text()[-3000:])


def main() -> int:
    """Run the benchmark; the exit code says whether every figure is as it should be."""
    seen: dict[str, list[float]] = {}
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with (
        tempfile.TemporaryDirectory(prefix="encbench-bench-") as folder,
        mariadb.running({}) as server,
    ):
        place = Place(Path(folder), server)
        _files(place)
        _tables(place)
        ways = _ways(place)
        for launch in range(LAUNCHES):
            for name, seconds in _launched(place, ways, launch).items():
                seen.setdefault(name, []).append(seconds)
            _tell(ways, seen)
    return 0 if _print(ways, seen) else 1


def _tell(ways: dict[str, Way], seen: dict[str, list[float]]) -> None:
    """The progress line of the last launch: what each judged arm took beside its own."""
    shown = [
        f"{name} {100 * (seen[name][-1] / seen[ways[name].beside][-1] - 1):+.1f} %"
        for name in AT_MOST
    ]
    print(f"launch {len(seen['inner'])} of {LAUNCHES}: {', '.join(shown)}", flush=True)


def _ways(place: Place) -> dict[str, Way]:
    binary = "&useServerPrepStmts=true"
    return {
        "inner": Way(place.inner, PLAIN),
        "inner again": Way(place.inner, PLAIN),
        "swap": Way(place.ours, PLAIN),
        "AES": Way(place.ours, sealed("AES")),
        "SM4": Way(place.ours, sealed("SM4")),
        "no cipher": Way(place.ours, sealed("NONE"), algorithm="NONE"),
        "100 rows, inner": Way(place.inner, PLAIN, "many", "100 rows, inner"),
        **{
            f"100 rows, {name}": Way(place.ours, table, "many", "100 rows, inner", algorithm)
            for name, table, algorithm in (
                ("AES", sealed("AES", "many"), ""),
                ("SM4", sealed("SM4", "many"), ""),
                ("no cipher", sealed("NONE", "many"), "NONE"),
                ("AES, every other value skipped", sealed("AES"), ""),
                ("SM4, every other value skipped", sealed("SM4"), ""),
            )
        },
        "inner, binary protocol": Way(place.inner + binary, PLAIN, beside="inner, binary protocol"),
        "AES, binary protocol": Way(
            place.ours + binary, sealed("AES"), beside="inner, binary protocol"
        ),
        "inner, texts": Way(place.inner, PLAIN, "text", "inner, texts"),
        "ShardingSphere, AES, texts": Way(place.sphere, SPHERE, "text", "inner, texts"),
    }


def _launched(place: Place, ways: dict[str, Way], launch: int) -> dict[str, float]:
    """CPU seconds per 1,000 queries of a launch of each arm."""
    with ExitStack() as stack:
        arms = [
            place.started(
                stack.enter_context(place.arm(name, way.url, way.table, way.how, way.algorithm))
            )
            for name, way in ways.items()
        ]
        for arm in arms:
            # By rounds, so that the compiler has seen the loop as it will be called: after one long
            # call launches of one arm differed by a tenth, and after rounds by one percent.
            for _ in range(WARM_QUERIES // QUERIES):
                arm.ask(ways[arm.name].queries)
        drawn = random.Random(launch)
        for _ in range(ROUNDS):
            turns.draw(arms, drawn)
            for arm in arms:
                arm.seconds.append(arm.ask(ways[arm.name].queries))
        _same(ways, {arm.name: arm for arm in arms})
        return {arm.name: statistics.fmean(arm.seconds) for arm in arms}


def _same(ways: dict[str, Way], arms: dict[str, Arm]) -> None:
    """What was read is the same, or the figures say nothing."""
    for name, way in ways.items():
        if arms[name].checksum != arms[way.beside].checksum and way.how != "text":
            raise SystemExit(f"{name} has read other values than {way.beside}")


def _files(place: Place) -> None:
    server = place.server
    (place.folder / "password").write_text(server.credentials["password"])
    (place.folder / "mek").write_text(secrets.token_hex(16))
    columns = "".join(
        f"      {name}: {{cipher: {{name: {name}_cipher, encryptorName: aes}}}}\n" for name in TYPES
    )
    (place.folder / "sphere.yaml").write_text(
        "mode:\n  type: Standalone\n  repository:\n    type: JDBC\n"
        "dataSources:\n  one:\n"
        "    dataSourceClassName: com.zaxxer.hikari.HikariDataSource\n"
        "    driverClassName: com.mysql.cj.jdbc.Driver\n"
        f"    jdbcUrl: {place.inner}\n"
        f"    username: {server.credentials['username']}\n"
        f"    password: '{server.credentials['password']}'\n"
        f"rules:\n- !ENCRYPT\n  tables:\n    {SPHERE}:\n     columns:\n{columns}"
        "  encryptors:\n    aes:\n      type: AES\n      props:\n"
        f"        aes-key-value: '{secrets.token_hex(8)}'\n        digest-algorithm-name: SHA-1\n"
        '- !SINGLE\n  tables: ["*.*"]\n'
    )


def _tables(place: Place) -> None:
    def create(table: str, columns: dict[str, str]) -> str:
        text = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        return f"CREATE TABLE {DATABASE}.{table} (number INT PRIMARY KEY, {text})"

    kinds = list(product(ALGORITHMS, ("typed", "many")))
    place.server.admin(
        create(PLAIN, TYPES),
        *(create(sealed(*one), dict.fromkeys(TYPES, "VARBINARY(100)")) for one in kinds),
        create(SPHERE, {f"{name}_cipher": "VARCHAR(100)" for name in TYPES}),
    )
    with place.arm("prepare", place.inner, PLAIN, "typed") as arm:
        place.started(arm).say("prepare")
    with place.arm("prepare", place.sphere, SPHERE, "text") as arm:
        place.started(arm).say("prepare")
    for algorithm, how in kinds:
        with place.arm("seal", place.inner, sealed(algorithm, how), how, algorithm) as arm:
            place.started(arm).say("seal")


def _print(ways: dict[str, Way], seen: dict[str, list[float]]) -> bool:
    print(
        f"one row of {len(TYPES)} columns a query, or 100 of 4, Connector/J, MariaDB on loopback; "
        f"{LAUNCHES} launches, in each {ROUNDS} rounds of {QUERIES:,} queries, or "
        f"{QUERIES // LESS:,}; CPU seconds per 1,000 queries"
    )
    good = True
    for name, way in ways.items():
        text = f"  {name}: {statistics.fmean(seen[name]):.4f}"
        if name != way.beside:
            found = estimate(seen[way.beside], seen[name])
            bounds = None if found is None else found.change_bounds("increase")
            if found is None or bounds is None:
                raise SystemExit("no interval: LAUNCHES must be 2 or more")
            change, low, high = (
                100 * one for one in (found.change("increase"), bounds.low, bounds.high)
            )
            text += f", {change:+.1f} % [{low:+.1f}, {high:+.1f}] beside {way.beside}"
            asked = AT_MOST.get(name)
            if asked is not None:
                met = high <= asked
                good = good and met
                text += f", at most +{asked:g} % asked{'' if met else ' MISSED'}"
            # CPU seconds per 1,000 queries are milliseconds a query.
            value_us = 1000 * statistics.fmean(seen[way.beside]) / VALUES[way.how] / 100
            text += f"; {value_us * change:+.3f} [{value_us * low:+.3f}, {value_us * high:+.3f}] us"
            text += " a value"
            if name in VALUE_US:
                met = value_us * high <= VALUE_US[name]
                good = good and met
                text += f", at most {VALUE_US[name]:g} asked{'' if met else ' MISSED'}"
        print(text)
    return good


if __name__ == "__main__":
    program.run(main)

"""`make bench-proxy-rate`: the confidential proxy beside a raw relay at an equal rate, and builds.

How much CPU a hop takes for a query depends on how busy it is, because a busy one finds several
connections ready each time that it wakes. So builds are compared under an open loop that offers
each of them the same rate, at a share of what the slowest one sustains. That maximum, of a closed
loop, is measured first. CPU time is the hop's own, user and system, and beside it that of the
server and of the load, because a hop that answers in one piece or in two also costs these.

    PROGRAMS=old=/path/to/it,new=/path/to/it   default: raw relays with a thread for each direction
                                               and with one thread in all; this tree's proxy twice,
                                               which shows the noise, once with AES, and once by the
                                               server's socket
    CLIENTS=1,4,64,1024  REPEATS=10  SECONDS=3  SHARE=0.55  WORKERS=1

All builds run at once, in front of one MariaDB on loopback, and have the load in turns of a tenth
of a second, in an order that is drawn for each round of turns. What else a shared machine does then
meets all of them. Each repeat starts them anew, in an order that is drawn as well. A difference is
that of the first build: the geometric mean of the ratios within repeats, with Student's interval at
95 %. At the interval's upper end, the proxy may take no more CPU than the relay of two threads, a
tenth more than that of one, by the server's socket three quarters of what it takes by TCP, and for
AES half a microsecond.
"""

import math
import os
import random
import resource
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import NamedTuple

from encbench.core.statistics.intervals import estimate
from tests.bench import program, turns
from tests.bench.clock import cpu_seconds
from tests.bench.proxy import compiled
from tests.support import confidential, mariadb
from tests.support.mariadb import MariaDB

CLIENTS = [int(count) for count in os.environ.get("CLIENTS", "1,4,64,1024").split(",")]
REPEATS = int(os.environ.get("REPEATS", "10"))
MAXIMA = 2
"""Windows of a closed loop a build."""
SECONDS = float(os.environ.get("SECONDS", "3"))
WARMUP = 0.5
SHARE = float(os.environ.get("SHARE", "0.55"))
WORKERS = os.environ.get("WORKERS", "1")
HOSTS = ("127.0.0.1", "localhost")
"""Of connections by TCP, and by the socket."""
FILES = 32768
"""Two a connection."""
RELAYS = {"relay": "raw_relay", "relay of one thread": "one_thread_relay"}
NEAR = "by socket"
"""How the name of a proxy begins that reaches the server by its socket."""
SEALING = "AES"
"""The proxy that encrypts the column that is asked for, of 120 bytes."""


class Goal(NamedTuple):
    """How much more CPU a query than that build's, in percent or in microseconds."""

    than: str
    most: float
    unit: str = "%"


GOALS = {
    "proxy": [Goal("relay", 0.0), Goal("relay of one thread", 10.0)],
    SEALING: [Goal("proxy", 0.5, "us")],
    NEAR: [Goal("proxy", -25.0)],
}


@dataclass(frozen=True)
class Window:
    """What one build did in one window."""

    per_second: float
    cpu_us: float
    """The hop's own, a query."""
    server_us: float
    load_us: float
    median_us: float
    """From when a query is due to its answer."""
    p95_us: float


@dataclass(frozen=True)
class Bench:
    """The builds, and what they are measured with."""

    builds: dict[str, Path]
    server: int
    server_pid: int
    socket: str
    folder: Path
    load: Path

    def windows(self, repeats: int, clients: int, rate: float) -> dict[str, list[Window]]:
        """The windows of each build."""
        names, drawn = list(self.builds), random.Random(turns.SEED)
        rounds = []
        for _ in range(repeats):
            # Each window starts all builds anew, so the one that was last may be first.
            drawn.shuffle(names)
            rounds.append(self.round(names, clients, rate))
        return {name: [one[name] for one in rounds] for name in self.builds}

    def round(self, order: Sequence[str], clients: int, rate: float) -> dict[str, Window]:
        """A window of each build."""
        with ExitStack() as stack:
            proxies = [stack.enter_context(self.running(name)) for name in order]
            ports = [proxy.port for proxy in proxies]
            command = [str(self.load), *map(str, (clients, rate, WARMUP, SECONDS, *ports))]
            process = stack.enter_context(
                subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True)
            )
            hops = [proxy.process.pid for proxy in proxies]
            lines, used = _followed(process, self.server_pid, hops)
        if len(lines) != len(order):
            raise SystemExit("the load ended early")
        return {
            name: _window(line, cpu) for name, line, cpu in zip(order, lines, used, strict=True)
        }

    def running(self, name: str) -> AbstractContextManager[confidential.Proxy]:
        """One of the builds."""
        if self.builds[name].name in RELAYS.values():
            return _relaying(self.builds[name], self.folder, self.server)
        workers = ("--workers", WORKERS)
        return confidential.running(
            self.folder / name,
            f"unix:{self.socket}" if name.startswith(NEAR) else self.server,
            "points.c\n" if name == SEALING else "",
            confidential.AES,
            *workers,
            binary=self.builds[name],
        )


class Used(NamedTuple):
    """CPU seconds while one build had the load."""

    hop: float
    server: float
    load: float


def _followed(
    process: "subprocess.Popen[str]", server: int, hops: Sequence[int]
) -> tuple[list[str], list[Used]]:
    """The last lines of the load, and what was used in each build's turns."""
    assert process.stdin is not None
    assert process.stdout is not None
    lines: list[str] = []
    used = [Used(0.0, 0.0, 0.0)] * len(hops)
    before: list[float] = []
    for line in process.stdout:
        word, *rest = line.split()
        if word not in {"begin", "turn"}:
            lines.append(line)
            continue
        now = [cpu_seconds(pid) for pid in (server, process.pid, *hops)]
        if word == "turn":
            turn = int(rest[0])
            spent = [after - first for after, first in zip(now, before, strict=True)]
            sofar = used[turn]
            used[turn] = Used(
                sofar.hop + spent[2 + turn], sofar.server + spent[0], sofar.load + spent[1]
            )
        before = [cpu_seconds(pid) for pid in (server, process.pid, *hops)]
        process.stdin.write("\n")
        process.stdin.flush()
    return lines, used


@contextmanager
def _relaying(program: Path, folder: Path, server: int) -> Iterator[confidential.Proxy]:
    """The relay, which says its port and knows nothing of the protocol."""
    argv = [str(program), "127.0.0.1:0", f"127.0.0.1:{server}"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            announced = process.stdout.readline()
            port = int(announced.rpartition(":")[2])
            yield confidential.Proxy(port, process, announced, folder)
        finally:
            process.terminate()


def _window(line: str, used: Used) -> Window:
    queries, seconds, median, p95 = map(float, line.split())
    hop, server, load = (one * 1e6 / queries for one in used)
    return Window(queries / seconds, hop, server, load, median, p95)


def main() -> int:
    """Run the benchmark; the exit code says whether every figure is as it should be."""
    good = True
    load = compiled() / "point_load"
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, FILES), hard))
    builds = programs()
    with _server(max(CLIENTS) * len(builds)) as server, tempfile.TemporaryDirectory() as folder:
        assert server.process is not None
        at = server.layout
        bench = Bench(builds, at.port, server.process.pid, at.socket, Path(folder), load)
        for clients in CLIENTS:
            maxima = bench.windows(MAXIMA, clients, 0)
            slowest = min(_median(windows, "per_second") for windows in maxima.values())
            rate = float(f"{SHARE * slowest:.2g}")
            good &= _print(clients, rate, maxima, bench.windows(REPEATS, clients, rate))
    return 0 if good else 1


def programs() -> dict[str, Path]:
    """The builds by their names, in the order given."""
    given = os.environ.get("PROGRAMS")
    if given is None:
        relays = {name: compiled() / program for name, program in RELAYS.items()}
        names = ("proxy", "proxy again", SEALING, NEAR)
        return relays | dict.fromkeys(names, confidential.program())
    pairs = (pair.partition("=") for pair in given.split(","))
    return {name: Path(path) for name, _, path in pairs}


@contextmanager
def _server(connections: int) -> Iterator[MariaDB]:
    """A MariaDB with the rows and the user of `point_load`."""
    # Those of the last window may still be on their way out when the next one's come.
    overrides = {"max_connections": str(2 * connections + 50)}
    with mariadb.running({}, overrides=overrides) as server:
        server.admin(
            *(
                f"CREATE USER reader@'{host}' IDENTIFIED VIA mysql_native_password"
                for host in HOSTS
            ),
            "CREATE TABLE sbtest.points (id INT PRIMARY KEY, c CHAR(120))",
            "INSERT INTO sbtest.points SELECT seq, REPEAT('c', 120) FROM seq_1_to_10000",
            *(f"GRANT SELECT ON sbtest.points TO reader@'{host}'" for host in HOSTS),
        )
        yield server


def _print(
    clients: int, rate: float, maxima: dict[str, list[Window]], equal: dict[str, list[Window]]
) -> bool:
    good = True
    print(f"{clients} clients, {rate:,.0f} queries a second, {REPEATS} windows of {SECONDS:g} s")
    first, *_ = equal.values()
    for name, windows in equal.items():
        cpu = sorted(window.cpu_us for window in windows)
        met, asked = _judged(name, equal)
        good &= met
        print(
            f"  {name}: {_median(windows, 'cpu_us'):.2f} us CPU a query"
            f" ({cpu[0]:.2f} to {cpu[-1]:.2f}), {_against(first, windows)}{asked};"
            f" server {_median(windows, 'server_us'):.2f} us,"
            f" load {_median(windows, 'load_us'):.2f} us;"
            f" median {_median(windows, 'median_us'):.0f} us,"
            f" 95 % within {_median(windows, 'p95_us'):.0f} us;"
            f" at most {_median(maxima[name], 'per_second'):,.0f} queries a second,"
            f" then {_median(maxima[name], 'cpu_us'):.2f} us",
            flush=True,
        )
    return good


def _judged(name: str, equal: dict[str, list[Window]]) -> tuple[bool, str]:
    """Whether a build is as asked, and beside what it was laid."""
    good, text = True, ""
    for goal in GOALS.get(name, []) if "relay" in equal else []:
        if goal.than not in equal:
            continue
        change, low, high = _change(equal[goal.than], equal[name])
        if goal.unit == "us":
            percent = _median(equal[goal.than], "cpu_us") / 100
            change, low, high = (one * percent for one in (change, low, high))
        met = high <= goal.most
        good &= met
        text += f", than {goal.than} {change:+.2f} {goal.unit} ({low:+.2f} to {high:+.2f})"
        text += f", at most {goal.most:+g} {goal.unit} asked{'' if met else ' MISSED'}"
    return good, text


def _against(first: Sequence[Window], windows: Sequence[Window]) -> str:
    """How much more CPU these windows took than the first build's."""
    if windows is first:
        return "the first"
    change, low, high = _change(first, windows)
    if not math.isfinite(high):
        return "no interval"
    return f"{change:+.1f} % ({low:+.1f} to {high:+.1f})"


def _change(first: Sequence[Window], windows: Sequence[Window]) -> tuple[float, float, float]:
    """The increase in percent and its interval, which is infinite where there is none."""
    paired = estimate([one.cpu_us for one in first], [one.cpu_us for one in windows])
    bounds = paired and paired.change_bounds("increase")
    if not paired or not bounds:
        return 0.0, -math.inf, math.inf
    return 100 * paired.change("increase"), 100 * bounds.low, 100 * bounds.high


def _median(windows: Sequence[Window], figure: str) -> float:
    return float(statistics.median(getattr(window, figure) for window in windows))


if __name__ == "__main__":
    program.run(main)

"""`make bench-tpcc-beside`: our TPC-C client beside your own BenchmarkSQL 6, on PostgreSQL.

    BENCHMARKSQL=/path/to/it   its folder with lib and run, which has runBenchmark.sh
    LAUNCHES=6  ROUNDS=20
    SYNCHRONOUS_COMMIT=on      PostgreSQL's; off: commits do not wait for the disk

No registry has BenchmarkSQL, and its licence is its own, so you name the build. Every client runs
by the command that a pod has for it: eight terminals, no think time. BenchmarkSQL is there twice,
and the other clients are compared with the mean of the two: what the two differ by is noise.

Within a launch the clients take turns of SLICE seconds in random order, and are stopped in between,
as in an interleaved block. Each has a server of its own with the same data: two warehouses, which
our client has loaded with BenchmarkSQL's tables and indexes. In one database the orders of the
others would decide: when there are some hundred thousand of them, PostgreSQL takes another plan for
BenchmarkSQL's Stock-Level, which reads all of the stock. Afterwards the data must be consistent.

The clients count in different ways, so the database does: a NewOrder that is committed has its
number from its district. CPU time is read from outside, for each client by the same clock of all
its processes. NewOrders are 45 % of the transactions of every client.

Nothing limits the clients' memory here, so their JVMs are told what they would find in a pod of
MEMORY: BenchmarkSQL's heap may take 70 % of it, ours half, and both have the collector that a JVM
chooses there. By the memory of a whole machine, heap ceilings would be compared.

The interval is Student's at 95 % over the launches, since two runs of a JVM compile the same code
differently, and its worse end has to be as asked.
"""

import os
import random
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from encbench.api.testbed import TestbedSpec
from encbench.api.workload import WorkloadSpec
from tests.bench import program, turns
from tests.bench.interval import mean, ratio
from tests.bench.tpcc_driven import Client, Slice, driven
from tests.support import once, postgres
from tests.support.testbeds import spec_of_testbed
from tests.support.tpcc import Bench, loaded
from tests.support.workloads import tpcc_spec

LAUNCHES = int(os.environ.get("LAUNCHES", "6"))
ROUNDS = int(os.environ.get("ROUNDS", "20"))
COMMIT = os.environ.get("SYNCHRONOUS_COMMIT", "on")
WARMUP_ROUNDS = 20
"""Of which the JVMs need a minute to have compiled what is often run."""
SLICE = 3.0
WAREHOUSES, TERMINALS = 2, 8
MEMORY = "1Gi"
"""Of a client's pod, as docs/tpcc-workload.md has it."""
THEIRS, AGAIN = "BenchmarkSQL 6", "BenchmarkSQL 6 again"
SAME, LEAN = "benchmarksql statements", "lean statements"


@dataclass(frozen=True)
class Goal:
    """What one of our clients has to be to BenchmarkSQL, as a factor."""

    who: str
    figure: str
    asked: float
    least: bool = False

    def met(self, low: float, high: float) -> bool:
        """Whether the worse end of the interval is as asked."""
        return low >= self.asked if self.least else high <= self.asked


GOALS = (
    Goal(SAME, "cpu_ms", 0.7),
    Goal(SAME, "resident_mb", 0.3),
    Goal(SAME, "per_minute", 1.1, least=True),
    Goal(LEAN, "per_minute", 1.8, least=True),
)
"""The first three are not in reach of a client that sends the same statements. The kernel's work
for ours, a write and a read in each round trip, takes 0.7 to 0.75 times BenchmarkSQL's whole CPU.
In the same pod both take about 130 MB. The database takes four fifths of the machine's CPU, and so
decides how many transactions there are (November 2026, two shared cores)."""
FIGURES = {
    "cpu_ms": ("client CPU for each NewOrder", "ms", 3),
    "resident_mb": ("client resident", "MB", 0),
    "per_minute": ("NewOrders a minute", "", 0),
}


class Launch(NamedTuple):
    """What one client did in all rounds of a launch."""

    per_minute: float
    cpu_ms: float
    """Of a NewOrder and of the other transactions that go with it."""
    resident_mb: float

    def __str__(self) -> str:
        return f"{self.cpu_ms:.3f} ms, {self.per_minute:,.0f} NewOrders a minute"


def summed(slices: Sequence[Slice], resident: int) -> Launch:
    """The figures of a client's slices. `resident` is its memory in bytes."""
    orders, cpu, seconds = (sum(column) for column in zip(*slices, strict=True))
    return Launch(60 * orders / seconds, 1000 * cpu / orders, resident / 1e6)


def main() -> int:
    """Run the benchmark; the exit code says whether every figure is as it should be."""
    home = Path(os.environ.get("BENCHMARKSQL", "")).resolve()
    if COMMIT not in ("on", "off"):
        raise SystemExit(f"SYNCHRONOUS_COMMIT={COMMIT}: write on or off")
    if not (home / "run/runBenchmark.sh").exists():
        raise SystemExit("BENCHMARKSQL: name the folder of your BenchmarkSQL 6, with lib and run")
    testbed = spec_of_testbed(
        engine="postgresql",
        version="15",
        image="registry.example.com/postgresql:15",
        resources={"cpu": "2", "memory": "2Gi"},
        storage={"size": "8Gi"},
        settings={"synchronous_commit": COMMIT},
        max_connections=64,
    )
    specs = workloads(home)
    seen: dict[str, list[Launch]] = {name: [] for name in specs}
    with once.place():
        for number in range(1, LAUNCHES + 1):
            for name, launch in _launch(specs, testbed, home, random.Random(number)).items():
                seen[name].append(launch)
                print(f"launch {number} of {LAUNCHES}: {name}, {launch}", flush=True)
    return 0 if report(seen) else 1


def _launch(
    specs: Mapping[str, WorkloadSpec], testbed: TestbedSpec, home: Path, drawn: random.Random
) -> dict[str, Launch]:
    """Every client on a server of its own; SystemExit if its data are not consistent afterwards."""
    with ExitStack() as stack:
        benches, clients = {}, {}
        for name, spec in specs.items():
            server = stack.enter_context(
                postgres.running({}, spec=testbed, dataset=loaded(WAREHOUSES))
            )
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="encbench-bench-"))
            benches[name] = Bench(server, Path(folder))
            clients[name] = stack.enter_context(driven(spec, benches[name], home, TERMINALS))
        found = _measured(clients, drawn)
        for client in clients.values():
            client.end()
        for name, bench in benches.items():
            checked = bench.check()
            if checked.returncode:
                raise SystemExit(f"{name}: {checked.stdout}{checked.stderr}")
    return found


def _measured(clients: Mapping[str, Client], drawn: random.Random) -> dict[str, Launch]:
    slices: dict[str, list[Slice]] = {name: [] for name in clients}
    names = list(clients)
    for number in range(-WARMUP_ROUNDS, ROUNDS):
        turns.draw(names, drawn)
        for name in names:
            one = clients[name].turn(SLICE)
            if number >= 0:
                slices[name].append(one)
    return {name: summed(slices[name], client.resident()) for name, client in clients.items()}


def workloads(home: Path) -> dict[str, WorkloadSpec]:
    """Of every client by its name. They would go on for longer than a launch, which ends them."""
    load = {"warmup": "1m", "duration": "60m"}
    theirs = {"dialect": 6, "benchmarksql": {"home": str(home)}}
    tpcc: dict[str, dict[str, Any]] = {
        THEIRS: theirs,
        AGAIN: theirs,
        SAME: {"statements": "benchmarksql"},
        LEAN: {"statements": "lean"},
    }
    client = {"resources": {"cpu": "2", "memory": MEMORY}}
    return {
        name: tpcc_spec({"warehouses": WAREHOUSES, **fields}, load, client)
        for name, fields in tpcc.items()
    }


def report(seen: Mapping[str, Sequence[Launch]]) -> bool:
    """Print every figure beside what is asked; whether all are as they should be."""
    print(
        f"{WAREHOUSES} warehouses, {TERMINALS} terminals, no think time, PostgreSQL 15 on loopback"
        f" with synchronous_commit={COMMIT}, clients of {MEMORY}; {len(seen[THEIRS])} launches of"
        f" {ROUNDS} rounds of {SLICE:g} s"
    )
    met = [_told(seen, figure) for figure in FIGURES]
    return all(met)


def _told(seen: Mapping[str, Sequence[Launch]], figure: str) -> bool:
    words, unit, digits = FIGURES[figure]
    values = {name: [float(getattr(one, figure)) for one in own] for name, own in seen.items()}
    pairs = zip(values[THEIRS], values[AGAIN], strict=True)
    base = [(first * second) ** 0.5 for first, second in pairs]
    good = True
    for name, own in values.items():
        text = f"  {words}, {name}: {mean(own).text(digits)} {unit}".rstrip()
        if name == AGAIN:
            text += f", {ratio(values[THEIRS], own).text(3)} times (A/A)"
        elif name != THEIRS:
            found = ratio(base, own)
            text += f", {found.text(3)} times {THEIRS}'s"
            for goal in GOALS:
                if (goal.who, goal.figure) == (name, figure):
                    met = goal.met(found.low, found.high)
                    good = good and met
                    text += f", at {'least' if goal.least else 'most'} {goal.asked:g} asked"
                    text += "" if met else " MISSED"
        print(text)
    return good


if __name__ == "__main__":
    program.run(main)

"""`make bench-tpcc`: what our TPC-C client costs and what it gets out of a PostgreSQL on loopback.

Two warehouses, no think time, PostgreSQL 15 as the operator starts it. It prints each figure beside
what is asked of it, and how much of the machine others used meanwhile, because on a shared machine
CPU time per transaction grows with the neighbours. CPU and throughput are of the same windows:
their geometric mean with its interval at 95 %, whose worse end has to be as asked. Nothing is asked
of throughput, which is the machine's: `make bench-tpcc-beside` lays it beside BenchmarkSQL's.
"""

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench import program
from tests.bench.interval import mean
from tests.contract.tpcc.program import Done, Program, ended
from tests.support import postgres
from tests.support.testbeds import spec_of_testbed

WINDOWS = 5
WARMUP = 15
SECONDS = 20
FEW, MANY = 8, 1024
LIMIT = 24_000
TICKS = os.sysconf("SC_CLK_TCK")

LOAD_SECONDS = 25.0
CPU_MS = 0.14
RESIDENT_MB = 300.0


@dataclass(frozen=True)
class Run:
    """One run with what the machine did meanwhile."""

    done: Done
    others: float
    """Cores that neither client nor server used."""
    switches: float
    """Context switches of the whole machine a second."""

    @property
    def cpu_ms(self) -> float:
        result = self.done.result
        return float(1000 * result["client"]["cpuSecondsWindow"] / result["transactions"])

    @property
    def resident_mb(self) -> float:
        return float(self.done.result["client"]["residentBytes"]) / 1e6

    @property
    def per_minute(self) -> float:
        return float(self.done.result["tpmTotal"])


def main() -> int:
    """Run the benchmark; the exit code says whether every figure is as it should be."""
    memory = {"cpu": "2", "memory": "2Gi"}
    spec = spec_of_testbed(
        engine="postgresql",
        version="15",
        image="registry.example.com/postgresql:15",
        resources=memory,
        storage={"size": "8Gi"},
        max_connections=MANY,
    )
    with (
        tempfile.TemporaryDirectory(prefix="encbench-bench-") as folder,
        postgres.running({}, spec=spec) as server,
    ):
        program = Program(server, Path(folder), 2)
        began = time.monotonic()
        loaded = program.run("load")
        load_seconds = time.monotonic() - began
        if loaded.code:
            print(loaded.said, file=sys.stderr)
            return 1
        runs = [_run(program, terminals=FEW) for _ in range(WINDOWS)]
        # As many as there are to do: what differs is how many terminals wait for their turn.
        few, many = (
            _run(program, terminals=terminals, limitTxnsPerMin=LIMIT) for terminals in (FEW, MANY)
        )
        crowd = _run(program, terminals=MANY)
        checked = program.run("check")
    print(
        f"2 warehouses, {FEW} terminals, no think time, PostgreSQL 15 on loopback, durable commits"
    )
    for number, run in enumerate(runs, 1):
        print(f"  window {number}: {_text(run)}")
    print(f"  {LIMIT:,} a minute at {FEW} terminals: {_text(few)}")
    print(f"  {LIMIT:,} a minute at {MANY} terminals: {_text(many)}")
    print(f"  as many as {MANY} terminals can: {_text(crowd)}")
    cpu, resident, rate = (
        mean([getattr(run, figure) for run in runs])
        for figure in ("cpu_ms", "resident_mb", "per_minute")
    )
    good = [
        _line("one load, with all keys", f"{load_seconds:.1f} s", load_seconds, LOAD_SECONDS),
        _line("client CPU a transaction", f"{cpu.text(3)} ms", cpu.high, CPU_MS),
        _line("client resident", f"{resident.text(0)} MB", resident.high, RESIDENT_MB),
    ]
    print(f"  transactions a minute: {rate.text(0)}")
    print(f"  consistency queries: {'all empty' if checked.code == 0 else 'CONTRADICTED'}")
    return 0 if all(good) and checked.code == 0 else 1


def _run(program: Program, **properties: int) -> Run:
    server = _server_seconds(program)
    machine, switches, began = _machine(), _switches(), time.monotonic()
    process = program.start("run", warmupSeconds=WARMUP, runSeconds=SECONDS, **properties)
    done = ended(process)
    seconds = time.monotonic() - began
    if done.code:
        raise SystemExit(done.said)
    own = done.result["client"]["cpuSeconds"] + _server_seconds(program) - server
    return Run(
        done,
        others=(_machine() - machine - own) / seconds,
        switches=(_switches() - switches) / seconds,
    )


def _server_seconds(program: Program) -> float:
    """CPU seconds of the server's processes so far, those that have ended included."""
    used = 0
    for stat in program.server.proc.glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        used += sum(int(field) for field in fields[11:15])
    return used / TICKS


def _machine() -> float:
    """CPU seconds that the machine was busy so far."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    idle, waiting = fields[3], fields[4]
    return (sum(fields[:8]) - idle - waiting) / TICKS


def _switches() -> int:
    (line,) = (
        line for line in Path("/proc/stat").read_text().split("\n") if line.startswith("ctxt ")
    )
    return int(line.split()[1])


def _text(run: Run) -> str:
    result = run.done.result
    return (
        f"{run.per_minute:,.0f} transactions a minute, {run.cpu_ms:.3f} ms client CPU each, "
        f"{run.resident_mb:.0f} MB resident, p95 {result['latencyMs']['p95']:.1f} ms, "
        f"{result['retries']} retries, {result['errors']} errors, "
        f"{run.switches:,.0f} context switches a second; others used {run.others:.2f} cores"
    )


def _line(what: str, said: str, worst: float, asked: float) -> bool:
    """`worst` is what has to be as asked: the upper end of the interval."""
    good = worst <= asked
    print(f"  {what}: {said} (at most {asked:,g} asked){'' if good else ' MISSED'}")
    return good


if __name__ == "__main__":
    program.run(main)

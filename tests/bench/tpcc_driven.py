"""A TPC-C client that runs in turns of seconds, and is stopped (SIGSTOP) in between."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from encbench.api.workload import WorkloadSpec
from encbench.tools.tpcc import memory, props
from tests.bench.clock import cpu_seconds
from tests.support.tpcc import CLIENT_SH, Bench

SETTLE = 0.5
"""Seconds at the start of a turn that do not count, because others' data are in the caches."""
PATIENCE = 120.0
"""Seconds until a client has committed its first NewOrder."""
ORDERS = "SELECT sum(d_next_o_id), extract(epoch FROM statement_timestamp()) FROM bmsql_district"
"""NewOrders that were ever committed, but for a constant, and when that was so."""


class Slice(NamedTuple):
    """What a client did in one turn."""

    orders: int
    """NewOrders that were committed."""
    cpu: float
    """Seconds of its processes."""
    seconds: float


class _Reading(NamedTuple):
    """Of a client and its server at a moment; CPU seconds by process."""

    orders: int
    cpu: dict[int, float]
    now: float


@dataclass(frozen=True)
class Client:
    """One that has begun to work and then been stopped. `run` asks its server."""

    process: "subprocess.Popen[bytes]"
    said: Path
    run: Callable[[str], list[tuple[Any, ...]]]

    def turn(self, seconds: float) -> Slice:
        """Let it run for so long; SystemExit with what it said if it has ended."""
        self.send(signal.SIGCONT)
        time.sleep(SETTLE)
        before = self._read()
        time.sleep(seconds)
        after = self._read()
        self.send(signal.SIGSTOP)
        # Its scripts begin and end programs of no weight at any time.
        stayed = before.cpu.keys() & after.cpu.keys()
        cpu = sum(after.cpu[pid] - before.cpu[pid] for pid in stayed)
        return Slice(after.orders - before.orders, cpu, after.now - before.now)

    def begin(self) -> None:
        """Wait until a NewOrder is committed, and stop it; SystemExit if none is in time."""
        ((loaded, _),) = self.run(ORDERS)
        deadline = time.monotonic() + PATIENCE
        while self.run(ORDERS)[0][0] == loaded:
            if time.monotonic() > deadline:
                self._fail()
            self.send(0)
            time.sleep(0.1)
        self.send(signal.SIGSTOP)

    def send(self, number: int) -> None:
        """Signal all its processes; SystemExit with what it said if it has ended."""
        if self.process.poll() is not None:
            self._fail()
        os.killpg(self.process.pid, number)

    def end(self) -> None:
        """Kill it, wherever it is."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def resident(self) -> int:
        """Bytes of memory of its processes."""
        return sum(map(_resident, session(self.process.pid)))

    def _read(self) -> _Reading:
        cpu = {}
        for pid in session(self.process.pid):
            with suppress(OSError):
                cpu[pid] = cpu_seconds(pid)
        ((orders, now),) = self.run(ORDERS)
        return _Reading(int(orders), cpu, float(now))

    def _fail(self) -> NoReturn:
        raise SystemExit(self.said.read_text(errors="replace")[-3000:])


@contextmanager
def driven(spec: WorkloadSpec, bench: Bench, home: Path, terminals: int) -> Iterator[Client]:
    """The client of that workload on that server, stopped. `home` is BenchmarkSQL's."""
    assert spec.tpcc is not None
    (own,) = bench.arguments(spec, terminals)
    said = bench.folder / "output.log"
    with bench.server.session() as run:
        with said.open("w") as file:
            process = subprocess.Popen(
                ["sh", str(CLIENT_SH), props.kind_of(spec.tpcc), "run", *own.split()],
                env={**os.environ, **environment(spec, bench, home)},
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        client = Client(process, said, run)
        try:
            client.begin()
            yield client
        finally:
            client.end()


def environment(spec: WorkloadSpec, bench: Bench, home: Path) -> dict[str, str]:
    """What the client's container has, with places of this machine."""
    assert spec.tpcc is not None
    values = bench.environment(props.run_props(spec.tpcc, spec.load, bench.connection, 2))
    results = f"{values['ENCBENCH_SCRATCH']}/encbench/results"
    return values | {
        "ENCBENCH_PROPS": values["ENCBENCH_PROPS"].replace(props.RESULTS, results),
        "ENCBENCH_BENCHMARKSQL": str(home),
        "ENCBENCH_RUN_DIR": str(bench.folder),
        # What a JVM makes of its pod: below 1,792 MB of memory it takes the serial collector.
        "JAVA_TOOL_OPTIONS": f"-XX:MaxRAM={spec.client.resources.memory_bytes} -XX:+UseSerialGC",
        "TPCC_JAVA_OPTIONS": f"-Xmx{memory.heap_mib(spec.client)}m",
        "ENCBENCH_HEAP_MIB": str(memory.benchmarksql_heap_mib(spec.client)),
    }


def session(leader: int) -> list[int]:
    """The processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(stat.read_text().rpartition(") ")[2].split()[3]) == leader:
                found.append(int(stat.parent.name))
    return found


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

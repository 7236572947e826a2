"""A TPC-C client in turns, with a script in its place."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.bench.tpcc_driven import Client, driven, session
from tests.support import tpcc
from tests.support.tpcc import Bench
from tests.support.workloads import tpcc_spec
from tests.unit.bench.servers import SERVER


@contextmanager
def client(folder: Path, script: str) -> Iterator[Client]:
    """BenchmarkSQL, whose script is this. A byte that it appends to $orders is a NewOrder."""
    orders = folder / "orders"
    orders.touch()

    def run(_query: str) -> list[tuple[Any, ...]]:
        return [(6_000 + orders.stat().st_size, time.time())]

    @contextmanager
    def connected() -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
        yield run

    program = folder / "home/run/runBenchmark.sh"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\norders={orders}\n{script}\n")
    program.chmod(0o755)
    home = program.parents[1]
    (folder / "launch").mkdir()
    server = SimpleNamespace(**vars(SERVER), session=connected)
    fields = {"dialect": 6, "benchmarksql": {"home": str(home)}}
    client = {"resources": {"cpu": "2", "memory": "1Gi"}}
    spec = tpcc_spec(fields, {"warmup": "1m", "duration": "1m"}, client)
    with driven(spec, Bench(server, folder / "launch"), home, 8) as found:
        yield found


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No client of ours."""
    monkeypatch.setattr(tpcc, "home", lambda: tmp_path)


def state(pid: int) -> str:
    """T where it is stopped (proc(5))."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def test_a_turn_has_what_the_database_counted_and_the_cpu_of_the_processes(tmp_path: Path) -> None:
    with client(tmp_path, "while :; do printf . >>$orders; done") as found:
        one = found.turn(0.3)
        resident = found.resident()
    assert one.orders > 0
    assert one.seconds >= 0.3
    # One core at most; a machine with other things to do gives less.
    assert 0 < one.cpu < 2 * one.seconds
    assert resident > 500_000


def test_it_is_stopped_between_turns(tmp_path: Path) -> None:
    orders = tmp_path / "orders"
    with client(tmp_path, "while :; do printf . >>$orders; done") as found:
        found.turn(0.1)
        deadline = time.monotonic() + 10
        while state(found.process.pid) != "T" and time.monotonic() < deadline:
            time.sleep(0.01)
        before = orders.stat().st_size
        time.sleep(0.2)
        assert orders.stat().st_size == before


def test_no_process_is_left(tmp_path: Path) -> None:
    with client(tmp_path, "printf . >>$orders; sleep 600 & wait") as found:
        leader = found.process.pid
    deadline = time.monotonic() + 10
    while session(leader) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert session(leader) == []


def test_programs_that_end_within_a_turn_do_not_count(tmp_path: Path) -> None:
    script = "while :; do printf . >>$orders; cat /dev/null; done"
    with client(tmp_path, script) as found:
        assert found.turn(0.3).cpu > 0


def test_a_client_that_fails_ends_it_with_its_words(tmp_path: Path) -> None:
    script = "echo no such driver; exit 1"
    with pytest.raises(SystemExit, match="no such driver"), client(tmp_path, script):
        pass


def test_a_client_that_fails_in_its_turn_ends_it_with_its_words(tmp_path: Path) -> None:
    script = "printf . >>$orders; sleep 0.2; echo out of memory; exit 1"
    with pytest.raises(SystemExit, match="out of memory"), client(tmp_path, script) as found:
        found.turn(0.1)


def test_benchmarksql_has_the_memory_of_a_pod(tmp_path: Path) -> None:
    seen = tmp_path / "options"
    options = "-XX:MaxRAM=1073741824 -XX:+UseSerialGC"
    with client(tmp_path, f'echo "$JAVA_TOOL_OPTIONS" > {seen}; printf . >>$orders; sleep 60'):
        said = seen.read_text()
    assert said == f"-Xmx716m -Djava.net.preferIPv6Addresses=system {options}\n"

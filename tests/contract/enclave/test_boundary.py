"""What a crossing costs where processes share a processor."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from tests.support.postgres import Postgres

ROUNDS, TRANSITION, VALUE = 150, 1_000_000, 20_000
"""Of a calibration: two crossings each, one of them with 32 values."""
ASKED = ROUNDS * (2 * TRANSITION + 32 * VALUE) / 1e9
"""Seconds, far more than a scheduler's slice."""
SESSIONS = 2


def test_a_crossing_costs_processor_time_although_another_process_wants_it(
    server: Postgres,
) -> None:
    """By the wall's clock alone, each would be credited with what the other one burns."""
    barrier = Barrier(SESSIONS)
    cpu = str(min(os.sched_getaffinity(0)))

    def burnt(_: int) -> float:
        with server.session() as run:
            run(f"SET encbench_enclave.transition_ns = {TRANSITION}")
            run(f"SET encbench_enclave.value_ns = {VALUE}")
            ((process,),) = run("SELECT pg_backend_pid()")
            server.inside("taskset", "--cpu-list", "--pid", cpu, str(process))
            barrier.wait(30)
            before = cpu_seconds(server, process)
            run(f"SELECT enclave_calibrate({ROUNDS})")
            return cpu_seconds(server, process) - before

    with ThreadPoolExecutor(SESSIONS) as threads:
        found = list(threads.map(burnt, range(SESSIONS)))
    assert min(found) > 0.95 * ASKED, found


def cpu_seconds(server: Postgres, process: int) -> float:
    """What the kernel has counted for a process of the server's."""
    nanoseconds = Path(server.proc, str(process), "schedstat").read_text().split()[0]
    return int(nanoseconds) / 1e9

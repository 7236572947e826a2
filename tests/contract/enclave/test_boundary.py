"""What a crossing costs where processes share a processor."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

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

    def calibrated(_: int) -> tuple[float, float, float]:
        with server.session() as run:
            run(f"SET encbench_enclave.transition_ns = {TRANSITION}")
            run(f"SET encbench_enclave.value_ns = {VALUE}")
            ((process,),) = run("SELECT pg_backend_pid()")
            server.inside("taskset", "--cpu-list", "--pid", cpu, str(process))
            barrier.wait(30)
            before = cpu_seconds(server, process)
            ((transition, value),) = run(
                f"SELECT transition_achieved, value_achieved FROM enclave_calibrate({ROUNDS})"  # noqa: S608
            )
            return cpu_seconds(server, process) - before, transition, value

    with ThreadPoolExecutor(SESSIONS) as threads:
        found = list(threads.map(calibrated, range(SESSIONS)))
    for burnt, transition, value in found:
        assert burnt > 0.95 * ASKED, found
        # A proof must hold beside others, too.
        assert transition == pytest.approx(TRANSITION, rel=0.05), found
        assert value == pytest.approx(VALUE, rel=0.05), found


def cpu_seconds(server: Postgres, process: int) -> float:
    """What the kernel has counted for a process of the server's."""
    nanoseconds = Path(server.proc, str(process), "schedstat").read_text().split()[0]
    return int(nanoseconds) / 1e9

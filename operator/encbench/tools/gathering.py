"""How several clients of one trial begin their load together.

A tool takes CPU to start and to connect, so that many of them on few cores begin one after the
other. Each is started early instead, connects, and then waits for a moment that all of them know:
`run.sh` hands on when the tool was to start, and `sysbench/session.lua` and the TPC-C client's
`Gathering` count from there. BenchmarkSQL cannot wait.
"""

from encbench.api.trial import TrialSpec
from encbench.api.workload import WorkloadSpec

VARIABLE = "ENCBENCH_GATHER"
"""Seconds from the start of the tool to its load."""

_EACH_THREAD = 0.005
_LONGEST = 10.0
"""sysbench gives up when its threads have not come so far within 30 seconds."""


def gather_seconds(spec: TrialSpec) -> float:
    """What the clients have for starting and connecting; 0 where nothing waits for others.

    An interleaved block has its timetable.
    """
    return 0.0 if spec.turns else gather_alone(spec.workload, spec.concurrency)


def gather_alone(workload: WorkloadSpec, concurrency: int) -> float:
    """The same of a trial that runs alone.

    A recovery's stop is counted from the tool's start.
    """
    clients, tpcc = workload.client.replicas, workload.tpcc
    if clients == 1 or workload.recovery or (tpcc and tpcc.benchmarksql):
        return 0.0
    # A Java virtual machine needs more than a second of CPU until it is connected.
    start, each = (1.0, 0.1) if tpcc is None else (3.0, 0.5)
    return round(min(start + each * clients + _EACH_THREAD * concurrency, _LONGEST), 3)


def environment(spec: TrialSpec) -> dict[str, str]:
    """The variable of a client that has to wait; none of one by itself."""
    seconds = gather_seconds(spec)
    return {VARIABLE: f"{seconds:g}"} if seconds else {}

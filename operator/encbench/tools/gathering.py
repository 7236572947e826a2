"""How several clients of one trial begin their load together.

A tool takes CPU to start and to connect, so that many of them on few cores begin one after the
other. Each is started early instead, connects, and then waits for a moment that all of them know:
`run.sh` hands on when the tool was to start, and `sysbench/session.lua` counts from there.
"""

from encbench.api.trial import TrialSpec

VARIABLE = "ENCBENCH_GATHER"
"""Seconds from the start of the tool to its load."""

_ANY, _EACH_CLIENT, _EACH_THREAD = 1.0, 0.05, 0.005
_LONGEST = 10.0
"""sysbench gives up when its threads have not come so far within 30 seconds."""


def gather_seconds(spec: TrialSpec) -> float:
    """What the clients have for starting and connecting; 0 where nothing waits for others.

    An interleaved block has its timetable, and a recovery's stop is counted from the tool's start.
    """
    workload = spec.workload
    clients = workload.client.replicas
    if clients == 1 or workload.sysbench is None or spec.turns or workload.recovery:
        return 0.0
    wanted = _ANY + _EACH_CLIENT * clients + _EACH_THREAD * spec.concurrency
    return round(min(wanted, _LONGEST), 3)

"""How long a tool may run until it has printed more than is read of it.

The trial would be `Invalid: OutputTooLarge`, and that at its end.
"""

from collections.abc import Iterator

from encbench.api.kinds import WORKLOAD
from encbench.api.workload import WorkloadSpec
from encbench.core.problem import Problem, Reason
from encbench.wire.files import LARGEST

_BESIDE = 512 * 2**10
"""Bytes of reports, histograms and a line for each of 4,096 sessions."""
_HOUR = 3600


def problems(workload: WorkloadSpec, tool: str, each_second: int) -> Iterator[Problem]:
    """A problem if the load lasts too long for a tool that prints so many bytes a second."""
    load = workload.load
    hours = (LARGEST - _BESIDE) // each_second // _HOUR
    if load.warmup_seconds + load.duration_seconds <= hours * _HOUR:
        return
    text = (
        f"load.warmup and load.duration of {load.warmup} and {load.duration} are too long: of what "
        f"{tool} prints {LARGEST >> 20} MiB are read, so make them {hours}h or less together"
    )
    yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)

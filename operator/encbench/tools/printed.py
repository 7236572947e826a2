"""How long a tool may run until it has printed more than is read of it.

The trial would be `Invalid: OutputTooLarge`, and that at its end.
"""

from collections.abc import Iterator

from encbench.api.campaign import Blocks
from encbench.api.kinds import WORKLOAD
from encbench.api.workload import WorkloadSpec
from encbench.core.problem import Problem, Reason
from encbench.tools.turns import arm_seconds
from encbench.wire.files import LARGEST

_BESIDE = 512 * 2**10
"""Bytes of reports, histograms and a line for each of 4,096 sessions."""
_HOUR = 3600


def problems(
    workload: WorkloadSpec, blocks: Blocks, tool: str, each_second: int
) -> Iterator[Problem]:
    """A problem if the load lasts too long for a tool that prints so many bytes a second."""
    warmup = workload.load.warmup_seconds
    hours = (LARGEST - _BESIDE) // each_second // _HOUR
    for named, seconds in _runs(workload, blocks):
        if warmup + seconds > hours * _HOUR:
            text = (
                f"{named} are too long: of what {tool} prints {LARGEST >> 20} MiB are read, so "
                f"make them {hours}h or less together"
            )
            yield Problem(WORKLOAD, Reason.SETTING_INVALID, text)


def _runs(workload: WorkloadSpec, blocks: Blocks) -> Iterator[tuple[str, float]]:
    """After the warm-up: how long a client runs in a block of each kind, and what says so.

    In an interleaved one it is stopped, and prints nothing, in the turns of others.
    """
    load, turns = workload.load, blocks.interleave
    if turns is None or blocks.solo:
        named = f"load.warmup and load.duration of {load.warmup} and {load.duration}"
        yield named, load.duration_seconds
    if turns is not None:
        named = (
            f"load.warmup of {load.warmup} and the {turns.rounds:,} rounds of blocks.interleave "
            f"with slices of {turns.slice}"
        )
        yield named, arm_seconds(turns)

"""What the operator asks of a load tool: pure functions, one set per tool.

The reconcilers know nothing else of a tool, so that a further one is a package beside `sysbench`
and a line in `registry`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.core.connection import Connection
from encbench.core.problem import Problem
from encbench.ports import Body
from encbench.tools.context import LoadContext, TrialContext
from encbench.tools.measurement import Measurement, merge


def always(_: WorkloadSpec) -> bool:
    """For a tool of which it holds whatever the workload."""
    return True


def everything_verified(_: Connection) -> str | None:
    """For a tool that verifies all of the server's certificate, its names included."""
    return None


def none_prepared(_: WorkloadSpec) -> int:
    """For a tool whose statements are too few to count, or that nobody knows."""
    return 0


@dataclass(frozen=True)
class Tool:
    """One tool."""

    name: str
    problems: Callable[[WorkloadSpec, str | None], Iterable[Problem]]
    """What is wrong with this workload, given the text of its own script if it has one."""
    pair_problems: Callable[
        [WorkloadSpec, InstanceTemplateSpec, EncryptionModeSpec], Iterable[Problem]
    ]
    """The same about this workload together with an instance in a mode."""
    load_job: Callable[[LoadContext], Body]
    """The Job that loads the dataset from nothing."""
    trial_job: Callable[[TrialContext], Body]
    """The indexed Job whose pods wait for their release, drive the load and store what they saw."""
    parse: Callable[[str], Measurement]
    """The measurement in the complete output of one client; ParseError for anything else."""
    parse_cut: Callable[[str, float, float], Measurement] | None = None
    """The same of a run that the server's end has cut off: of the seconds from a warm-up's end for
    so many more. None for a tool that no recovery is measured with."""
    merge: Callable[[Sequence[Measurement]], Measurement] = merge
    """All replicas as one client."""
    statements: Callable[[WorkloadSpec], int] = none_prepared
    """How many statements each of its connections prepares on the server."""
    tells_sessions: Callable[[WorkloadSpec], bool] = always
    """Whether its output says what its sessions negotiated (`tools.session`). Where it does not,
    `pair_problems` refuses each mode that only this could prove."""
    unverified: Callable[[Connection], str | None] = everything_verified
    """What its clients leave unverified of the server's certificate under TLS, for proofs to say;
    None when nothing, or where there is no TLS."""

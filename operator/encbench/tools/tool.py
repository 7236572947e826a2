"""What the operator asks of a load tool: pure functions, one set per tool.

The reconcilers know nothing else of a tool, so that a further one is a package beside `sysbench`
and a line in `registry`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from encbench.api.workload import WorkloadSpec
from encbench.ports import Body
from encbench.tools.context import LoadContext, TrialContext
from encbench.tools.measurement import Measurement, merge


@dataclass(frozen=True)
class Tool:
    """One tool."""

    name: str
    problems: Callable[[WorkloadSpec, str | None], list[str]]
    """What is wrong with this workload, given the text of its script if it names one; each in one
    sentence that says what to write instead. Empty when nothing is."""
    load_job: Callable[[LoadContext], Body]
    """The Job that loads the dataset from nothing."""
    trial_job: Callable[[TrialContext], Body]
    """The indexed Job whose pods wait for their release, drive the load and store what they saw."""
    parse: Callable[[str], Measurement]
    """The measurement in the complete output of one client; ParseError for anything else."""
    merge: Callable[[Sequence[Measurement]], Measurement] = merge
    """All replicas as one client."""

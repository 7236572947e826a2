"""The operator's interface to a load tool, pure functions, one set per tool; and the tools.

The reconcilers use nothing else of a tool. A further tool is a package beside `sysbench`, an entry
here, and what docs/architecture.md lists under "A new tool".
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from encbench.api.campaign import Blocks
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.testbed import Dataset
from encbench.api.workload import WorkloadSpec
from encbench.core.connection import Connection
from encbench.core.problem import Problem
from encbench.ports import Body
from encbench.tools.context import LoadContext, TrialContext
from encbench.tools.measurement import Measurement
from encbench.tools.sysbench import command, jobs, memory, parser, problems
from encbench.tools.tpcc import jdbc
from encbench.tools.tpcc import jobs as tpcc_jobs
from encbench.tools.tpcc import parser as tpcc_parser
from encbench.tools.tpcc import problems as tpcc_problems


@dataclass(frozen=True)
class Tool:
    """One tool."""

    problems: Callable[[WorkloadSpec, str | None, Blocks], Iterable[Problem]]
    """Problems of this workload, given the text of its own script if it has one, in a campaign with
    such blocks."""
    pair_problems: Callable[
        [WorkloadSpec, InstanceTemplateSpec, EncryptionModeSpec], Iterable[Problem]
    ]
    """Problems of this workload together with an instance in a mode."""
    load_job: Callable[[LoadContext], Body]
    """The Job that loads the dataset from nothing."""
    trial_job: Callable[[TrialContext], Body]
    """The indexed Job whose pods wait for their release, drive the load and store the results."""
    parse: Callable[[str], Measurement]
    """The measurement in the complete output of one client; ParseError for anything else."""
    parse_cut: Callable[[str, float, float], Measurement] | None = None
    """The measurement of a run that the server's stop has cut off; the numbers are warm-up and
    duration in seconds. None for a tool that cannot measure a recovery."""
    why_it_failed: Callable[[str], str] = lambda _: ""
    """Why a client has ended with an error, from the end of its log; empty where only that says it.
    The words are ours: what an image prints gets into no status."""
    statements: Callable[[WorkloadSpec], int] = lambda _: 0
    """Statements that each connection prepares on the server; 0 if too few to count or unknown."""
    unverified: Callable[[Connection], str | None] = lambda _: None
    """The part of the server's certificate that its clients do not verify, for proofs to mention;
    None if they verify all of it, or without TLS."""


_SYSBENCH = Tool(
    problems=problems.problems,
    load_job=jobs.load_job,
    trial_job=jobs.trial_job,
    parse=parser.parse,
    parse_cut=parser.parse_cut,
    why_it_failed=parser.why_it_failed,
    pair_problems=problems.pair_problems,
    statements=memory.statements,
    unverified=command.unverified,
)

_TPCC = Tool(
    problems=tpcc_problems.problems,
    load_job=tpcc_jobs.load_job,
    trial_job=tpcc_jobs.trial_job,
    parse=tpcc_parser.parse,
    pair_problems=tpcc_problems.pair_problems,
    unverified=jdbc.unverified,
)


def tool(driven: WorkloadSpec | Dataset) -> Tool:
    """The tool that drives this workload, or loads this dataset."""
    return _SYSBENCH if driven.tpcc is None else _TPCC

"""The tools by workload and dataset."""

from encbench.api.testbed import Dataset
from encbench.api.workload import WorkloadSpec
from encbench.tools.sysbench import command, jobs, memory, parser, problems
from encbench.tools.tool import Tool
from encbench.tools.tpcc import jobs as tpcc_jobs
from encbench.tools.tpcc import parser as tpcc_parser
from encbench.tools.tpcc import problems as tpcc_problems

_SYSBENCH = Tool(
    name="sysbench",
    problems=problems.problems,
    load_job=jobs.load_job,
    trial_job=jobs.trial_job,
    parse=parser.parse,
    parse_cut=parser.parse_cut,
    pair_problems=problems.pair_problems,
    statements=memory.statements,
    unverified=command.unverified,
)

_TPCC = Tool(
    name="tpcc",
    problems=tpcc_problems.problems,
    load_job=tpcc_jobs.load_job,
    trial_job=tpcc_jobs.trial_job,
    parse=tpcc_parser.parse,
    pair_problems=tpcc_problems.pair_problems,
    reports_sessions=tpcc_problems.reports_sessions,
)


def tool(workload: WorkloadSpec) -> Tool:
    """The tool that drives this workload."""
    return _SYSBENCH if workload.tpcc is None else _TPCC


def dataset_tool(dataset: Dataset) -> Tool:
    """The tool that loads this dataset."""
    return _SYSBENCH if dataset.tpcc is None else _TPCC

"""The tools, by what a workload asks for."""

from encbench.api.testbed import Dataset
from encbench.api.workload import WorkloadSpec
from encbench.tools.sysbench import jobs, parser, problems
from encbench.tools.tool import Tool

_SYSBENCH = Tool(
    name="sysbench",
    problems=problems.problems,
    load_job=jobs.load_job,
    trial_job=jobs.trial_job,
    parse=parser.parse,
)


def tool(_workload: WorkloadSpec) -> Tool:
    """The tool that drives this workload."""
    return _SYSBENCH


def dataset_tool(_dataset: Dataset) -> Tool:
    """The tool that loads this dataset."""
    return _SYSBENCH

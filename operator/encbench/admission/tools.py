"""Whether the load tools can run the workloads, alone and in each combination of the matrix."""

from collections.abc import Iterator

from encbench.admission.combined import of_combinations
from encbench.admission.gather import CampaignParts
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.core.problem import Problem
from encbench.tools.registry import tool


def check(found: CampaignParts) -> Iterator[Problem]:
    """Each workload by itself."""
    for name, workload in found.workloads.items():
        for problem in tool(workload).problems(workload, found.script(workload)):
            yield problem.about(name, f"Workload {name}")


def check_runs(found: CampaignParts) -> Iterator[Problem]:
    """Each workload on each of its databases."""
    return of_combinations(
        found,
        (WORKLOAD, INSTANCE_TEMPLATE, ENCRYPTION_MODE),
        "on",
        lambda workload, *others: tool(workload).pair_problems(workload, *others),
    )

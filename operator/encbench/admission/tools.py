"""Whether the load tools can run the workloads, alone and in each combination of the matrix."""

from collections.abc import Iterator

from encbench.admission.combined import once
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
    """Each workload on the databases that it is to drive."""
    return once(
        WORKLOAD,
        (
            ({WORKLOAD: name, INSTANCE_TEMPLATE: instance, ENCRYPTION_MODE: mode}, problem)
            for name, instance, mode in found.combinations(
                WORKLOAD, INSTANCE_TEMPLATE, ENCRYPTION_MODE
            )
            for problem in tool(found.workloads[name]).pair_problems(
                found.workloads[name], found.instances[instance], found.modes[mode]
            )
        ),
        lambda name, runs: (
            f"Workload {name} on InstanceTemplate "
            + ", ".join(f"{run[INSTANCE_TEMPLATE]} in {run[ENCRYPTION_MODE]}" for run in runs)
        ),
    )

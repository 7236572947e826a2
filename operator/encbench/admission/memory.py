"""Whether each instance holds what the workloads open on it at once."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts
from encbench.api.kinds import INSTANCE_TEMPLATE, WORKLOAD
from encbench.core.problem import Problem
from encbench.core.session_memory import Sessions
from encbench.engines.registry import engine
from encbench.tools.registry import tool


def check(found: CampaignParts) -> Iterator[Problem]:
    """The server's memory, whatever the mode; an external server is its owner's to size."""
    for name, template in found.combinations(WORKLOAD, INSTANCE_TEMPLATE):
        workload, instance = found.workloads[name], found.instances[template]
        if instance.is_external:
            continue
        opened = Sessions(max(workload.load.concurrency), tool(workload).statements(workload))
        for problem in engine(instance.engine).room(instance, opened):
            yield problem.about(template, f"InstanceTemplate {template} with Workload {name}")

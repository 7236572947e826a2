"""Whether each instance holds what the workloads of a campaign open on it at once."""

from collections.abc import Mapping

from encbench.api.campaign import CampaignSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.core.session_memory import Sessions
from encbench.engines.registry import engine
from encbench.tools.registry import tool


def problems(
    spec: CampaignSpec,
    instances: Mapping[str, InstanceTemplateSpec],
    workloads: Mapping[str, WorkloadSpec],
) -> list[str]:
    """What an instance and a workload are wrong in together, whatever the mode."""
    found = []
    for entry in spec.matrix:
        for workload_name in entry.workload_refs:
            for instance_name in entry.instance_refs:
                workload, instance = workloads.get(workload_name), instances.get(instance_name)
                if workload is None or instance is None:
                    continue
                opened = Sessions(
                    max(workload.load.concurrency), tool(workload).statements(workload)
                )
                found += [
                    f"InstanceTemplate {instance_name} with Workload {workload_name}: {text}"
                    for text in engine(instance.engine).room(instance, opened)
                ]
    return found

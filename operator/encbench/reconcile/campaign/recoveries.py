"""What is wrong with recovery workloads in a campaign, which only several objects show."""

from collections.abc import Iterator, Mapping

from encbench.api.campaign import CampaignSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec


def problems(
    spec: CampaignSpec,
    instances: Mapping[str, InstanceTemplateSpec],
    workloads: Mapping[str, WorkloadSpec],
) -> list[str]:
    """Each in a sentence that says what to write instead; pure."""
    return list(dict.fromkeys(_problems(spec, instances, workloads)))


def _problems(
    spec: CampaignSpec,
    instances: Mapping[str, InstanceTemplateSpec],
    workloads: Mapping[str, WorkloadSpec],
) -> Iterator[str]:
    for entry in spec.matrix:
        for name in entry.workload_refs:
            workload = workloads.get(name)
            if workload is None or workload.recovery is None:
                continue
            theirs = [
                one
                for one in entry.instance_refs
                if one in instances and instances[one].is_external
            ]
            for instance in theirs:
                yield (
                    f"Workload {name} on InstanceTemplate {instance}: encbench cannot stop a "
                    "server that it does not run: leave recovery out, or give the template an "
                    "image in place of external"
                )
            if spec.reset != "trial" and len(theirs) < len(entry.instance_refs):
                yield (
                    f"Workload {name}: every recovery must begin with the same data, and a trial "
                    "leaves another behind than it found: write reset: trial in the campaign, and "
                    "give the volumes room for a second copy"
                )

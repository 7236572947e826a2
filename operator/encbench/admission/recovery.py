"""Whether recoveries can be measured: on servers that encbench stops, and from equal data."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts
from encbench.api.kinds import CAMPAIGN, INSTANCE_TEMPLATE, WORKLOAD
from encbench.core.problem import Problem, Reason


def check(found: CampaignParts) -> Iterator[Problem]:
    """Each recovery workload on each of its instances."""
    for name, template in found.combinations(WORKLOAD, INSTANCE_TEMPLATE):
        if found.workloads[name].recovery is None:
            continue
        if found.instances[template].is_external:
            text = (
                f"Workload {name} on InstanceTemplate {template}: encbench cannot stop a server "
                "that it does not run: leave recovery out, or give the template an image in place "
                "of external"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.EXTERNAL_UNSUPPORTED, text, template)
        elif found.campaign.reset != "trial":
            text = (
                f"Workload {name}: every recovery must begin with the same data, and a trial "
                "changes it: write reset: trial in the campaign, and give the volumes room for a "
                "second copy"
            )
            yield Problem(CAMPAIGN, Reason.RESET_REQUIRED, text, found.name)

"""Whether recoveries can be measured: encbench must run the server and reset its data."""

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
                f"Workload {name} on InstanceTemplate {template}: encbench cannot stop an external "
                "server: leave recovery out, or write an image instead of external in the template"
            )
            yield Problem(INSTANCE_TEMPLATE, Reason.EXTERNAL_UNSUPPORTED, text, template)
        elif found.campaign.reset != "trial":
            text = (
                f"Workload {name}: every recovery must start from the same data, which trials "
                "change: write reset: trial in the campaign, and leave room for a second copy on "
                "the volumes"
            )
            yield Problem(CAMPAIGN, Reason.RESET_REQUIRED, text, found.name)

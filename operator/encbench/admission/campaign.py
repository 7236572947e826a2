"""Whether the campaign's own settings suit its parts."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts, named
from encbench.api.campaign import MAX_BLOCK_PLANS
from encbench.api.kinds import CAMPAIGN, INSTANCE_TEMPLATE, WORKLOAD
from encbench.core.plan import cells
from encbench.core.problem import Problem, Reason


def recovery(found: CampaignParts) -> Iterator[Problem]:
    """Whether recoveries can be measured: encbench must run the server and reset its data."""
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


def precision(found: CampaignParts) -> Iterator[Problem]:
    """Whether status has room for a block plan of each condition, once all workloads are found."""
    if found.campaign.precision is None or not found.workloads.keys() >= {
        *named(found.campaign)[WORKLOAD]
    }:
        return
    count = sum(len(cell.conditions) for cell in cells(found.campaign, found.workloads))
    if count > MAX_BLOCK_PLANS:
        text = (
            f"{count} combinations of instance, workload and concurrency are more than the "
            f"{MAX_BLOCK_PLANS} that precision can plan for: split the matrix over several "
            "campaigns, or leave precision out"
        )
        yield Problem(CAMPAIGN, Reason.TOO_MANY_CONDITIONS, text, found.name)

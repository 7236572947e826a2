"""Whether the campaign's own settings suit its parts."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts, named
from encbench.api.campaign import MAX_TRIALS
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


def trials(found: CampaignParts) -> Iterator[Problem]:
    """Whether the campaign is small enough for the operator, once all workloads are found."""
    if not found.workloads.keys() >= {*named(found.campaign)[WORKLOAD]}:
        return
    spec = found.campaign
    blocks = (spec.blocks.max if spec.precision else spec.blocks.min) + spec.blocks.max_replacements
    whole = cells(spec, found.workloads)
    count = blocks * sum(len(cell.arms) * len(cell.conditions) for cell in whole)
    if count > MAX_TRIALS:
        conditions = sum(len(cell.conditions) for cell in whole)
        text = (
            f"{conditions:,} combinations of instance, workload and concurrency with up to "
            f"{blocks:,} blocks, replacements included, are {count:,} trials where a campaign may "
            f"have {MAX_TRIALS:,}: split the matrix over several campaigns, or lower blocks"
        )
        yield Problem(CAMPAIGN, Reason.TOO_MANY_TRIALS, text, found.name)

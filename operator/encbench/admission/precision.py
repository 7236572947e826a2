"""Whether status has room for a block plan of each condition."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts, named
from encbench.api.campaign import MAX_BLOCK_PLANS
from encbench.api.kinds import CAMPAIGN, WORKLOAD
from encbench.core.plan import cells
from encbench.core.problem import Problem, Reason


def check(found: CampaignParts) -> Iterator[Problem]:
    """The number of conditions, once every workload has been found."""
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

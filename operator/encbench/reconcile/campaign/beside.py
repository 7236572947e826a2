"""What else stands in a campaign's namespace and leaves it no names or no room."""

from collections import Counter
from collections.abc import Callable

from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT, SECRET, Kind
from encbench.core.certificates import authority_name
from encbench.core.naming import child_name
from encbench.core.plan import cells
from encbench.core.problem import Problem, Reason
from encbench.ports import Reader, Rejected
from encbench.reconcile.objects import Campaign, under_way


async def beside_others(
    reader: Reader,
    campaign: Campaign,
    count: int,
    limit: int,
    unread: Callable[[Kind, str], None] | None = None,
) -> tuple[Problem, ...]:
    """Whether the namespace has room for so many trials, and names for their campaign.

    A limit of 0 is none. Campaigns that are accepted at the same moment do not see each other.
    `unread` is called with each object that the reader may not get and whose name may be taken;
    without it, that is Rejected, as a refused list of campaigns always is.
    """
    return (
        *await _taken(reader, campaign, unread),
        *await _alike(reader, campaign),
        *(await _crowded(reader, campaign, count, limit) if limit else ()),
    )


async def _taken(
    reader: Reader, campaign: Campaign, unread: Callable[[Kind, str], None] | None
) -> tuple[Problem, ...]:
    """What is left of an earlier campaign of its name that was deleted without its children.

    What has an owner is no problem: Kubernetes deletes it once that is gone.
    """
    found = []
    for kind, name in ((OVERHEAD_REPORT, campaign.name), (SECRET, authority_name(campaign.name))):
        try:
            body = await reader.get(kind, campaign.namespace, name)
        except Rejected:
            if unread is None:
                raise
            unread(kind, name)
            continue
        if body is not None and not body["metadata"].get("ownerReferences"):
            text = (
                f"{kind.kind} {name} already exists and has no owner: delete it, or apply the "
                "campaign under another name"
            )
            found.append(Problem(kind, Reason.NAME_TAKEN, text, name))
    return tuple(found)


async def _alike(reader: Reader, campaign: Campaign) -> tuple[Problem, ...]:
    """One that has been accepted, even if it has ended: its children go when it is deleted."""
    for body in await reader.list(CAMPAIGN, campaign.namespace):
        other, status = body["metadata"]["name"], body.get("status") or {}
        is_alike = other != campaign.name and child_name(other) == child_name(campaign.name)
        if is_alike and status.get("resolved"):
            text = (
                "names of testbeds and trials have one dash in place of dots and dashes, so that "
                f"those of this campaign would be those of Campaign {other}: apply it under "
                "another name, or delete that one"
            )
            return (Problem(CAMPAIGN, Reason.NAMES_ALIKE, text, campaign.name),)
    return ()


async def _crowded(
    reader: Reader, campaign: Campaign, count: int, limit: int
) -> tuple[Problem, ...]:
    """Whether the namespace has room for so many more trials, or could ever have it."""
    where = f"that the installation allows a namespace ({campaign.namespace})"
    if count > limit:
        text = (
            f"its {count:,} trials, replacements included, are more than the {limit:,} {where}: "
            "split the matrix over several campaigns, or lower blocks"
        )
        return (Problem(CAMPAIGN, Reason.TOO_MANY_TRIALS, text, campaign.name),)
    others = [
        one for one in await under_way(reader, campaign.namespace) if one.name != campaign.name
    ]
    beside = sum(map(_may_come_to, others))
    if beside + count <= limit:
        return ()
    text = (
        f"its {count:,} trials, replacements included, and the {beside:,} that other campaigns may "
        f"have are more than the {limit:,} {where}: wait until others end, or apply it with fewer "
        "blocks"
    )
    return (Problem(CAMPAIGN, Reason.NAMESPACE_FULL, text, campaign.name),)


def _may_come_to(campaign: Campaign) -> int:
    """The trials that a campaign may have in the end.

    Its own count has the pilot's blocks only of each condition whose number is not fixed yet.
    """
    spec, resolved = campaign.spec, campaign.status.resolved
    planned = campaign.status.progress.planned
    if spec.precision is None or resolved is None:
        return planned
    fixed = Counter(one.cell for one in campaign.status.block_plans)
    more = spec.blocks.max - spec.blocks.min + spec.blocks.max_replacements
    return planned + more * sum(
        len(cell.arms) * (len(cell.conditions) - fixed[cell.name])
        for cell in cells(spec, resolved.workloads)
    )

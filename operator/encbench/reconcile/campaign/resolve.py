"""Freezing what a campaign names: its specs, and copies of its workloads' scripts."""

from contextlib import suppress
from dataclasses import dataclass

from encbench.admission.campaign import most_trials
from encbench.admission.checks import admit
from encbench.admission.gather import Installed, script_ref
from encbench.api.campaign import Resolved
from encbench.api.kinds import CAMPAIGN, CONFIG_MAP, OVERHEAD_REPORT, SECRET
from encbench.core.certificates import authority_name
from encbench.core.naming import child_name, digest, script_name
from encbench.core.problem import Problem, Reason
from encbench.kube.labels import labels, metadata
from encbench.kube.parsing import Malformed
from encbench.ports import Body, Reader
from encbench.reconcile import objects
from encbench.reconcile.objects import Campaign, belongs_to, under_way


@dataclass(frozen=True)
class Resolution:
    """The frozen specs and the script copies still to create, or what is wrong."""

    resolved: Resolved
    scripts: tuple[Body, ...]
    problems: tuple[Problem, ...]
    extended_index: str | None = None
    """Of a follow-up: digest of the index that its report pools."""


async def resolve(reader: Reader, campaign: Campaign, installed: Installed) -> Resolution:
    """Admit the campaign and freeze what it names. Unavailable when the API server is away."""
    found, problems = await admit(
        reader, campaign.namespace, campaign.name, campaign.spec, installed
    )
    if not problems:
        limit = installed.namespace_trials
        problems = await beside_others(reader, campaign, most_trials(found), limit)
        problems = (*await _taken(reader, campaign), *problems)
    names: dict[str, str] = {}
    missing: dict[str, Body] = {}
    for workload, spec in found.workloads.items():
        ref, script = script_ref(spec), found.script(spec)
        if ref is None or script is None:
            continue
        copy = _script_copy(campaign, ref.key, script)
        names[workload] = name = copy["metadata"]["name"]
        # Copies are named by their content: one that exists already is the same.
        existing = await reader.get(CONFIG_MAP, campaign.namespace, name)
        if not belongs_to(existing, campaign.uid):
            missing[name] = copy
    earlier = await _extended_index(reader, campaign)
    return Resolution(found.freeze(names), tuple(missing.values()), problems, earlier)


async def _extended_index(reader: Reader, campaign: Campaign) -> str | None:
    """What the bucket has by the time of the report may be another one."""
    extends = campaign.spec.extends
    if extends is None:
        return None
    body = await reader.get(OVERHEAD_REPORT, campaign.namespace, extends.name)
    if body is None or not belongs_to(body, extends.uid):
        return None
    # One that another version wrote may have other fields.
    with suppress(Malformed):
        artefacts = objects.overhead_report(body).status.artefacts
        return None if artefacts is None else artefacts.index.digest
    return None


async def _taken(reader: Reader, campaign: Campaign) -> tuple[Problem, ...]:
    """What is left of an earlier campaign of its name that was deleted without its children.

    What has an owner is no problem: Kubernetes deletes it once that is gone.
    """
    found = []
    for kind, name in ((OVERHEAD_REPORT, campaign.name), (SECRET, authority_name(campaign.name))):
        body = await reader.get(kind, campaign.namespace, name)
        if body is not None and not body["metadata"].get("ownerReferences"):
            text = (
                f"{kind.kind} {name} already exists and has no owner: delete it, or apply the "
                "campaign under another name"
            )
            found.append(Problem(kind, Reason.NAME_TAKEN, text, name))
    return tuple(found)


async def beside_others(
    reader: Reader, campaign: Campaign, count: int, limit: int
) -> tuple[Problem, ...]:
    """Whether other campaigns leave the namespace room for so many trials, and names for them.

    A limit of 0 is none. Campaigns that are accepted at the same moment do not see each other.
    """
    return (
        *await _alike(reader, campaign),
        *(await _crowded(reader, campaign, count, limit) if limit else ()),
    )


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
    planned = sum(one.status.progress.planned for one in others)
    if planned + count <= limit:
        return ()
    text = (
        f"its {count:,} trials, replacements included, and the {planned:,} of other campaigns are "
        f"more than the {limit:,} {where}: wait until others end, or apply it with fewer blocks"
    )
    return (Problem(CAMPAIGN, Reason.NAMESPACE_FULL, text, campaign.name),)


def _script_copy(campaign: Campaign, key: str, text: str) -> Body:
    """An immutable copy, so that editing the ConfigMap under a running campaign changes nothing."""
    name = script_name(campaign.name, digest([key, text])[:8])
    own = labels("script", campaign=campaign.name)
    return {
        "apiVersion": CONFIG_MAP.api_version,
        "kind": CONFIG_MAP.kind,
        "metadata": metadata(name, campaign.namespace, own, campaign.owner),
        "immutable": True,
        "data": {key: text},
    }

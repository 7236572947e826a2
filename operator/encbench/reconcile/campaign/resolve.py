"""Freezing what a campaign names: its specs, and copies of its workloads' scripts."""

from dataclasses import dataclass

from encbench.admission.campaign import most_trials
from encbench.admission.checks import admit
from encbench.admission.gather import Installed, script_ref
from encbench.api.campaign import Resolved
from encbench.api.kinds import CAMPAIGN, CONFIG_MAP
from encbench.core.naming import child_name, digest
from encbench.core.problem import Problem, Reason
from encbench.kube.labels import labels, metadata
from encbench.ports import Body, Reader
from encbench.reconcile.objects import Campaign, belongs_to, under_way


@dataclass(frozen=True)
class Resolution:
    """The frozen specs and the script copies still to create, or what is wrong."""

    resolved: Resolved
    scripts: tuple[Body, ...]
    problems: tuple[Problem, ...]


async def resolve(reader: Reader, campaign: Campaign, installed: Installed) -> Resolution:
    """Admit the campaign and freeze what it names. Unavailable when the API server is away."""
    found, problems = await admit(
        reader, campaign.namespace, campaign.name, campaign.spec, installed
    )
    if not problems:
        problems = await crowded(reader, campaign, most_trials(found), installed.namespace_trials)
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
    return Resolution(found.freeze(names), tuple(missing.values()), problems)


async def crowded(
    reader: Reader, campaign: Campaign, count: int, limit: int
) -> tuple[Problem, ...]:
    """Whether the namespace has room for so many more trials; a limit of 0 is none.

    Campaigns that are accepted at the same moment do not see each other.
    """
    if not limit:
        return ()
    others = [
        one for one in await under_way(reader, campaign.namespace) if one.name != campaign.name
    ]
    planned = sum(one.status.progress.planned for one in others)
    if planned + count <= limit:
        return ()
    text = (
        f"its {count:,} trials, replacements included, and the {planned:,} of other campaigns in "
        f"namespace {campaign.namespace} are more than the {limit:,} that the installation allows "
        "a namespace: wait until others end, or apply it with fewer blocks"
    )
    return (Problem(CAMPAIGN, Reason.TOO_MANY_TRIALS, text, campaign.name),)


def _script_copy(campaign: Campaign, key: str, text: str) -> Body:
    """An immutable copy, so that editing the ConfigMap under a running campaign changes nothing."""
    name = child_name(campaign.name, "script", digest([key, text])[:8])
    own = labels("script", campaign=campaign.name)
    return {
        "apiVersion": CONFIG_MAP.api_version,
        "kind": CONFIG_MAP.kind,
        "metadata": metadata(name, campaign.namespace, own, campaign.owner),
        "immutable": True,
        "data": {key: text},
    }

"""Freezing what a campaign names: its specs, and copies of its workloads' scripts."""

from dataclasses import dataclass

from encbench.admission.checks import admit
from encbench.admission.gather import Installed, script_ref
from encbench.api.campaign import Resolved
from encbench.api.kinds import CONFIG_MAP
from encbench.core.naming import child_name, digest
from encbench.core.problem import Problem
from encbench.kube.labels import labels, metadata
from encbench.ports import Body, Reader
from encbench.reconcile.objects import Campaign, belongs_to


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

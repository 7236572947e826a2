"""Freezing what a campaign names: its specs, and copies of its workloads' scripts."""

from contextlib import suppress
from dataclasses import dataclass

from encbench.admission.campaign import most_trials
from encbench.admission.checks import admit
from encbench.admission.gather import Installed, script_ref
from encbench.api.campaign import Resolved
from encbench.api.kinds import CONFIG_MAP, OVERHEAD_REPORT
from encbench.core.naming import digest, script_name
from encbench.core.problem import Problem
from encbench.kube.labels import labels, metadata
from encbench.kube.parsing import Malformed
from encbench.ports import Body, Reader
from encbench.reconcile import objects
from encbench.reconcile.campaign.beside import beside_others
from encbench.reconcile.objects import Campaign, belongs_to


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

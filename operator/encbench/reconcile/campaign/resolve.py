"""Resolving what a campaign names; refusing what only several objects together show to be wrong.

Everything that is wrong is said at once, each in one sentence that says what to write instead, and
nothing is started until all of it is right.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from encbench.api.base import Model
from encbench.api.campaign import MAX_BLOCK_PLANS, CampaignSpec, Resolved
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import (
    CONFIG_MAP,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    SECRET,
    WORKLOAD,
    Kind,
)
from encbench.api.workload import WorkloadSpec
from encbench.core.naming import child_name, digest
from encbench.core.plan import cells, frozen
from encbench.engines import confidential
from encbench.engines.registry import engine
from encbench.kube.labels import labels, metadata
from encbench.ports import Body, Reader
from encbench.proofs import volume
from encbench.reconcile.campaign import columns, externals, recoveries, room, volumes
from encbench.reconcile.deps import Settings
from encbench.reconcile.objects import Campaign, Malformed, belongs_to, parse_spec
from encbench.tools.registry import tool

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Resolution:
    """The frozen specs and the script copies still to create, or what is wrong."""

    resolved: Resolved
    scripts: tuple[Body, ...]
    problems: tuple[str, ...]


async def resolve(
    cluster: Reader, campaign: Campaign, settings: Settings | None = None
) -> Resolution:
    """Read and check all that the campaign names. Unavailable when the API server is away.

    Without `settings` nothing is said of what an installation allows and a cluster offers.
    """
    spec, problems = campaign.spec, list[str]()
    instances = await _read(
        cluster, campaign, INSTANCE_TEMPLATE, InstanceTemplateSpec, _instances(spec), problems
    )
    modes = await _read(
        cluster, campaign, ENCRYPTION_MODE, EncryptionModeSpec, _modes(spec), problems
    )
    workloads = await _read(cluster, campaign, WORKLOAD, WorkloadSpec, _workloads(spec), problems)
    copies: dict[str, Body] = {}
    for name, workload in workloads.items():
        script, problem = await _script(cluster, campaign, workload)
        problems += [f"Workload {name}: {text}" for text in problem]
        if script is not None:
            copies[name] = _script_copy(campaign, script, workload)
        if not problem:
            found = tool(workload).problems(workload, script)
            problems += [f"Workload {name}: {text}" for text in found]
    problems += _pairs(spec, instances, modes)
    problems += _triples(spec, instances, modes, workloads)
    problems += room.problems(spec, instances, workloads)
    problems += recoveries.problems(spec, instances, workloads)
    problems += await _missing_keys(cluster, campaign, modes)
    problems += await externals.problems(cluster, campaign, instances, modes)
    problems += await columns.problems(cluster, campaign, modes)
    if settings is not None:
        problems += await volumes.problems(cluster, settings, modes)
        problems += columns.unavailable(settings, modes)
    if not problems:
        problems += _too_many(spec, workloads)
    names = {name: body["metadata"]["name"] for name, body in copies.items()}
    return Resolution(
        resolved=frozen(instances, modes, workloads, names),
        scripts=await _missing_copies(cluster, campaign, copies.values()),
        problems=tuple(dict.fromkeys(problems)),
    )


def _too_many(spec: CampaignSpec, workloads: dict[str, WorkloadSpec]) -> list[str]:
    """Status holds a plan for each condition whose pilot is over, and takes no more than this."""
    count = sum(len(cell.conditions) for cell in cells(spec, workloads))
    if spec.precision is None or count <= MAX_BLOCK_PLANS:
        return []
    return [
        f"{count} combinations of instance, workload and concurrency are more than the "
        f"{MAX_BLOCK_PLANS} that precision can plan for: split the matrix over several campaigns, "
        "or leave precision out"
    ]


def _instances(spec: CampaignSpec) -> list[str]:
    return _unique(name for entry in spec.matrix for name in entry.instance_refs)


def _modes(spec: CampaignSpec) -> list[str]:
    named = [name for entry in spec.matrix for name in entry.mode_refs]
    return _unique([spec.baseline_mode_ref, *named])


def _workloads(spec: CampaignSpec) -> list[str]:
    return _unique(name for entry in spec.matrix for name in entry.workload_refs)


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


async def _read(
    cluster: Reader,
    campaign: Campaign,
    kind: Kind,
    model: type[M],
    names: list[str],
    problems: list[str],
) -> dict[str, M]:
    found: dict[str, M] = {}
    for name in names:
        body = await cluster.get(kind, campaign.namespace, name)
        if body is None:
            problems.append(
                f"there is no {kind.kind} {name} in namespace {campaign.namespace}: apply it, or "
                "correct the name"
            )
            continue
        try:
            found[name] = parse_spec(model, body)
        except Malformed as error:
            problems.append(str(error))
    return found


async def _script(
    cluster: Reader, campaign: Campaign, workload: WorkloadSpec
) -> tuple[str | None, list[str]]:
    ref = workload.sysbench.script_config_map_ref if workload.sysbench else None
    if ref is None:
        return None, []
    body = await cluster.get(CONFIG_MAP, campaign.namespace, ref.name)
    if body is None:
        return None, [f"there is no ConfigMap {ref.name}: apply it, or correct the name"]
    text = (body.get("data") or {}).get(ref.key)
    if text is None:
        return None, [f"ConfigMap {ref.name} has no entry {ref.key}: add it, or correct the key"]
    return text, []


def _script_copy(campaign: Campaign, text: str, workload: WorkloadSpec) -> Body:
    """An immutable copy, so that editing the ConfigMap under a running campaign changes nothing."""
    ref = workload.sysbench.script_config_map_ref if workload.sysbench else None
    key = ref.key if ref else "script.lua"
    name = child_name(campaign.name, "script", digest([key, text])[:8])
    own = labels("script", campaign=campaign.name)
    return {
        "apiVersion": CONFIG_MAP.api_version,
        "kind": CONFIG_MAP.kind,
        "metadata": metadata(name, campaign.namespace, own, campaign.owner),
        "immutable": True,
        "data": {key: text},
    }


async def _missing_copies(
    cluster: Reader, campaign: Campaign, copies: Iterable[Body]
) -> tuple[Body, ...]:
    """Copies are named by their content: one that we have already is the same."""
    missing = []
    for name, body in {body["metadata"]["name"]: body for body in copies}.items():
        there = await cluster.get(CONFIG_MAP, campaign.namespace, name)
        if not belongs_to(there, campaign.uid):
            missing.append(body)
    return tuple(missing)


def _pairs(
    spec: CampaignSpec,
    instances: dict[str, InstanceTemplateSpec],
    modes: dict[str, EncryptionModeSpec],
) -> list[str]:
    """What an instance and a mode are wrong in together, once for all modes that share it."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for entry in spec.matrix:
        for instance_name in entry.instance_refs:
            for mode_name in _unique([spec.baseline_mode_ref, *entry.mode_refs]):
                instance, mode = instances.get(instance_name), modes.get(mode_name)
                if instance is None or mode is None:
                    continue
                wrong = engine(instance.engine).problems(instance, mode)
                below = volume.problems(instance, mode)
                for text in [*wrong, *below, *confidential.problems(instance, mode)]:
                    found.setdefault((instance_name, text), {})[mode_name] = None
    return [
        f"InstanceTemplate {name} with EncryptionMode {', '.join(with_modes)}: {text}"
        for (name, text), with_modes in found.items()
    ]


def _triples(
    spec: CampaignSpec,
    instances: dict[str, InstanceTemplateSpec],
    modes: dict[str, EncryptionModeSpec],
    workloads: dict[str, WorkloadSpec],
) -> list[str]:
    """What a workload is wrong in together with an instance and a mode, once for all of these."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for entry in spec.matrix:
        for workload_name in entry.workload_refs:
            workload = workloads.get(workload_name)
            for instance_name in entry.instance_refs:
                for mode_name in _unique([spec.baseline_mode_ref, *entry.mode_refs]):
                    instance, mode = instances.get(instance_name), modes.get(mode_name)
                    if workload is None or instance is None or mode is None:
                        continue
                    for text in tool(workload).pair_problems(workload, instance, mode):
                        pair = f"{instance_name} in {mode_name}"
                        found.setdefault((workload_name, text), {})[pair] = None
    return [
        f"Workload {name} on InstanceTemplate {', '.join(pairs)}: {text}"
        for (name, text), pairs in found.items()
    ]


async def _missing_keys(
    cluster: Reader, campaign: Campaign, modes: dict[str, EncryptionModeSpec]
) -> list[str]:
    found = []
    for name, mode in modes.items():
        ref = mode.at_rest.key_secret_ref if mode.at_rest else None
        if ref is None:
            continue
        secret = await cluster.get(SECRET, campaign.namespace, ref.name)
        if secret is None or ref.key not in (secret.get("data") or {}):
            found.append(
                f"EncryptionMode {name}: there is no Secret {ref.name} with an entry {ref.key}: "
                "create it, or leave keySecretRef out to have a key generated"
            )
    return found

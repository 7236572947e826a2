"""Reads everything that a campaign names. It judges nothing and writes nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Protocol, TypeVar

from encbench.admission.extended import Extended, extended
from encbench.admission.images import Images
from encbench.admission.kept import kept
from encbench.api.base import Model
from encbench.api.campaign import CampaignSpec, MatrixEntry, Resolved
from encbench.api.columns import DriverJar
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    NAMESPACE,
    PERSISTENT_VOLUME_CLAIM,
    SECRET,
    STORAGE_CLASS,
    WORKLOAD,
    Kind,
)
from encbench.api.workload import ConfigMapKeyRef, WorkloadSpec
from encbench.core.artefact import digest_of
from encbench.core.certificates import AUTHORITY
from encbench.core.naming import digest
from encbench.engines.external import OWN_CERTIFICATE, PASSWORD, USERNAME
from encbench.kube.parsing import Malformed, parse_spec
from encbench.ports import Body, Rejected

M = TypeVar("M", bound=Model)


class Lookup(Protocol):
    """The one method of `ports.Reader` that finding a campaign's parts needs."""

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """See `ports.Reader`."""
        ...


@dataclass(frozen=True)
class Allowed:
    """What the administrator lets authors choose; an empty list is no limit."""

    images: tuple[str, ...] = ()
    """Registries, folders of them, or repositories, as the references are written."""
    digests_only: bool = False
    """Whether every image needs a digest."""
    hosts: tuple[str, ...] = ()
    """Lower-case hosts of external databases and of jars; `*.` stands for any beginning."""
    node_labels: tuple[str, ...] = ()
    """Labels that a nodeSelector may ask for, each `key` or `key=value`."""
    taints: tuple[str, ...] = ()
    """Taints that pods may tolerate, each `key` or `key=value`."""
    storage_classes: tuple[str, ...] = ()
    """Names; a template that names none has the cluster's default class."""


@dataclass(frozen=True)
class Installed:
    """What this installation allows."""

    proxy: bool
    """It has an image of the confidential proxy."""
    fuse: bool
    """Pods may have a privileged container, which gocryptfs needs."""
    turnstile: bool = False
    """It has an image of the turnstile."""
    allowed: Allowed = Allowed()
    images: Images = field(default_factory=Images)
    namespace_trials: int = 0
    """Trials that a namespace's campaigns may plan together; 0 is no limit."""


@dataclass(frozen=True)
class CampaignParts:
    """The objects found, by name. What is missing here does not exist."""

    namespace: str
    name: str
    """The campaign's."""
    campaign: CampaignSpec
    instances: Mapping[str, InstanceTemplateSpec]
    modes: Mapping[str, EncryptionModeSpec]
    workloads: Mapping[str, WorkloadSpec]
    malformed: Mapping[tuple[Kind, str], str] = field(default_factory=dict)
    """Where each object that does not fit its model fails."""
    objects: Mapping[tuple[Kind, str], Body] = field(default_factory=dict)
    """Secrets, ConfigMaps and claims that the specs name, as far as the checks look at them, and
    storage classes; with gocryptfs, the namespace."""
    installed: Installed | None = None
    """None if no installation is known. StorageClasses were not looked up then."""
    extended: Extended | None = None
    """The campaign that this one extends, if it was found. Its frozen specs are the parts then."""
    before: tuple[CampaignSpec, ...] = ()
    """Of that campaign and of all that it extends, the last one first."""

    def entries(self, kind: Kind, name: str) -> Mapping[str, str]:
        """The named data of a Secret or a ConfigMap; empty if it does not exist."""
        return self.objects.get((kind, name), {}).get("data") or {}

    def script(self, workload: WorkloadSpec) -> str | None:
        """The text of the workload's own script; None if it has none or it was not found."""
        ref = script_ref(workload)
        return self.entries(CONFIG_MAP, ref.name).get(ref.key) if ref else None

    def freeze(self, scripts: Mapping[str, str]) -> Resolved:
        """The specs as they are measured; `scripts` has the name of each workload's copy."""
        texts = {name: self.script(self.workloads[name]) or "" for name in scripts}
        digests = {name: digest_of(text.encode()) for name, text in texts.items()}
        return frozen(self.instances, self.modes, self.workloads, scripts, digests)

    @property
    def parts(self) -> Mapping[Kind, Mapping[str, Model]]:
        """The specs by kind and name."""
        return {
            INSTANCE_TEMPLATE: self.instances,
            ENCRYPTION_MODE: self.modes,
            WORKLOAD: self.workloads,
        }

    def with_images(self, images: Images) -> "CampaignParts":
        """The same parts, each with its images."""
        pairs = self.combinations(INSTANCE_TEMPLATE, ENCRYPTION_MODE)
        enclaves = {name for name, mode in pairs if self.modes[mode].enclave is not None}
        own, outside = self.databases
        return replace(
            self,
            instances={
                name: images.with_server(instance, enclave=name in enclaves)
                for name, instance in self.instances.items()
            },
            workloads={
                name: images.with_tool(one, external=name in outside - own)
                for name, one in self.workloads.items()
            },
        )

    @property
    def databases(self) -> tuple[set[str], set[str]]:
        """The workloads that meet a database of the operator's, and those that meet another."""
        pairs = [*self.combinations(WORKLOAD, INSTANCE_TEMPLATE)]
        outside = {pair for pair in pairs if self.instances[pair[1]].is_external}
        own = {*pairs} - outside
        return {name for name, _ in own}, {name for name, _ in outside}

    def combinations(self, *kinds: Kind) -> Iterator[tuple[str, ...]]:
        """Names of existing parts that meet in the matrix, each combination once."""
        found = (
            names
            for entry in self.campaign.matrix
            for names in product(*(_refs(self.campaign, entry)[kind] for kind in kinds))
            if all(name in self.parts[kind] for kind, name in zip(kinds, names, strict=True))
        )
        return iter(dict.fromkeys(found))


async def gather(
    reader: Lookup,
    namespace: str,
    name: str,
    campaign: CampaignSpec,
    installed: Installed | None = None,
) -> CampaignParts:
    """Everything that the campaign names. Unavailable when the API server is away."""
    found = await gather_parts(reader, namespace, name, campaign)
    first = found.extended
    objects = await _copies(reader, namespace, first.resolved if first else Resolved())
    wanted: dict[tuple[Kind, str], set[str]] = {}
    for kind, one, entries in _references(found):
        wanted.setdefault((kind, one), set()).update(entries)
    for (kind, one), of in wanted.items():
        if kind is STORAGE_CLASS and installed is None:
            continue
        if kind is CONFIG_MAP and first is not None:
            continue  # What it holds today was not measured.
        body = await reader.get(kind, namespace if kind.namespaced else "", one)
        if body is not None:
            objects[kind, one] = kept(kind, body, of)
    if installed is not None and any(mode.gocryptfs is not None for mode in found.modes.values()):
        # Whoever plans with kubectl may not read it; the operator may.
        with suppress(Rejected):
            body = await reader.get(NAMESPACE, "", namespace)
            objects |= {} if body is None else {(NAMESPACE, namespace): body}
    return replace(found, objects=objects, installed=installed)


async def gather_parts(
    reader: Lookup, namespace: str, name: str, campaign: CampaignSpec
) -> CampaignParts:
    """The parts alone: who may read campaigns may not read the Secrets that their parts name."""
    malformed: dict[tuple[Kind, str], str] = {}
    first = await _extended(reader, namespace, campaign, malformed)
    frozen = first.resolved if first else Resolved()

    async def specs(kind: Kind, model: type[M], known: Mapping[str, M]) -> dict[str, M]:
        found = {}
        for one in named(campaign)[kind]:
            if one in known:
                found[one] = known[one]
                continue
            body = await reader.get(kind, namespace, one)
            try:
                if body is not None:
                    found[one] = parse_spec(model, body, strict=True)
            except Malformed as error:
                malformed[kind, one] = str(error)
        return found

    return CampaignParts(
        namespace=namespace,
        name=name,
        campaign=campaign,
        instances=await specs(INSTANCE_TEMPLATE, InstanceTemplateSpec, frozen.instances),
        modes=await specs(ENCRYPTION_MODE, EncryptionModeSpec, frozen.modes),
        workloads=await specs(WORKLOAD, WorkloadSpec, frozen.workloads),
        malformed=malformed,
        extended=first,
        before=() if first is None else await _before(reader, namespace, first.spec),
    )


def frozen(
    instances: Mapping[str, object],
    modes: Mapping[str, object],
    workloads: Mapping[str, object],
    scripts: Mapping[str, str],
    script_digests: Mapping[str, str] | None = None,
) -> Resolved:
    """The resolved specs with their hash."""
    bare = Resolved.model_validate(
        {
            "instances": instances,
            "modes": modes,
            "workloads": workloads,
            "scripts": scripts,
            "scriptDigests": script_digests or None,
        }
    )
    return bare.model_copy(update={"hash": digest(bare.to_dict())})


def frozen_parts(
    namespace: str, name: str, campaign: CampaignSpec, resolved: Resolved
) -> CampaignParts:
    """The specs that an accepted campaign measures, whatever became of its parts. Reads nothing."""
    return CampaignParts(
        namespace, name, campaign, resolved.instances, resolved.modes, resolved.workloads
    )


async def _extended(
    reader: Lookup, namespace: str, campaign: CampaignSpec, malformed: dict[tuple[Kind, str], str]
) -> Extended | None:
    """The campaign that this one says it extends; None without one."""
    if campaign.extends is None:
        return None
    body = await reader.get(CAMPAIGN, namespace, campaign.extends.name)
    try:
        return None if body is None else extended(body)
    except Malformed as error:
        malformed[CAMPAIGN, campaign.extends.name] = str(error)
        return None


async def _before(reader: Lookup, namespace: str, last: CampaignSpec) -> tuple[CampaignSpec, ...]:
    """The campaign and all that it extends; one that is gone counts as large as its follow-up."""
    found = [last]
    for _ in range(last.extends.number if last.extends else 0):
        spec, extends = found[-1], found[-1].extends
        body = extends and await reader.get(CAMPAIGN, namespace, extends.name)
        # One that is not understood counts like one that is gone.
        with suppress(Malformed):
            if extends and body and body["metadata"]["uid"] == extends.uid:
                spec = parse_spec(CampaignSpec, body)
        found.append(spec)
    return tuple(found)


async def _copies(reader: Lookup, namespace: str, frozen: Resolved) -> dict[tuple[Kind, str], Body]:
    """The copies of scripts that were frozen, each in the place of the ConfigMap that it copies."""
    found: dict[tuple[Kind, str], Body] = {}
    for workload, copy in frozen.scripts.items():
        ref, body = script_ref(frozen.workloads[workload]), None
        if ref is not None:
            body = await reader.get(CONFIG_MAP, namespace, copy)
        if ref is not None and body is not None:
            # Another workload's copy may be of another entry of the same ConfigMap.
            entries = (found.get((CONFIG_MAP, ref.name)) or {}).get("data") or {}
            copied = kept(CONFIG_MAP, body, [ref.key])
            found[CONFIG_MAP, ref.name] = {**copied, "data": {**entries, **copied["data"]}}
    return found


def named(campaign: CampaignSpec) -> Mapping[Kind, Iterable[str]]:
    """The names in the matrix by kind, each once."""
    return {
        kind: dict.fromkeys(n for entry in campaign.matrix for n in _refs(campaign, entry)[kind])
        for kind in (INSTANCE_TEMPLATE, ENCRYPTION_MODE, WORKLOAD)
    }


def _refs(campaign: CampaignSpec, entry: MatrixEntry) -> Mapping[Kind, Sequence[str]]:
    return {
        INSTANCE_TEMPLATE: entry.instance_refs,
        ENCRYPTION_MODE: [campaign.baseline_mode_ref, *entry.mode_refs],
        WORKLOAD: entry.workload_refs,
    }


def script_ref(workload: WorkloadSpec) -> ConfigMapKeyRef | None:
    """Where the workload's own script is; None for a built-in script and for TPC-C."""
    return workload.sysbench.script_config_map_ref if workload.sysbench else None


def jar_of(mode: EncryptionModeSpec) -> DriverJar | None:
    """The driver that the user supplies."""
    return mode.driver.jar if mode.driver else None


def _references(found: CampaignParts) -> Iterator[tuple[Kind, str, Sequence[str]]]:
    """The objects that the specs name, each with the entries that the checks look at."""
    for workload in found.workloads.values():
        if (ref := script_ref(workload)) is not None:
            yield CONFIG_MAP, ref.name, [ref.key]
    for instance in found.instances.values():
        if instance.external is not None:
            login = (USERNAME, PASSWORD, AUTHORITY, *OWN_CERTIFICATE)
            yield SECRET, instance.external.credentials_secret_ref.name, login
    for mode in found.modes.values():
        for secret in (mode.at_rest_key, mode.mek_secret_ref):
            if secret is not None:
                yield SECRET, secret.name, [secret.key]
        if (jar := jar_of(mode)) is not None and jar.claim_name is not None:
            yield PERSISTENT_VOLUME_CLAIM, jar.claim_name, []
        if mode.storage_class is not None:
            yield STORAGE_CLASS, mode.storage_class, []

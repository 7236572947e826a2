"""Each kind of `encbench.io` with its models, from which CRDs are made and objects are checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from encbench.api import kinds
from encbench.api.base import Model
from encbench.api.campaign import CampaignSpec, CampaignStatus
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import Kind
from encbench.api.overheadreport import OverheadReportSpec, OverheadReportStatus
from encbench.api.rules import Rule, fits
from encbench.api.scalars import SUBDOMAIN
from encbench.api.testbed import TestbedSpec, TestbedStatus
from encbench.api.trial import TrialSpec, TrialStatus
from encbench.api.workload import WorkloadSpec


@dataclass(frozen=True)
class Column:
    """A column of `kubectl get`; one with a priority shows with `-o wide` only."""

    name: str
    path: str
    description: str
    type: Literal["string", "integer", "number", "boolean", "date"] = "string"
    priority: int = 0


@dataclass(frozen=True)
class Resource:
    """One kind. `status` is None if there is nothing to report."""

    kind: Kind
    description: str
    spec: type[Model]
    status: type[Model] | None
    columns: tuple[Column, ...]
    unseen: Mapping[str, Any] = field(default_factory=dict)
    """The status that the API server shows until the operator has written one. Without any, tools
    that use kstatus, such as Flux, would take the object for one that needs no more."""


def _reason(condition: str) -> str:
    """The path of a condition's reason."""
    return f".status.conditions[?(@.type=='{condition}')].reason"


NAME_RULE = Rule(
    cel="self.metadata.name.size() <= 63",
    message="choose a name of at most 63 characters, because labels refer to it",
    holds=lambda name: len(name) <= 63,
)
"""The rule of every object's own name; `holds` gets the name."""
_NAME_HINT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character"
)
"""Kubernetes' own words, for every kind."""

RESOURCES: tuple[Resource, ...] = (
    Resource(
        kinds.INSTANCE_TEMPLATE,
        "A class of database instance that campaigns measure.",
        InstanceTemplateSpec,
        None,
        (
            Column("Engine", ".spec.engine", "Database engine."),
            Column("Version", ".spec.version", "Version of the engine."),
            Column("CPU", ".spec.resources.cpu", "CPU of the server."),
            Column("Memory", ".spec.resources.memory", "Memory of the server."),
        ),
    ),
    Resource(
        kinds.ENCRYPTION_MODE,
        "One way of encrypting. An empty spec is plaintext.",
        EncryptionModeSpec,
        None,
        (
            Column("At-rest", ".spec.atRest.method", "Encryption at rest."),
            Column("In-transit", ".spec.inTransit.version", "Version of TLS."),
            Column("Columns", ".spec.columns.method", "Encryption of columns."),
            Column("Ratio", ".spec.columns.ratio", "Share of the columns, percent.", "integer"),
            Column("Scope", ".spec.atRest.scope", "Part that TDE covers.", priority=1),
            Column("Class", ".spec.atRest.volume.storageClassName", "Of the volume.", priority=1),
            Column("Cipher", ".spec.atRest.volume.gocryptfs.cipher", "Of gocryptfs.", priority=1),
            Column("Suite", ".spec.inTransit.cipherSuite", "Cipher suite of TLS.", priority=1),
        ),
    ),
    Resource(
        kinds.WORKLOAD,
        "The tool that drives the database, its load, and its client.",
        WorkloadSpec,
        None,
        (
            Column("Sysbench", ".spec.sysbench.script", "Built-in script of sysbench."),
            Column("TPC-C", ".spec.tpcc.warehouses", "Warehouses of TPC-C.", "integer"),
            Column("Concurrency", ".spec.load.concurrency", "Client threads or terminals."),
            Column("Duration", ".spec.load.duration", "Length of the measured window."),
        ),
    ),
    Resource(
        kinds.CAMPAIGN,
        "A comparison of encryption modes on certain instances under certain workloads.",
        CampaignSpec,
        CampaignStatus,
        (
            Column("Phase", ".status.phase", "State of the campaign."),
            Column("Succeeded", ".status.progress.succeeded", "Valid trials.", "integer"),
            Column("Planned", ".status.progress.planned", "Trials needed.", "integer"),
            Column("Invalid", ".status.progress.invalid", "Trials that do not count.", "integer"),
            Column("Step", ".status.step", "Current step.", priority=1),
            Column("Hindered", _reason("Hindered"), "What keeps it from going on.", priority=1),
            Column("Failed", _reason("Failed"), "Why something is missing.", priority=1),
            # Not a date: kubectl shows dates as ages, and a future one as <invalid>.
            Column("ETA", ".status.estimatedCompletionTime", "Expected end at the present pace."),
            Column("Verdict", ".status.verdict", "Of its report, on the first treatment."),
        ),
        unseen={"observedGeneration": -1},
    ),
    Resource(
        kinds.TESTBED,
        "One prepared database of a campaign. Written by the operator.",
        TestbedSpec,
        TestbedStatus,
        (
            Column("Instance", ".spec.instanceRef", "InstanceTemplate."),
            Column("Arm", ".spec.arm.name", "Arm that the testbed serves."),
            Column("Phase", ".status.phase", "State of the testbed."),
            Column("Failed", _reason("Failed"), "Why it is of no use."),
            Column("Hindered", _reason("Hindered"), "What keeps it from going on.", priority=1),
        ),
    ),
    Resource(
        kinds.TRIAL,
        "One attempt of one measured run. Written by the operator.",
        TrialSpec,
        TrialStatus,
        (
            Column("Campaign", ".spec.campaignRef.name", "Campaign.", priority=1),
            Column("Arm", ".spec.arm.name", "Measured arm."),
            Column("Block", ".spec.block", "Block.", "integer"),
            Column("Concurrency", ".spec.concurrency", "Client threads.", "integer"),
            Column("Phase", ".status.phase", "State of the trial."),
            Column("TPS", ".status.result.tps", "Transactions a second.", "number"),
            Column("Reason", ".status.reason", "Why the trial did not succeed."),
        ),
    ),
    Resource(
        kinds.OVERHEAD_REPORT,
        "The cost of encryption that a campaign measured. Written by the operator.",
        OverheadReportSpec,
        OverheadReportStatus,
        (
            Column(
                "Overhead",
                ".status.overhead",
                "The first treatment's overhead with its interval: loss of TPS, or of the figure "
                "that it names.",
            ),
            Column("Verdict", ".status.verdict", "Overhead, Equivalent or Inconclusive."),
            Column("Headline", ".status.headline", "The answer in one sentence.", priority=1),
        ),
    ),
)

BY_KIND: dict[Kind, Resource] = {resource.kind: resource for resource in RESOURCES}


def problems(kind: Kind, body: dict[str, Any], old: dict[str, Any] | None = None) -> list[str]:
    """The API server's objections to an object of ours, as `<path>: <message>` lines.

    With `old`, the present object, also its objections to the change.
    """
    resource = BY_KIND[kind]
    name = body.get("metadata", {}).get("name", "")
    found = [] if NAME_RULE.holds(name) else [f"metadata.name: {NAME_RULE.message}"]
    if not fits(f"^{SUBDOMAIN}$", name):
        found.append(f"metadata.name: {_NAME_HINT}")
    known = {"apiVersion", "kind", "metadata", "spec", "status"}
    found += [f"{field}: unknown field" for field in body.keys() - known]
    if body.get("spec") is None:
        return [*found, "spec: Required value"]
    parts = {"spec": resource.spec}
    if resource.status is not None and body.get("status") is not None:
        parts["status"] = resource.status
    for part, model in parts.items():
        found += _part_problems(part, model, body, old if part == "spec" else None)
    return found


def _part_problems(
    part: str, model: type[Model], body: dict[str, Any], old: dict[str, Any] | None
) -> list[str]:
    try:
        value = model.model_validate(body[part])
    except ValidationError as error:
        return [
            f"{_path(part, one['loc'])}: {one['msg'].removeprefix('Value error, ')}"
            for one in error.errors()
        ]
    try:
        before = model.model_validate(old[part], extra="ignore") if old is not None else value
    except ValidationError:
        return [
            f"{part}: the object in the cluster is of another version of encbench, so that the "
            "change cannot be checked: use the plugin of the operator's version"
        ]
    return [f"{part}: {message}" for message in value.broken_transitions(before)]


def _path(part: str, location: tuple[int | str, ...]) -> str:
    """A path as the API server writes it: `spec.matrix[0].modeRefs`."""
    return part + "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in location)

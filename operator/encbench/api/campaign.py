"""Campaign: what to compare, and how its progress reads."""

from typing import Annotated

from pydantic import Field

from encbench.api.base import Bool, Int, Model, Name, Number, PositiveDuration, Time
from encbench.api.conditions import Conditions
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.rules import Rule, Transition, Unique
from encbench.api.workload import WorkloadSpec

NameSet = Annotated[
    list[Name],
    Field(min_length=1, max_length=16),
    Unique(),
]


class MatrixEntry(Model):
    """Every combination of these instances, modes and workloads is measured."""

    instance_refs: NameSet = Field(description="Names of InstanceTemplates.")
    mode_refs: NameSet = Field(
        description="Names of EncryptionModes to compare with the baseline mode. Naming the "
        "baseline alone gives an A/A campaign."
    )
    workload_refs: NameSet = Field(description="Names of Workloads.")


class Blocks(Model):
    """A block is one trial of every arm, in an order drawn from the seed."""

    min: Annotated[Int, Field(ge=1, le=1000)] = Field(
        6, description="Valid blocks to measure of each instance, workload and concurrency."
    )
    max_replacements: Annotated[Int, Field(ge=0, le=1000)] = Field(
        3,
        description="Blocks that may be run again, of each instance, workload and concurrency, "
        "because one of their trials was Invalid or Failed.",
    )


class StepDeadlines(Model):
    """How long each step may take before it ends with a reason."""

    provision: PositiveDuration = Field(
        "10m", description="Database pod created until it answers queries."
    )
    load: PositiveDuration = Field("6h", description="Loading the dataset.")
    proof: PositiveDuration = Field("10m", description="Proving the encryption mode.")
    start: PositiveDuration = Field(
        "5m", description="Client pods created until they are ready to start."
    )
    overrun: PositiveDuration = Field(
        "1m", description="Tool still running after warm-up and duration."
    )
    archive: PositiveDuration = Field(
        "24h", description="Waiting for the object store or the metrics source."
    )


FROZEN_FIELDS = (
    "matrix",
    "baselineModeRef",
    "blocks",
    "margin",
    "seed",
    "allowColocation",
    "stepDeadlines",
)
"""Fields of the spec that may not change after creation, in the API's spelling."""


def _frozen(field: str) -> Transition:
    return Transition(
        cel=f"self.{field} == oldSelf.{field}",
        message=f"{field} is fixed once the campaign exists, for a changed plan is a new "
        "campaign: apply it under another name",
        holds=lambda new, old: new.to_dict()[field] == old.to_dict()[field],
    )


class CampaignSpec(Model):
    """A comparison. Frozen once created, but for suspend and the two deadlines in seconds."""

    rules = (
        Rule(
            cel="self.matrix.all(entry, !((self.baselineModeRef + '-control') in entry.modeRefs))",
            message="give that EncryptionMode another name: <baselineModeRef>-control is what the "
            "baseline's second measurement, the noise floor, is called",
            holds=lambda spec: all(
                f"{spec.baseline_mode_ref}-control" not in entry.mode_refs for entry in spec.matrix
            ),
        ),
    )
    transitions = tuple(_frozen(field) for field in FROZEN_FIELDS)

    matrix: Annotated[list[MatrixEntry], Field(min_length=1, max_length=16)] = Field(
        description="What to measure."
    )
    baseline_mode_ref: Name = Field(
        description="EncryptionMode that all others are compared with. It is measured a second "
        "time, on a testbed of its own, as the noise floor."
    )
    blocks: Blocks = Field(default_factory=Blocks, description="How often each comparison is made.")
    margin: Annotated[Number, Field(gt=0, lt=1)] = Field(
        0.05, description="Overhead that matters, as a fraction: 0.05 is 5 %."
    )
    seed: Annotated[Int, Field(ge=0, le=2**53 - 1)] = Field(
        1, description="Seed of every random order in the plan."
    )
    suspend: Bool = Field(False, description="Start no further trial; one that runs is finished.")
    allow_colocation: Bool = Field(
        False,
        description="Let client and database share a node. The report says so, for node CPU is "
        "then of both.",
    )
    step_deadlines: StepDeadlines = Field(
        default_factory=StepDeadlines, description="Limits of the single steps."
    )
    active_deadline_seconds: Annotated[Int, Field(ge=1)] | None = Field(
        None, description="Seconds after which the whole campaign ends as Failed."
    )
    ttl_seconds_after_finished: Annotated[Int, Field(ge=0)] | None = Field(
        None,
        description="Seconds after the campaign's end at which its succeeded Trials are deleted; "
        "invalid and failed ones stay until the campaign is deleted.",
    )


class Progress(Model):
    """Counts of trials."""

    planned: Int = Field(0, description="Trials that the campaign needs, replacements included.")
    active: Int = Field(0, description="Trials under way.")
    succeeded: Int = Field(0, description="Trials with a valid result.")
    invalid: Int = Field(0, description="Trials whose result does not count.")
    failed: Int = Field(0, description="Trials that gave no result.")


class Resolved(Model):
    """The specs as they were when the campaign was accepted; later edits change nothing here."""

    instances: Annotated[dict[str, InstanceTemplateSpec], Field(max_length=256)] = Field(
        default_factory=dict, description="InstanceTemplates by name."
    )
    modes: Annotated[dict[str, EncryptionModeSpec], Field(max_length=256)] = Field(
        default_factory=dict, description="EncryptionModes by name."
    )
    workloads: Annotated[dict[str, WorkloadSpec], Field(max_length=256)] = Field(
        default_factory=dict, description="Workloads by name."
    )
    scripts: Annotated[dict[str, Name], Field(max_length=256)] = Field(
        default_factory=dict,
        description="Immutable copies of Lua scripts: ConfigMap name by workload name.",
    )
    hash: Annotated[str, Field(max_length=64)] = Field(
        "", description="SHA-256 of the specs above."
    )


class CampaignStatus(Model):
    """Where the campaign stands."""

    observed_generation: Int | None = Field(None, description="Generation that was acted on.")
    phase: Annotated[str, Field(max_length=32)] = Field(
        "Pending",
        description="For eyes only: Pending, Running, Suspended, Succeeded, Failed.",
    )
    conditions: Conditions = Field(
        default_factory=list,
        description="Accepted, Suspended, Reported, Complete, Failed.",
    )
    progress: Progress = Field(default_factory=Progress, description="Counts of trials.")
    step: Annotated[str, Field(max_length=512)] = Field(
        "", description="What is being done now, in words."
    )
    start_time: Time | None = Field(None, description="When the plan was frozen.")
    completion_time: Time | None = Field(None, description="When the last trial ended.")
    estimated_completion_time: Time | None = Field(
        None, description="When the campaign will end at the pace so far."
    )
    resolved: Resolved | None = Field(None, description="The frozen specs.")
    storage_prefix: Annotated[str, Field(max_length=512)] | None = Field(
        None, description="Where the artefacts lie in the bucket."
    )
    report_ref: Name | None = Field(None, description="Name of the OverheadReport.")

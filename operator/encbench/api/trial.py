"""Trial: one attempt of one measured run, written by the operator. A rerun is a new trial."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import FROZEN, Bool, Int, Model, Name, Number, ObjectRef, Time
from encbench.api.campaign import Limits, StepDeadlines
from encbench.api.conditions import Conditions
from encbench.api.lifecycle import TRIAL_LIFE
from encbench.api.testbed import Arm
from encbench.api.workload import WorkloadSpec

Outcome = Literal["Succeeded", "Invalid", "Failed"]


class TrialSpec(Model):
    """One cell of the plan, resolved and frozen."""

    transitions = (FROZEN,)

    campaign_ref: ObjectRef = Field(description="The campaign that owns this trial.")
    testbed_ref: ObjectRef = Field(description="The testbed that it runs against.")
    cell: Name = Field(description="Cell of the plan: instance x dataset.")
    instance_ref: Name = Field(description="InstanceTemplate of the testbed.")
    workload_ref: Name = Field(description="Workload that the spec came from.")
    arm: Arm = Field(description="The arm that is measured.")
    block: Annotated[Int, Field(ge=1)] = Field(
        description="Block of this instance, workload and concurrency, from 1; numbers above the "
        "planned ones are replacements."
    )
    order: Annotated[Int, Field(ge=1)] = Field(description="Place within the block, from 1.")
    concurrency: Annotated[Int, Field(ge=1)] = Field(
        description="Client threads in total over all replicas."
    )
    seed: Annotated[Int, Field(ge=1)] = Field(
        description="Seed of the tool, the same for every arm of a block."
    )
    workload: WorkloadSpec = Field(description="The frozen Workload.")
    script_config_map: Name | None = Field(
        None, description="Immutable ConfigMap with the Lua script, where it is the user's own."
    )
    limits: Limits = Field(
        default_factory=Limits, description="What makes the trial Invalid, whatever its TPS."
    )
    allow_colocation: Bool = Field(False, description="Client and database may share a node.")
    storage_prefix: Annotated[str, Field(max_length=512)] = Field(
        description="Prefix of the campaign's artefacts; this trial's lie under "
        "<prefix>/trials/<trial UID>/."
    )
    step_deadlines: StepDeadlines = Field(description="Limits of the single steps.")
    spec_hash: Annotated[str, Field(max_length=64)] = Field(
        description="SHA-256 of the testbed's and the workload's frozen specs."
    )


class Window(Model):
    """The measured window as the client stamped it."""

    start: Annotated[Number, Field(ge=0)] = Field(description="Begin, Unix time in seconds.")
    end: Annotated[Number, Field(ge=0)] = Field(description="End, Unix time in seconds.")


class TrialResult(Model):
    """The figures of one trial, for eyes; the report reads the bucket."""

    tps: Number = Field(description="Transactions a second, all replicas.")
    qps: Number | None = Field(
        None, description="Queries a second, all replicas; absent where the tool counts none."
    )
    latency_average_ms: Number | None = Field(
        None, description="Average latency in milliseconds; absent where the tool gives none."
    )
    latency_p95_ms: Number | None = Field(
        None,
        description="95th percentile of latency in milliseconds; absent where the tool gives none.",
    )
    errors: Int = Field(description="Errors in the window, as maxErrorRate counts them.")
    database_cpu_cores: Number | None = Field(
        None, description="CPU of the server in cores; absent when it could not be measured."
    )
    client_cpu_cores: Number | None = Field(None, description="CPU of the tool in cores.")
    extra: Annotated[dict[Annotated[str, Field(max_length=64)], Number], Field(max_length=16)] = (
        Field(
            default_factory=dict,
            description="Figures that only this kind of workload gives, such as "
            "newOrdersPerSecond of TPC-C or recoverySeconds.",
        )
    )


class TrialStatus(Model):
    """Where the trial stands."""

    observed_generation: Int | None = Field(None, description="Generation that was acted on.")
    phase: Annotated[str, Field(max_length=32)] = Field(
        "Pending",
        description=TRIAL_LIFE.phase_names,
    )
    conditions: Conditions = Field(
        default_factory=list,
        description=TRIAL_LIFE.names,
    )
    outcome: Outcome | None = Field(
        None, description="Succeeded, Invalid (its result does not count) or Failed (it has none)."
    )
    reason: Annotated[str, Field(max_length=64)] | None = Field(
        None, description="One word of why it is not Succeeded."
    )
    message: Annotated[str, Field(max_length=4096)] | None = Field(
        None, description="One sentence of why it is not Succeeded."
    )
    start_time: Time | None = Field(None, description="When work on the trial began.")
    release_at: Annotated[Number, Field(ge=0)] | None = Field(
        None, description="When the clients start together, Unix time in seconds."
    )
    server_started: Annotated[Number, Field(ge=0)] | None = Field(
        None, description="Start of the server process as seen before the run, Unix time."
    )
    server_restarted: Annotated[Number, Field(ge=0)] | None = Field(
        None,
        description="Start of the server process that came back after the intended stop of a "
        "recovery workload, Unix time.",
    )
    window: Window | None = Field(None, description="The measured window.")
    result: TrialResult | None = Field(None, description="The figures.")
    completion_time: Time | None = Field(None, description="When the trial ended.")
    artefact_key: Annotated[str, Field(max_length=1024)] | None = Field(
        None, description="Key of the trial's record in the bucket."
    )
    artefact_digest: Annotated[str, Field(max_length=80)] | None = Field(
        None, description="sha256:<hex> of the trial's record."
    )

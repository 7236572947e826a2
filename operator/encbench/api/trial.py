"""Trial: one attempt of one measured run, written by the operator. A rerun is a new trial."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import FROZEN, Model, ObjectRef, optional
from encbench.api.campaign import Limits, StepDeadlines
from encbench.api.conditions import Conditions, PhaseName
from encbench.api.lifecycle import TRIAL_LIFE
from encbench.api.scalars import Bool, Int, Name, Number, Positive, Sentence, Time, UnixTime, Word
from encbench.api.testbed import MAX_AVOIDED, Arm, Machine, NodeName
from encbench.api.workload import WorkloadSpec

Outcome = Literal["Succeeded", "Invalid", "Failed"]


class Turns(Model):
    """What a trial of an interleaved block knows of the others."""

    slice_seconds: Annotated[Number, Field(gt=0)]
    """Length of a slice."""
    settle_seconds: Annotated[Number, Field(ge=0)]
    """The part at the beginning of each slice that does not count."""
    rounds: Annotated[Int, Field(ge=1)]
    """Slices of each arm."""
    seed: Annotated[Int, Field(ge=0)]
    """Seed of the order of the slices."""
    trials: Annotated[list[Name], Field(min_length=1, max_length=32)]
    """The block's trials in their order; they run at the same time."""


class TrialSpec(Model):
    """One cell of the plan, resolved and frozen."""

    transitions = (FROZEN,)

    campaign_ref: ObjectRef = Field(description="The campaign that owns this trial.")
    testbed_ref: ObjectRef = Field(description="The testbed against which it runs.")
    testbed_proof: Annotated[str, Field(max_length=80)] | None = None
    """Digest of that testbed's full proof in the bucket; absent in trials of earlier releases."""
    cell: Name = Field(description="Cell of the plan: instance x dataset.")
    instance_ref: Name = Field(description="InstanceTemplate of the testbed.")
    workload_ref: Name = Field(description="Workload from which the spec was taken.")
    arm: Arm = Field(description="The measured arm.")
    block: Positive
    """Block of this instance, workload and concurrency, from 1; `blocks.solo` from 1001. Numbers
    above the planned ones of either are replacements."""
    order: Positive = Field(description="Place within the block, from 1.")
    concurrency: Positive = Field(description="Client threads in total over all replicas.")
    seed: Positive
    """Seed of the tool, the same for every arm of a block. With sysbench each has its own on an
    external database, whose dataset they share; with TPC-C see terminalSeed."""
    terminal_seed: Positive | None = None
    """What the terminals of encbench's own TPC-C client draw from instead of seed, where arms share
    an external database. By seed the client draws the constant of last names as well, which is the
    same for every arm."""
    turns: Turns | None = None
    """How the block's arms take turns; absent in a sequential block."""
    after: Name | None = None
    """The trial before it, if that was still being proven when this one's clients were started:
    its own first proof waits for that."""
    full_check: Bool = False
    """Ask all of TPC-C's consistency conditions after this trial, which is of the last block on its
    testbed."""
    workload: WorkloadSpec = Field(description="The frozen Workload.")
    script_config_map: Name | None = None
    """Immutable ConfigMap with the Lua script, if it is the user's own."""
    limits: Limits = Field(default_factory=Limits)
    """Limits above which the trial is Invalid, whatever its TPS."""
    allow_colocation: Bool = Field(False, description="Client and database may share a node.")
    client_nodes: Annotated[list[NodeName], Field(max_length=64)] = Field(default_factory=list)
    """Nodes on which the clients have to run, because those of the cell's earlier trials did. Any
    if empty."""
    avoid: Annotated[list[NodeName], Field(max_length=MAX_AVOIDED)] = Field(default_factory=list)
    """Nodes that other cells of the campaign used when this trial was planned. The clients run
    elsewhere if they fit."""
    machine: Machine | None = None
    """With limits.likeNodes, the node that the database's own has to be like."""
    storage_prefix: Annotated[str, Field(max_length=512)]
    """Prefix of the campaign's artefacts; this trial's are under <prefix>/trials/<trial UID>/."""
    step_deadlines: StepDeadlines = Field(description="Time limits of the steps.")
    spec_hash: Word = Field(description="SHA-256 of the testbed's and the workload's frozen specs.")


class Window(Model):
    """The measured window that all clients share, by the operator's clock."""

    start: UnixTime = Field(description="Start, Unix time in seconds.")
    end: UnixTime = Field(description="End, Unix time in seconds.")


class PodPlace(Model):
    """One incarnation of a pod, and where it runs."""

    uid: Word = Field(description="UID of the pod.")
    node: NodeName = Field(description="Node of the pod.")
    restarts: Annotated[Int, Field(ge=0)] = Field(
        default=0,
        description="Restarts of the pod's containers by then. In a database's pod only the proxy "
        "and the file system count. The kubelet counts each second attempt to start one.",
    )


class ReleasedPods(Model):
    """The pods that a trial is measured with, from the release of its clients on."""

    database: PodPlace | None = optional("The database's; absent if that is external.")
    clients: Annotated[list[PodPlace], Field(max_length=64)] = Field(default_factory=list)
    """The clients', in order of their index."""


class TrialResult(Model):
    """The figures of one trial, for people; the report reads the bucket."""

    tps: Number = Field(description="Transactions per second, all replicas.")
    qps: Number | None = None
    """Queries per second, all replicas; absent if the tool does not count them."""
    latency_average_ms: Number | None = None
    """Average latency in milliseconds; absent if the tool gives none."""
    latency_p95_ms: Number | None = None
    """95th percentile of latency in milliseconds; absent if the tool gives none."""
    errors: Int = Field(description="Errors in the window, as maxErrorRate counts them.")
    database_cpu_cores: Number | None = None
    """CPU of the server in cores; absent if it could not be measured."""
    client_cpu_cores: Number | None = optional("CPU of the tool in cores.")
    extra: Annotated[dict[Word, Number], Field(max_length=16)] = Field(default_factory=dict)
    """Figures that only this kind of workload has, such as newOrdersPerSecond of TPC-C or
    recoverySeconds."""


class TrialStatus(Model):
    """State of the trial."""

    observed_generation: Int | None = optional("Generation that the operator has processed.")
    phase: PhaseName = Field("Pending", description=TRIAL_LIFE.phase_names)
    conditions: Conditions = Field(default_factory=list, description=TRIAL_LIFE.names)
    outcome: Outcome | None = None
    """Succeeded, Invalid (its result does not count) or Failed (it has none)."""
    reason: Word | None = optional("One word that says why the trial did not succeed.")
    message: Sentence | None = optional("One sentence that says why the trial did not succeed.")
    start_time: Time | None = optional("When work on the trial began.")
    release_at: UnixTime | None = optional("When the clients start together, Unix time in seconds.")
    pods: ReleasedPods | None = None
    """The pods when the clients were released. Another pod in place of one of them makes the trial
    Invalid."""
    server_started: UnixTime | None = None
    """Start of the server process before the run, Unix time."""
    server_restarted: UnixTime | None = None
    """Start of the server process that came back after the intended stop of a recovery workload,
    Unix time."""
    window: Window | None = optional("The measured window.")
    result: TrialResult | None = optional("The figures.")
    completion_time: Time | None = optional("When the trial ended.")
    artefact_key: Annotated[str, Field(max_length=1024)] | None = None
    """Key of the trial's record in the bucket."""
    artefact_digest: Annotated[str, Field(max_length=80)] | None = None
    """sha256:<hex> of the trial's record."""

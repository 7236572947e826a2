"""Testbed: one prepared database, written by the operator: instance x arm x dataset."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import FROZEN, Model, ObjectRef, optional
from encbench.api.campaign import Cache, Reset, Residency, StepDeadlines
from encbench.api.conditions import Conditions, PhaseName
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.lifecycle import TESTBED_LIFE
from encbench.api.rules import either
from encbench.api.scalars import (
    Bool,
    Int,
    Name,
    Number,
    Positive,
    Time,
    UnixTime,
    Word,
    parse_quantity,
)
from encbench.api.tpcc import Tpcc
from encbench.api.workload import Client, Sysbench

Role = Literal["baseline", "control", "treatment"]
"""control is A': the baseline mode a second time, on a testbed of its own."""


class Arm(Model):
    """One side of the comparison."""

    name: Name = Field(description="Name of the arm: its mode's, with -control for A'.")
    role: Role = Field(description="baseline, control (A') or treatment.")
    mode_ref: Name = Field(description="EncryptionMode of the arm.")


class Dataset(Model):
    """The data to load, and the client that loads it. Only the tool's dataset fields matter."""

    rules = (either("sysbench", "tpcc", "write exactly one tool, sysbench or tpcc"),)

    sysbench: Sysbench | None = optional("The test whose prepare command loads the tables.")
    tpcc: Tpcc | None = optional("The TPC-C whose client loads the tables.")
    script_config_map: Name | None = None
    """Immutable ConfigMap with the Lua script, if it is the user's own."""
    client: Client = Field(description="Image and resources of the load Job.")

    @property
    def sysbench_test(self) -> Sysbench:
        """The sysbench test, of a dataset that has one."""
        assert self.sysbench is not None  # noqa: S101 - who asks knows the tool
        return self.sysbench

    @property
    def tpcc_test(self) -> Tpcc:
        """TPC-C, of a dataset that has it."""
        assert self.tpcc is not None  # noqa: S101 - who asks knows the tool
        return self.tpcc

    @property
    def tables(self) -> int:
        """How many there are of each table of the schema: sysbench numbers its own."""
        return 1 if self.sysbench is None else self.sysbench.tables


NodeName = Annotated[str, Field(max_length=253)]
MAX_AVOIDED = 256
"""Nodes of other cells that a testbed or a trial keeps off."""


class Machine(Model):
    """A node as far as it matters to a measurement. What is not known is absent."""

    node: NodeName = Field(description="Name of the node.")
    cpu_model: Annotated[str, Field(max_length=256)] | None = optional("Model of its CPU.")
    kernel: Annotated[str, Field(max_length=256)] | None = optional("Release of its kernel.")
    allocatable_cores: Number | None = optional("CPU that it offers its pods, in cores.")
    allocatable_bytes: Int | None = optional("Memory that it offers its pods, in bytes.")
    kubelet: Annotated[str, Field(max_length=256)] | None = optional("Version of its kubelet.")
    container_runtime: Annotated[str, Field(max_length=256)] | None = None
    """Name and version of its container runtime, as the Node has it."""
    os_image: Annotated[str, Field(max_length=256)] | None = optional("Its operating system.")
    instance_type: Annotated[str, Field(max_length=63)] | None = None
    """Its label node.kubernetes.io/instance-type."""
    zone: Annotated[str, Field(max_length=63)] | None = None
    """Its label topology.kubernetes.io/zone."""


class TestbedSpec(Model):
    """All parts of a testbed, resolved and frozen."""

    __test__ = False
    transitions = (FROZEN,)

    campaign_ref: ObjectRef = Field(description="The campaign that owns this testbed.")
    cell: Name = Field(description="Cell of the plan: instance x dataset.")
    instance_ref: Name = Field(description="InstanceTemplate from which the spec was taken.")
    arm: Arm
    """The arm for which this testbed was built; baseline and control alternate between theirs."""
    generation: Positive = 1
    """Number of its set of testbeds within the cell; 1 is the first."""
    instance: InstanceTemplateSpec = Field(description="The frozen InstanceTemplate.")
    mode: EncryptionModeSpec = Field(description="The frozen EncryptionMode.")
    dataset: Dataset = Field(description="The frozen dataset.")
    max_connections: Annotated[Int, Field(ge=1, le=100_000)]
    """Client connections for which the server has room."""
    near: Annotated[list[NodeName], Field(max_length=32)] = Field(default_factory=list)
    """Nodes of the cell's other databases when this one was planned. The database runs on one of
    them if it fits."""
    avoid: Annotated[list[NodeName], Field(max_length=MAX_AVOIDED)] = Field(default_factory=list)
    """Nodes that other cells of the campaign used when this one was planned. The database never
    runs there, nor does its load."""
    cpu_share: Positive = 1
    """Its pod and its load request this part of the CPU that they may use: 3 is a third."""
    plain_volume: Bool = False
    """Its volume has to be unencrypted, because an arm of its cell encrypts its own by
    StorageClass."""
    reset: Reset = Field("none", description="When the data is restored to the loaded state.")
    residency: Residency = "Resident"
    """Whether the server runs between its trials."""
    cache: Cache = Field("Warm", description="Whether a trial begins with cold caches.")
    step_deadlines: StepDeadlines = Field(description="Time limits of the steps.")
    spec_hash: Word = Field(description="SHA-256 of instance, mode and dataset.")

    @property
    def follows_trials(self) -> bool:
        """Whether its server is stopped and started on behalf of trials."""
        return (self.reset, self.residency, self.cache) != ("none", "Resident", "Warm")

    @property
    def server_cores(self) -> float:
        """What the server alone may use, which is the same in all arms.

        For an external database, the cores in its template; 0 if there are none.
        """
        external = self.instance.external
        if external is not None:
            return 0.0 if external.cpu is None else parse_quantity(external.cpu)
        return self.instance.embedded.resources.cores

    @property
    def database_cores(self) -> float:
        """What the database may use: the server's limit, and that of a file system in its pod.

        They are two limits: neither may use what the other leaves.
        """
        fuse = self.mode.gocryptfs
        return self.server_cores + (fuse.resources.cores if fuse else 0.0)


class DataCopy(Model):
    """One copy of the data directory, as its container reported it."""

    files: Int = Field(description="Files that were copied.")
    size_bytes: Int = Field(description="Bytes that were copied.")
    seconds: Number = Field(description="Duration of the copy.")


class ServerRun(Model):
    """A start of the server after the first one."""

    start: Annotated[str, Field(max_length=253)]
    """Name of the start: golden, a trial's, or a block's."""
    reset: Annotated[str, Field(max_length=253)] = ""
    """Name of the restore that the data comes from; none if empty."""
    asked_time: Time = Field(description="When the start was requested.")
    ready_time: Time | None = optional("When the server first answered.")
    restored: DataCopy | None = None
    """The copy that preceded it; absent if the data was left unchanged."""


class TestbedStatus(Model):
    """State of the testbed."""

    __test__ = False

    observed_generation: Int | None = optional("Generation that the operator has processed.")
    phase: PhaseName = Field("Pending", description=TESTBED_LIFE.phase_names)
    conditions: Conditions = Field(default_factory=list, description=TESTBED_LIFE.names)
    start_time: Time | None = optional("When work on the testbed began.")
    ready_time: Time | None = optional("When the testbed was ready for trials.")
    server_started: UnixTime | None = None
    """Start of the server process, Unix time in seconds; a new value means a restart."""
    machine: Machine | None = optional("The node that the database runs on, or last ran on.")
    golden: DataCopy | None = optional("The golden copy; absent if there is none.")
    run: ServerRun | None = optional("The last requested start; absent before the second one.")
    proof_digest: Annotated[str, Field(max_length=80)] | None = None
    """Digest of the full proof in the bucket."""

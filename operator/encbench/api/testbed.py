"""Testbed: one prepared database, written by the operator: instance x arm x dataset."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import (
    FROZEN,
    Int,
    Model,
    Name,
    Number,
    ObjectRef,
    Time,
    parse_quantity,
)
from encbench.api.campaign import Cache, Reset, Residency, StepDeadlines
from encbench.api.conditions import Conditions
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.lifecycle import TESTBED_LIFE
from encbench.api.rules import either
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
    """What is loaded, and by which client. Only the dataset's fields of the tool matter here."""

    rules = (either("sysbench", "tpcc", "name one tool, sysbench or tpcc"),)

    sysbench: Sysbench | None = Field(
        None, description="The test whose prepare command loads the tables."
    )
    tpcc: Tpcc | None = Field(None, description="The TPC-C whose client loads the tables.")
    script_config_map: Name | None = Field(
        None, description="Immutable ConfigMap with the Lua script, where it is the user's own."
    )
    client: Client = Field(description="Image and resources of the load Job.")

    @property
    def sysbench_test(self) -> Sysbench:
        """The sysbench test, of a dataset that has one."""
        assert self.sysbench is not None  # noqa: S101 - who asks knows the tool
        return self.sysbench


class TestbedSpec(Model):
    """Everything a testbed is made of, resolved and frozen."""

    __test__ = False
    transitions = (FROZEN,)

    campaign_ref: ObjectRef = Field(description="The campaign that owns this testbed.")
    cell: Name = Field(description="Cell of the plan: instance x dataset.")
    instance_ref: Name = Field(description="InstanceTemplate that the spec came from.")
    arm: Arm = Field(
        description="The arm that this testbed was built for; baseline and control take turns on "
        "theirs."
    )
    generation: Annotated[Int, Field(ge=1)] = Field(
        1, description="Which set of testbeds of its cell it belongs to; 1 is the first."
    )
    instance: InstanceTemplateSpec = Field(description="The frozen InstanceTemplate.")
    mode: EncryptionModeSpec = Field(description="The frozen EncryptionMode.")
    dataset: Dataset = Field(description="The frozen dataset.")
    max_connections: Annotated[Int, Field(ge=1, le=100_000)] = Field(
        description="Client connections to make room for."
    )
    reset: Reset = Field("none", description="When the data is put back to what was loaded.")
    residency: Residency = Field(
        "Resident", description="Whether the server runs between its trials."
    )
    cache: Cache = Field("Warm", description="Whether a trial begins with cold caches.")
    step_deadlines: StepDeadlines = Field(description="Limits of the single steps.")
    spec_hash: Annotated[str, Field(max_length=64)] = Field(
        description="SHA-256 of instance, mode and dataset."
    )

    @property
    def follows_trials(self) -> bool:
        """Whether its server is stopped and started as trials ask for it."""
        return (self.reset, self.residency, self.cache) != ("none", "Resident", "Warm")

    @property
    def database_cores(self) -> float:
        """CPU that the database may use: the server's, and that of a file system in its pod.

        Of an external one what its template says; 0 where it says nothing.
        """
        external, fuse = self.instance.external, self.mode.gocryptfs
        if external is not None:
            return 0.0 if external.cpu is None else parse_quantity(external.cpu)
        return self.instance.embedded.resources.cores + (fuse.resources.cores if fuse else 0.0)


class DataCopy(Model):
    """One copying of the data directory, as its container reported."""

    files: Int = Field(description="Files that were copied.")
    size_bytes: Int = Field(description="Bytes that were copied.")
    seconds: Number = Field(description="How long that took.")


class ServerRun(Model):
    """A start of the server that was asked for after the first one."""

    start: Annotated[str, Field(max_length=253)] = Field(
        description="Name of the start: golden, a trial's, or a block's."
    )
    reset: Annotated[str, Field(max_length=253)] = Field(
        "", description="Which restoring of the golden copy the data is; none when empty."
    )
    asked_time: Time = Field(description="When it was asked for.")
    ready_time: Time | None = Field(None, description="When the server answered.")
    restored: DataCopy | None = Field(
        None, description="The copying that went before it; absent when the data was left as it is."
    )


class TestbedStatus(Model):
    """Where the testbed stands."""

    __test__ = False

    observed_generation: Int | None = Field(None, description="Generation that was acted on.")
    phase: Annotated[str, Field(max_length=32)] = Field(
        "Pending",
        description=TESTBED_LIFE.phase_names,
    )
    conditions: Conditions = Field(
        default_factory=list,
        description=TESTBED_LIFE.names,
    )
    start_time: Time | None = Field(None, description="When work on the testbed began.")
    ready_time: Time | None = Field(None, description="When the testbed was ready for trials.")
    server_started: Annotated[Number, Field(ge=0)] | None = Field(
        None,
        description="Start of the server process, Unix time in seconds; another value later means "
        "a restart.",
    )
    golden: DataCopy | None = Field(None, description="The golden copy; absent when there is none.")
    run: ServerRun | None = Field(
        None, description="The last start that was asked for; absent while there is but the first."
    )
    proof_digest: Annotated[str, Field(max_length=80)] | None = Field(
        None, description="Digest of the full proof in the bucket."
    )

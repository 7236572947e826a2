"""Testbed: one prepared database, written by the operator: instance x arm x dataset."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import FROZEN, Int, Model, Name, Number, ObjectRef, Time
from encbench.api.campaign import StepDeadlines
from encbench.api.conditions import Conditions
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import Client, Sysbench

Role = Literal["baseline", "control", "treatment"]
"""control is A': the baseline mode a second time, on a testbed of its own."""


class Arm(Model):
    """One side of the comparison."""

    name: Name = Field(description="Name of the arm: its mode's, with -control for A'.")
    role: Role = Field(description="baseline, control (A') or treatment.")
    mode_ref: Name = Field(description="EncryptionMode of the arm.")


class Dataset(Model):
    """What is loaded, and by which client. Only the dataset's fields of `sysbench` matter here."""

    sysbench: Sysbench = Field(description="The test whose prepare command loads the tables.")
    script_config_map: Name | None = Field(
        None, description="Immutable ConfigMap with the Lua script, where it is the user's own."
    )
    client: Client = Field(description="Image and resources of the load Job.")


class TestbedSpec(Model):
    """Everything a testbed is made of, resolved and frozen."""

    __test__ = False
    transitions = (FROZEN,)

    campaign_ref: ObjectRef = Field(description="The campaign that owns this testbed.")
    cell: Name = Field(description="Cell of the plan: instance x dataset.")
    instance_ref: Name = Field(description="InstanceTemplate that the spec came from.")
    arm: Arm = Field(description="The arm that this testbed serves.")
    instance: InstanceTemplateSpec = Field(description="The frozen InstanceTemplate.")
    mode: EncryptionModeSpec = Field(description="The frozen EncryptionMode.")
    dataset: Dataset = Field(description="The frozen dataset.")
    max_connections: Annotated[Int, Field(ge=1, le=100_000)] = Field(
        description="Client connections to make room for."
    )
    step_deadlines: StepDeadlines = Field(description="Limits of the single steps.")
    spec_hash: Annotated[str, Field(max_length=64)] = Field(
        description="SHA-256 of instance, mode and dataset."
    )


class TestbedStatus(Model):
    """Where the testbed stands."""

    __test__ = False

    observed_generation: Int | None = Field(None, description="Generation that was acted on.")
    phase: Annotated[str, Field(max_length=32)] = Field(
        "Pending",
        description="For eyes only: Pending, Provisioning, Loading, Proving, Ready, Failed.",
    )
    conditions: Conditions = Field(
        default_factory=list,
        description="Provisioned, Loaded, Proven (False: the mode is not in force), Ready, Failed.",
    )
    start_time: Time | None = Field(None, description="When work on the testbed began.")
    ready_time: Time | None = Field(None, description="When the testbed was ready for trials.")
    server_started: Annotated[Number, Field(ge=0)] | None = Field(
        None,
        description="Start of the server process, Unix time in seconds; another value later means "
        "a restart.",
    )
    proof_digest: Annotated[str, Field(max_length=80)] | None = Field(
        None, description="Digest of the full proof in the bucket."
    )

"""Evidence: proofs, provenance and the clients' own summaries, as the bucket holds them.

These records say under what conditions a figure was measured; `records` holds the figures.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from encbench.api.base import Model
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.scalars import Time
from encbench.api.testbed import Arm
from encbench.api.trial import Window
from encbench.core.artefact import Digest, Record

ON_TRUST = "which nothing in the pod can show"
"""In a proof's summary: encryption that was declared, and not verified."""


class ProofCheck(Model):
    """One check of a proof."""

    name: str
    ok: bool
    detail: str = ""


class ProofVerdict(Model):
    """Whether the mode was in force, in one sentence that a person can read."""

    ok: bool
    summary: str
    on_trust: Literal[True] | None = None
    """Encryption was declared, and not verified. Only set where that is so."""
    evidence_lost: Literal[True] | None = None
    """What the agent saw was lost before it was stored, and this is the verdict that a condition
    kept. Only set where that is so, and in no proof before this field."""

    @model_validator(mode="before")
    @classmethod
    def _summary_says_on_trust(cls, data: Any) -> Any:
        """Of a record of an earlier release, and of a condition, which have no such field.

        Their summary is that of `proofs.check.conclude`.
        """
        if not isinstance(data, Mapping) or {"on_trust", "onTrust"} & data.keys():
            return data
        return {**data, "on_trust": ON_TRUST in str(data.get("summary")) or None}


class Proof(ProofVerdict):
    """A proof with its checks and evidence."""

    checks: tuple[ProofCheck, ...] = ()
    evidence: dict[str, Any] = Field(default_factory=dict)
    """The agent's unchanged answer."""
    time: Time | None = None
    dirty_bytes: int | None = None
    """Of a trial's second proof: what its server had changed and not written when it was first
    asked to. None where the engine or the agent does not count it, where the agent had ended since
    the first proof, and before this figure."""


class ProofRecord(Record):
    """`testbeds/<testbed>/proof.json`: the full scan, once per testbed."""

    schema_: Literal["encbench.io/proof/v1"] = Field("encbench.io/proof/v1", alias="schema")
    testbed: str
    uid: str | None = None
    """Of the Testbed: one that was deleted may come back under its name. Absent in proofs before
    this field."""
    cell: str
    arm: Arm
    mode: EncryptionModeSpec
    proof: Proof


class ClockOffsetFacts(Model):
    """The wall clock of a client or an agent against the operator's."""

    seconds: float
    """That clock minus the operator's."""
    round_trip: float
    """Of the question: the offset is uncertain by half of it."""


class AgentClockFacts(ClockOffsetFacts):
    """Of an agent, as if read in the middle of the question; for comparison with a later one."""

    time: float
    """Unix time that it showed."""


class TrialProofsRecord(Record):
    """`trials/<uid>/proofs.json`: before and after one trial."""

    schema_: Literal["encbench.io/proofs/v1"] = Field("encbench.io/proofs/v1", alias="schema")
    before: Proof | None = None
    after: Proof | None = None
    clock: AgentClockFacts | None = None
    """The agent's when the first proof was made; only in the part that has this proof alone."""


class MachineFacts(Model):
    """What a pod ran on."""

    node: str | None = None
    kernel: str | None = None
    cpu_model: str | None = None
    cpu_flags: tuple[str, ...] = ()
    """Known of the database's only."""
    cpu_governor: str | None = None
    """What sets the clock frequency of its CPU; known of the database's only, where it is shown."""
    aes: bool | None = None
    """Whether its CPU lists AES instructions; known of a client's only."""
    allocatable_cores: float | None = None
    """What the node offers its pods, and in bytes of memory; known of the database's only."""
    allocatable_bytes: int | None = None
    kubelet: str | None = None
    """Its version, and what follows, as the Node says; known of the database's only, and absent in
    records before these facts."""
    container_runtime: str | None = None
    os_image: str | None = None
    instance_type: str | None = None
    zone: str | None = None
    """By the node's labels."""


class DiskFacts(Model):
    """What the disk under a testbed's data is, apart from what a class says of its encryption."""

    provisioner: str
    """Of its StorageClass, as what follows. Of a volume that this class's did not make, what its
    own annotation says, and kubernetes.io/no-provisioner without one."""
    parameters: dict[str, str] | None = None
    """But those about encryption and its keys; None of such a volume."""
    mount_options: tuple[str, ...] | None = None
    """None of such a volume, and in proofs of earlier releases."""
    filesystem: str | None = None
    """Type of the mount that the server sees; None where that is a mode's own, by FUSE."""
    dm_crypt: bool | None = None
    """Whether dm-crypt was seen under the data. None in indexes of earlier releases, and where none
    was seen below a FUSE file system, because on a btrfs the agent would not see it there."""
    by_file: Literal[True] | None = None
    """The class has the file system encrypt each file (fscrypt), which then may ignore O_DIRECT.
    Only set where that is so, and in no index before this fact."""


class ServerFacts(Model):
    """What the server says about itself."""

    version: str
    settings: dict[str, str] = Field(default_factory=dict)


class ProvenanceRecord(Record):
    """`trials/<uid>/provenance.json`: what the figures were made with.

    It holds no time and no pod name, so that equal provenance has an equal digest and the report
    need only read it once.
    """

    schema_: Literal["encbench.io/provenance/v1"] = Field(
        "encbench.io/provenance/v1", alias="schema"
    )
    testbed: str
    server: ServerFacts
    machine: MachineFacts
    """Where the database ran."""
    clients: tuple[MachineFacts, ...] = ()
    """Where each client pod ran; kernel and CPU as its recorder saw them."""
    images: dict[str, str] = Field(default_factory=dict)
    """Image with its digest, as the kubelet resolved it, by container: server, agent, tool,
    recorder, and those of a mode or a plan, such as volume, proxy and turnstile."""
    driver_jars: tuple[Digest, ...] | None = None
    """Digests of the mode's own JDBC driver in the client pods, each once. Absent without one, and
    in records before this fact."""
    operator_version: str | None = None


class Stamp(Model):
    """One moment by two clocks."""

    unix: float
    monotonic: float


class ClientWindow(Window):
    """The measured window of one client; `seconds` is by the monotonic clock."""

    seconds: float


class OutputFile(Model):
    """The tool's own output."""

    bytes: int
    digest: Digest


class ClientMachine(Model):
    """What a client saw of its node."""

    kernel: str
    cpu_model: str
    aes: bool | None = None
    """Whether its CPU lists AES instructions; absent where that is not known."""


class ClientSummary(Record):
    """`trials/<uid>/client-<n>/summary.json`, as the recorder writes it."""

    schema_: Literal["encbench.io/client-summary/v1"] = Field(
        "encbench.io/client-summary/v1", alias="schema"
    )
    tool: str
    exit_code: int | None = None
    began: Stamp | None = None
    load_began: Stamp | None = None
    """Absent from a recorder of an earlier version."""
    ended: Stamp | None = None
    window: ClientWindow | None = None
    cpu_seconds: float | None = None
    cpu_limit_cores: float | None = None
    memory_max_bytes: int | None = None
    memory_limit_bytes: int | None = None
    throttled_seconds: float | None = None
    throttled_periods: float | None = None
    """Absent from a recorder of an earlier version, like the next."""
    cpu_periods: float | None = None
    clock_skew_seconds: float | None = None
    """How far the wall clock moved against the monotonic one during the run."""
    clock_offset: ClockOffsetFacts | None = None
    """As it was measured before the release."""
    machine: ClientMachine | None = None
    """Absent from a recorder of an earlier version."""
    output: OutputFile | None = None

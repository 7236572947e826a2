"""The records that a campaign leaves in the bucket: reconcilers write them, the report reads them.

docs/design/0001-spine.md, "Bucket", says where each one is. Times are Unix seconds or RFC 3339 in
UTC, according to their type; CPU is in cores, sizes are in bytes.
"""

from typing import Any, Literal

from pydantic import Field

from encbench.api.base import Model, ObjectRef
from encbench.api.campaign import BlockPlan, CampaignSpec, LostSet, Resolved
from encbench.api.scalars import Name, Time
from encbench.api.testbed import Arm
from encbench.api.trial import Outcome, TrialResult, TrialSpec, Window
from encbench.api.workload import Stop
from encbench.core.artefact import Digest, Record
from encbench.core.evidence import ClientMachine, ClockOffsetFacts, DiskFacts, ProofVerdict
from encbench.core.naming import trial_prefix
from encbench.core.plan import Cell
from encbench.core.slices import Slices
from encbench.core.tls import TlsSession


class CampaignId(ObjectRef):
    """One incarnation of a campaign."""

    namespace: str


class ClientFacts(Model):
    """What the trial's record says about one client replica, in order of its index."""

    tps: float | None = None
    began: float | None = None
    """When its load began, or its tool if that does not say; Unix time by the operator's clock."""
    cpu_cores: float | None = None
    cpu_limit_cores: float | None = None
    memory_max_bytes: int | None = None
    memory_limit_bytes: int | None = None
    throttled_seconds: float | None = None
    """For which its CPU limit held it back in the window, summed over CPUs."""
    throttled_periods: float | None = None
    """Periods of its CPU limit in which that was so."""
    cpu_periods: float | None = None
    """Periods in which it ran."""
    clock_skew_seconds: float | None = None
    """How far its wall clock moved against its monotonic one during the run."""
    clock_offset: ClockOffsetFacts | None = None
    """Its wall clock against the operator's; the window is by the operator's."""
    queue: tuple[int, int] | None = None
    """Transactions that waited in it when its window began and when it ended; absent without
    `load.rate`, and in records before this figure."""
    node: str | None = None
    machine: ClientMachine | None = None
    sessions: tuple[TlsSession, ...] = ()
    """What its sessions negotiated with the database."""
    columns: tuple[tuple[str, str], ...] | None = None
    """Tables and digests of rows that its driver read, where the client prints them."""


class DatabaseCpu(Model):
    """CPU of the server in the window."""

    cores: float
    limit_cores: float
    coverage: float | None = None
    """Share of the window between the first and the last raw sample in it."""
    alignment_error: float | None = None
    """Estimated relative error due to the uncovered rest."""


class ProxyCpu(DatabaseCpu):
    """CPU in the window of the proxy that encrypts columns; never part of the server's."""

    memory_max_bytes: int | None = None
    """Peak resident memory in the window; absent where more than a tenth of it, and more than three
    steps, has no samples."""


class NodeCpu(Model):
    """CPU of the database's node in the window, whoever used it: without waiting for a disk."""

    fraction: float
    cores: float
    """Cores that the node has."""
    node: str


class ClientCpu(Model):
    """CPU of the tool over all replicas in the window."""

    cores: float
    limit_cores: float


class NodeShare(Model):
    """A part of a node's CPU in the window."""

    node: str
    cores: float
    node_cores: float
    """Cores that the node has."""

    @property
    def fraction(self) -> float:
        """Share of the node's cores."""
        return self.cores / self.node_cores


class ForeignCpu(NodeShare):
    """What no database, client or sidecar of the campaign used. Waiting for a disk is no use."""

    with_dm_crypt: bool | None = None
    """True of the database's node if its mode names a StorageClass. dm-crypt encrypts in threads of
    the kernel, and what is only declared to encrypt may: they are in no pod, and so they are
    counted here."""


class StolenCpu(NodeShare):
    """What the hypervisor gave to other machines though this node had work for it (steal)."""


class IdleCpu(Model):
    """CPU of the campaign's other databases in the window, which should have been idle."""

    cores: float
    """Of all of them together."""
    limit_cores: float
    """What one server may use, the same in all arms."""
    testbeds: dict[str, float] = Field(default_factory=dict)
    """Cores of each."""


Withheld = dict[Literal["database", "proxy", "volume", "node", "client", "foreign", "idle"], str]


class TrialCpu(Model):
    """CPU figures; one that is absent is explained in `withheld`."""

    database: DatabaseCpu | None = None
    proxy: ProxyCpu | None = None
    """Absent without `withheld` where the arm has no proxy."""
    volume: DatabaseCpu | None = None
    """The part of `database`, use and limit, that is the file system's in the database's pod.
    Absent without `withheld` where there is none, and in records before this figure."""
    node: NodeCpu | None = None
    client: ClientCpu | None = None
    foreign: tuple[ForeignCpu, ...] = ()
    """For each node of database and clients."""
    stolen: tuple[StolenCpu, ...] = ()
    """The same; of nodes whose steal Prometheus has."""
    spare: tuple[NodeShare, ...] | None = None
    """What neither was used nor stolen of each of these nodes, waiting for a disk included. Absent
    in records before this figure."""
    idle: IdleCpu | None = None
    throttled: dict[Literal["database", "proxy", "volume"], float] | None = None
    """Share of the periods of its CPU limit in which the limit held each up. Absent in records
    before this figure, and of what the kernel hides."""
    withheld: Withheld = Field(default_factory=dict)
    """Why a figure is absent, such as `alignment error 3.1 % is above 2 %`, or `Prometheus lacks
    the first 240 s of the window`."""


class KindRecord(Model):
    """One kind of transaction in the window, over all replicas, if the tool reports kinds."""

    name: str
    transactions: int
    errors: int | None = None
    latency_average_ms: float | None = None
    latency_p95_ms: float | None = None


class DiskIo(Model):
    """What the kernel counts of the database's I/O in the window, by proc(5)."""

    read_bytes_per_second: float
    """Read from the disk; what the page cache served is not in it."""
    write_bytes_per_second: float
    """With O_DIRECT what was written to the disk. Otherwise the pages that writing made dirty in
    the page cache, counted then: they are written later, or never where a file is deleted first."""

    @classmethod
    def in_slices(cls, slices: Slices) -> "DiskIo | None":
        """What it did in the trial's own slices; None unless both are known."""
        read = slices.each_second(row.read_bytes for row in slices.rows)
        write = slices.each_second(row.write_bytes for row in slices.rows)
        if read is None or write is None:
            return None
        return cls(read_bytes_per_second=read, write_bytes_per_second=write)


class TrialProofs(Model):
    """The verdicts of proofs.json as the report's tables show them."""

    before: ProofVerdict | None = None
    after: ProofVerdict | None = None


class ServerProcess(Model):
    """The server's main process as the agent saw it."""

    process_id: int
    started_at: float
    """Unix time, by the clock of the database's node."""


class RecoveryFacts(Model):
    """An intended stop of the server and its way back, in seconds (`wire.agent.RecoverySteps`)."""

    stop: Stop
    signal: str
    before: ServerProcess
    after: ServerProcess
    stopped_at: float
    """Unix time of the signal, by the clock of the database's node."""
    stop_seconds: float
    restart_seconds: float
    """Until the new process started: the kubelet's time, which no figure includes."""
    recovery_seconds: float
    resolution_seconds: float
    """Time between the last two tries: the server may have been ready this much earlier."""
    redo_bytes: int | None = None
    """Size of the log that the data files lacked at the stop; None where the server cannot say."""
    lines: tuple[str, ...] = ()
    """The first lines of the server's log about the recovery."""


class RecoveryRecord(Record):
    """`trials/<uid>/recovery.json`: everything that the figures of a recovery rest on."""

    schema_: Literal["encbench.io/recovery/v1"] = Field("encbench.io/recovery/v1", alias="schema")
    ok: bool
    reason: str
    message: str
    facts: RecoveryFacts | None = None
    """Absent where the server did not come back."""
    agent: dict[str, Any] = Field(default_factory=dict)
    """Its unchanged answer."""
    log: tuple[str, ...] = ()
    """The server's log from the new process' start on."""


class SlotsRecord(Record):
    """`trials/<uid>/slots.json`: the agent's readings at the edges of an interleaved block."""

    schema_: Literal["encbench.io/slots/v1"] = Field("encbench.io/slots/v1", alias="schema")
    answer: Any
    """A `wire.slices.SlotsAnswer`, unchanged."""

    def to_dict(self, *only: str) -> dict[str, Any]:
        """See `Model`. It copies nothing: the answer of a long block takes 90 MiB."""
        fields = {"schema_": ("schema", self.schema_), "answer": ("answer", self.answer)}
        return dict(fields[name] for name in only or fields)


class TrialRecord(Record):
    """`trials/<uid>/trial.json`: written last; it names the digests of the rest."""

    schema_: Literal["encbench.io/trial/v1"] = Field("encbench.io/trial/v1", alias="schema")
    trial: ObjectRef
    campaign: CampaignId
    spec: TrialSpec
    outcome: Outcome
    reason: str | None = None
    message: str | None = None
    window: Window | None = None
    result: TrialResult | None = None
    cpu: TrialCpu = Field(default_factory=TrialCpu)
    transactions: int | None = None
    histogram: tuple[tuple[float, int], ...] | None = None
    """Latency histogram over all replicas: middle of the bucket in ms, count."""
    kinds: tuple[KindRecord, ...] = ()
    slices: Slices | None = None
    """Of an interleaved block."""
    database_node: str | None = None
    """Node of the database's pod; if a client has the same, they are co-located."""
    clients: tuple[ClientFacts, ...] = ()
    proofs: TrialProofs = Field(default_factory=TrialProofs)
    consistency: ProofVerdict | None = None
    """Whether TPC-C's tables were consistent after the run; absent if not checked."""
    disk: DiskIo | None = None
    dirty_bytes: int | None = None
    """What the server had changed and not written after the run, before it was made to: InnoDB
    writes and encrypts it outside of the window. Absent of other engines, where the agent ended
    during the run, and in records before this figure."""
    recovery: RecoveryFacts | None = None
    """For a recovery workload whose server answered again."""
    start_time: Time | None = None
    completion_time: Time | None = None
    release_at: float | None = None
    server_started: float | None = None
    """Start of the server process that the run began on, by the clock of the database's node.
    Absent of an external database, and in records before this fact."""
    timings: dict[str, float] = Field(default_factory=dict)
    """Seconds by step, such as startedToReleased."""
    artefacts: dict[str, Digest] = Field(default_factory=dict)
    """Digest by name relative to the trial's folder: client-0/series.csv, metrics.json, …"""

    def key_of(self, artefact: str) -> str:
        """Key in the bucket of one of this trial's other objects."""
        return f"{trial_prefix(self.spec.storage_prefix, self.trial.uid)}/{artefact}"


Samples = tuple[tuple[float, float], ...]
"""[Unix s, value], in order."""


PodPart = Literal["database", "proxy", "agent", "recorder", "client"]


class PodCpu(Model):
    """CPU-seconds of one of the campaign's processes."""

    part: PodPart
    testbed: str
    node: str
    samples: Samples


class NodeIdle(Model):
    """CPU-seconds of a client's node that nothing on it used, summed over its CPUs."""

    node: str
    cores: float
    samples: Samples
    """Idle."""
    waiting: Samples = ()
    """Idle while a disk was waited for (iowait)."""
    stolen: Samples = ()
    """Taken by the hypervisor (steal)."""


class MetricsRecord(Record):
    """`trials/<uid>/metrics.json`: raw samples of the window by series' name.

    Of a window longer than `core.window.KEPT` seconds few samples of each series.
    """

    in_lines = True

    schema_: Literal["encbench.io/metrics/v1"] = Field("encbench.io/metrics/v1", alias="schema")
    window: Window
    series: dict[str, Samples] = Field(default_factory=dict)
    several: dict[str, int] | None = None
    """How many there were of each series that `series` lacks because there were more than one."""
    left_out: dict[str, str] | None = None
    """Why the record lacks a series or a node that Prometheus may have: by its name."""
    node_cores: float | None = None
    """Of the database's node."""
    pods: tuple[PodCpu, ...] = ()
    """The trial's own database, and every database and sidecar of the campaign on the trial's
    nodes, or on none that its series name."""
    client_nodes: tuple[NodeIdle, ...] = ()
    """Nodes of clients other than the database's."""
    clocks_apart: float | None = None
    """Seconds by which the operator's clock had moved against the agent's between the first proof
    and the reading of these samples, 0 where round trips or a clock's adjustment may explain it;
    None where that is not known, and before this field."""


class IndexCondition(Model):
    """A workload at one concurrency."""

    workload: Name
    concurrency: int


class IndexCell(Model):
    """A cell of the plan: its arms in their order, baseline first."""

    name: Name
    instance: Name
    arms: tuple[Arm, ...]
    conditions: tuple[IndexCondition, ...]

    @classmethod
    def of(cls, cell: Cell) -> "IndexCell":
        """From the plan's cell."""
        return cls(
            name=cell.name,
            instance=cell.instance_ref,
            arms=cell.arms,
            conditions=tuple(
                IndexCondition(workload=c.workload_ref, concurrency=c.concurrency)
                for c in cell.conditions
            ),
        )


class IndexTrial(Model):
    """One finished trial. Key and digest are absent when it ended before its record was stored.

    Its place in the plan and its message are then here, because no record says them; earlier
    indexes lack that.
    """

    name: str
    outcome: Outcome
    reason: str | None = None
    message: str | None = None
    key: str | None = None
    digest: Digest | None = None
    cell: Name | None = None
    workload: Name | None = None
    concurrency: int | None = None
    block: int | None = None
    arm: Name | None = None

    @property
    def is_recorded(self) -> bool:
        """Whether its record was stored."""
        return self.key is not None and self.digest is not None


class IndexOrphan(Model):
    """The record of a trial that ended, and whose Trial was deleted before the report."""

    key: str
    digest: Digest
    name: str | None = None
    """Of the trial; like `outcome` None where the record cannot be read."""
    outcome: Outcome | None = None


class IndexProof(Model):
    """The full proof of a testbed."""

    ok: bool
    summary: str
    on_trust: Literal[True] | None = None
    """As the proof has it; an index of an earlier release says it in its summary alone."""
    key: str | None = None
    digest: Digest | None = None

    @property
    def is_on_trust(self) -> bool:
        """Whether encryption was declared, and not verified."""
        said = ProofVerdict.model_validate({"ok": self.ok, "summary": self.summary})
        return self.on_trust is True or said.on_trust is True


class IndexTestbed(Model):
    """One testbed. `proof` is absent when none was made."""

    name: str
    cell: Name
    arm: Name
    generation: int = 1
    proof: IndexProof | None = None
    disk: DiskFacts | None = None
    """By the evidence of that proof; None where the StorageClass is not known."""


class IndexStorage(Model):
    """Where everything is."""

    bucket: str
    prefix: str


MEASURED = "AllBlocksMeasured"
"""Reason of a campaign that measured all it had planned."""


class CampaignEnd(Model):
    """Why a campaign ended, as its condition `Complete` or `Failed` says it."""

    reason: str
    message: str

    @property
    def is_complete(self) -> bool:
        """Whether it measured all it had planned."""
        return self.reason == MEASURED


class IndexEarlier(Model):
    """The index of a campaign that this one extends."""

    campaign: CampaignId
    key: str
    digest: Digest


class IndexScript(Model):
    """The text of a workload's own script. `key` is absent where its copy was gone."""

    workload: Name
    key: str | None = None
    digest: Digest | None = None


class IndexRecord(Record):
    """`report/index.json`: everything that the report is made from, with its digests."""

    schema_: Literal["encbench.io/index/v1"] = Field("encbench.io/index/v1", alias="schema")
    campaign: CampaignId
    spec: CampaignSpec
    resolved: Resolved
    storage: IndexStorage
    cells: tuple[IndexCell, ...]
    trials: tuple[IndexTrial, ...] = ()
    """In the order in which they ran."""
    orphans: tuple[IndexOrphan, ...] | None = None
    """Records in the bucket of other trials of this campaign; None where there are none, and in
    indexes before this field."""
    testbeds: tuple[IndexTestbed, ...] = ()
    block_plans: tuple[BlockPlan, ...] = ()
    """With `precision`: the result of each condition's pilot."""
    extends: tuple[IndexEarlier, ...] = ()
    """Of a follow-up: the campaigns before it with the same plan, the first of them first."""
    scripts: tuple[IndexScript, ...] | None = None
    """Absent where there are none, and in indexes of earlier releases."""
    start_time: Time | None = None
    generated_time: Time
    end: CampaignEnd | None = None
    """None in indexes before this field."""
    lost_sets: tuple[LostSet, ...] | None = None
    """Sets of testbeds that were lost; None where there are none, and in indexes before this
    field."""
    operator_version: str | None = None

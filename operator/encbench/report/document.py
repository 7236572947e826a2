"""The report as data: what report.json holds, and what every other rendering is made from.

Fractions are fractions (0.078 is 7.8 %), percent fields are percent, and each says which. Figures
are rounded to six significant digits, far below the noise, so that equal trials give equal bytes.

Means are geometric where a ratio of two arms is reported (TPS, QPS, latency, CPU per transaction),
so that every loss follows from the two figures beside it; they are arithmetic where a difference
is reported (CPU in percent and percentage points).
"""

from typing import Literal

from pydantic import Field

from encbench.api.base import Model, Name, Time
from encbench.api.campaign import BlockPlan, CampaignSpec, Resolved
from encbench.api.overheadreport import Artefact, Interval, InvalidCount, Row, Verdict
from encbench.api.testbed import Arm, Role
from encbench.api.trial import Outcome, Window
from encbench.core.artefact import Record
from encbench.core.evidence import ProofVerdict
from encbench.core.records import CampaignId, IndexStorage, IndexTrial


class TrialView(Model):
    """One trial with the figures that the report derives from its record."""

    name: str
    uid: str
    testbed: str
    cell: Name
    instance: Name
    workload: Name
    concurrency: int
    arm: Name
    role: Role
    block: int
    order: int
    outcome: Outcome
    reason: str | None = None
    message: str | None = None
    counted: bool = False
    """It succeeded and so did every other trial of its block."""
    start_time: Time | None = None
    window: Window | None = None
    tps: float | None = None
    qps: float | None = None
    new_orders_per_second: float | None = None
    """Of TPC-C only."""
    latency_average_ms: float | None = None
    latency_p95_ms: float | None = None
    latency_percentiles_ms: dict[str, float] = Field(default_factory=dict)
    """From the histogram, by percentile: `{"50": 12.1, "99.9": 80.4}`. One that fewer than ten
    transactions lie beyond is left out."""
    errors: int | None = None
    database_cpu_percent: float | None = None
    client_cpu_percent: float | None = None
    client_cpu_cores: float | None = None
    """Of one replica, the mean of all, as are the two below."""
    client_memory_mib: float | None = None
    """The most that it had resident."""
    client_memory_percent: float | None = None
    """The same of its limit."""
    node_cpu_percent: float | None = None
    database_cpu_ms_per_transaction: float | None = None
    proxy_cpu_percent: float | None = None
    """Of the limit of the proxy that encrypts columns; None where there is none, or no figure."""
    proxy_cpu_ms_per_transaction: float | None = None
    database_side_cpu_ms_per_transaction: float | None = None
    """Server and proxy together; the server alone where there is no proxy."""
    client_cpu_ms_per_transaction: float | None = None
    """Of the tool over all replicas, its driver included."""
    restored_seconds: float | None = None
    """How long its golden copy took to be copied back; None where none was."""
    disk_read_kib_per_transaction: float | None = None
    """What the database read from its disk, page cache left out; near 0 the data was in memory."""
    disk_write_kib_per_transaction: float | None = None
    recovery_seconds: float | None = None
    """Of recovery workloads: from the new server's start to its first answer."""
    stop_seconds: float | None = None
    """From the signal until the server was gone."""
    redo_mib: float | None = None
    """Of the log that the data files did not have at the stop."""
    cpu_withheld: dict[str, str] = Field(default_factory=dict)
    throttled_seconds: float | None = None
    throttled_percent: float | None = None
    """Of the window, of the client pod that was throttled most."""
    foreign_cpu_percent: float | None = None
    """Of the cores of a node: what anything but the campaign's own databases, clients and sidecars
    used. Of the nodes of database and clients the one with most; None where it was not measured."""
    idle_cpu_percent: float | None = None
    """CPU of the campaign's other databases together, of one instance's limit; None where it was
    not measured."""
    home: Name | None = None
    """The arm whose testbed it ran on: baseline and control take turns on theirs."""
    generation: int = 1
    """Which set of testbeds it ran on, from 1; see `blocks.perTestbed`."""
    colocated: bool = False
    consistent: bool | None = None
    """Whether TPC-C's tables were consistent afterwards; None where nothing was checked."""
    proof_before: ProofVerdict | None = None
    proof_after: ProofVerdict | None = None
    key: str
    digest: str
    series: tuple[tuple[float, float], ...] = ()
    """TPS of all clients, thinned: seconds since the window's begin, transactions a second."""


class Block(Model):
    """One block as it ran."""

    block: int
    counted: bool
    why: str | None = None
    """Why it does not count."""
    trials: tuple[str, ...]
    """Names in the order in which they ran."""


Figure = Literal["tps", "latencyAverage", "latencyP95", "cpuPerTransaction", "recovery"]
"""What an overhead is told of: TPS, average latency, its 95th percentile, and the server's
CPU-seconds per transaction; of recovery workloads the seconds of a recovery alone."""


class Finding(Model):
    """One figure of one treatment against the baseline, and what may be said about it."""

    figure: Figure
    blocks: int
    """Blocks in which every arm has the figure."""
    change: Interval | None = None
    """Loss of TPS, increase of the others; 95 %, for itself."""
    change90: Interval | None = None
    """The same at 90 %: what equivalence is judged by."""
    noise_floor: float | None = None
    """Largest absolute bound of A' against A of this figure, by arm and by testbed."""
    bar: float | None = None
    """The larger of margin and noise floor: what `Overhead` has to exceed."""
    overhead_p: float | None = None
    """p-value of "the change is at most the bar", two-sided, adjusted for the number of modes
    (Holm); below 0.05 is `Overhead`."""
    equivalent_p: float | None = None
    """p-value of "the change is at least the margin, one way or the other", adjusted likewise;
    below 0.05 is `Equivalent`."""
    verdict: Verdict
    why: str
    """What decided, in one clause."""


class Comparison(Model):
    """One treatment against the baseline under one condition, and how it was judged."""

    arm: Name
    blocks: int
    loss: Interval | None = None
    """Of TPS, 95 %; of a recovery workload the increase of its seconds."""
    loss90: Interval | None = None
    """The same at 90 %: what equivalence is judged by."""
    verdict: Verdict
    """Of the same."""
    why: str
    proven: bool | None = None
    """Every counted trial was proven before and after; None without one."""
    on_trust: bool = False
    """Encryption on disk was accepted on somebody's word in one of these proofs, and not seen."""
    findings: tuple[Finding, ...] = ()
    """One for each figure; those of the first are `loss`, `verdict` and `why` above."""

    def finding(self, figure: Figure) -> Finding | None:
        """What was found of that figure."""
        return next((one for one in self.findings if one.figure == figure), None)


Layer = Literal["hop", "driver", "encryption"]
"""A layer of column encryption."""
LAYERS: dict[Layer, str] = {
    "hop": "hop through the proxy",
    "driver": "encrypting driver",
    "encryption": "encryption of values",
}
"""From the lowest to the uppermost, in words."""


class Step(Model):
    """What layers of column encryption cost: an arm against the one that has the same without them.

    Intervals are at 95 %, paired by block.
    """

    arm: Name
    before: Name
    layers: tuple[Layer, ...]
    """What lies between the two; more than one where a campaign has no arm between."""
    blocks: int
    loss: Interval | None = None
    """Of TPS: 1 - arm/before."""
    verdict: Verdict
    """Of TPS, by margin and noise floor, corrected for the number of steps (Holm)."""
    why: str
    """What decided the verdict, in one clause."""
    bar: float | None = None
    """What the loss has to exceed: the larger of margin and noise floor."""
    latency_average: Interval | None = None
    """Increase: arm/before - 1, as are those below."""
    latency_p95: Interval | None = None
    database_cpu: Interval | None = None
    """Of the server's CPU per transaction, the proxy's left out."""
    database_side_cpu: Interval | None = None
    """Of the CPU per transaction of server and proxy together."""
    client_cpu: Interval | None = None
    """Of the client's CPU per transaction."""


class Distribution(Model):
    """Latency of one arm under one condition."""

    arm: Name
    blocks: int
    """Valid blocks in which every trial has a histogram."""
    percentiles_ms: dict[str, float]
    """Geometric means over those blocks, by percentile; only those that every trial has."""


class Group(Model):
    """One workload at one concurrency on one instance: everything that is compared directly."""

    cell: Name
    instance: Name
    workload: Name
    concurrency: int
    arms: tuple[Arm, ...]
    planned_blocks: int
    counted_blocks: int
    block_plan: BlockPlan | None = None
    """What the pilot said, where `precision` asked for one and it is over."""
    half_width: float | None = None
    """Half-width of the widest 95 % interval of the loss of TPS that was reached, as a fraction."""
    blocks_why: str = ""
    """Why there are as many blocks as there are, in one sentence without its full stop."""
    units: int = 0
    """What the intervals rest on: valid blocks, or with `blocks.perTestbed` sets of testbeds."""
    noise_floor: float | None = None
    """Largest absolute bound of the 95 % interval of A' against A, of TPS, as a fraction."""
    noise_floors: dict[Figure, float] = Field(default_factory=dict)
    """The same of every figure that has one."""
    placement: Interval | None = None
    """What the control's testbed lost of TPS against the baseline's, whichever of the two arms it
    served: luck of placement. None where testbeds were built anew for every block."""
    offered_tps: float | None = None
    """The fixed rate that the workload offers."""
    equal_work: bool | None = None
    """Every arm kept up with the offered rate, so that CPU per transaction is the cost at equal
    work; None where no rate is offered."""
    primary: Figure = "tps"
    """What the headline tells: a recovery's seconds where one was measured, CPU per transaction at
    equal work, else TPS."""
    rows: tuple[Row, ...]
    comparisons: tuple[Comparison, ...]
    blocks: tuple[Block, ...]
    steps: tuple[Step, ...] = ()
    """What each layer of column encryption costs; empty where no mode has one."""
    latency: tuple[Distribution, ...] = ()
    """Of each arm in the order of the plan; empty where the tool gave no histogram."""

    @property
    def baseline(self) -> Arm:
        """The arm that the others are compared with."""
        return next(arm for arm in self.arms if arm.role == "baseline")

    def row(self, arm: str) -> Row:
        """The row of that arm."""
        return next(row for row in self.rows if row.arm == arm)

    def step(self, arm: str) -> Step | None:
        """The step that ends at that arm."""
        return next((step for step in self.steps if step.arm == arm), None)

    def comparison(self, arm: str) -> Comparison | None:
        """The comparison of that treatment; None where the group has no such arm."""
        return next((c for c in self.comparisons if c.arm == arm), None)


class Headline(Model):
    """The answer about one treatment; for the condition that was chosen by the plan alone."""

    arm: Name
    text: str
    verdict: Verdict
    instance: Name | None = None
    workload: Name | None = None
    concurrency: int | None = None
    figure: Figure = "tps"
    """What `loss` and `verdict` are of."""
    loss: Interval | None = None
    """Loss of TPS, or the increase of another figure."""


class TestbedProof(Model):
    """The full proof of one testbed."""

    __test__ = False

    testbed: str
    instance: Name
    arm: Name
    ok: bool
    summary: str
    key: str | None = None
    digest: str | None = None


class FactValue(Model):
    """One value of a fact, and where it held: `instance/arm`, empty for everywhere."""

    value: str
    where: tuple[str, ...] = ()


class Fact(Model):
    """One thing that the figures were made with."""

    name: str
    values: tuple[FactValue, ...]


class Provenance(Model):
    """What the figures were made with."""

    facts: tuple[Fact, ...] = ()
    cpu_flags: tuple[str, ...] = ()
    """Flags that every database node's CPU has and that matter for encryption."""
    settings_differing: tuple[Fact, ...] = ()
    """Server settings that are not the same in every arm of an instance."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Server settings that are the same in every database, so that two reports can be compared."""
    settings_equal: int = 0
    """How many those are."""
    records: tuple[Artefact, ...] = ()
    """The records behind this, with every setting."""


class EncryptedColumns(Model):
    """The columns that a mode encrypts in the tables of a workload."""

    mode: Name
    workload: Name
    algorithm: str
    ratio: int | None = None
    """As the mode names it; None where it has a list of its own."""
    columns: tuple[str, ...]
    """table.column, in the order of the schema."""
    of: int
    """Columns that the workload's tables have."""
    share: float
    """The first of the second, as a fraction."""


class StudyColumn(Model):
    """One column of a study's table: its name as it was published, and what it holds."""

    name: str
    unit: str = ""
    """What it is measured in, where the name does not say it."""
    formula: str = ""
    """How it follows from other columns; empty where it was measured."""


class StudyTable(Model):
    """A table with the header of a published one, so that both can be laid side by side."""

    name: str
    """Also of its file: `study-<name>.csv`."""
    title: str
    columns: tuple[StudyColumn, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


class Caveat(Model):
    """One thing that could be wrong with the figures, derived from facts of this campaign."""

    weight: Literal["serious", "note"]
    title: str
    text: str


class Report(Record):
    """`report/report.json`: the whole report."""

    schema_: Literal["encbench.io/report/v1"] = Field("encbench.io/report/v1", alias="schema")
    campaign: CampaignId
    spec: CampaignSpec
    resolved: Resolved
    storage: IndexStorage
    index: Artefact
    start_time: Time | None = None
    generated_time: Time
    operator_version: str | None = None
    headlines: tuple[Headline, ...]
    groups: tuple[Group, ...]
    trials: tuple[TrialView, ...]
    """In the order in which they ran."""
    unrecorded: tuple[IndexTrial, ...] = ()
    """Trials that ended before their record could be stored."""
    invalid: tuple[InvalidCount, ...] = ()
    noise_floor: float | None = None
    """The largest of all groups."""
    colocated: bool = False
    proofs: tuple[TestbedProof, ...] = ()
    encrypted_columns: tuple[EncryptedColumns, ...] = ()
    studies: tuple[StudyTable, ...] = ()
    provenance: Provenance = Field(default_factory=Provenance)
    caveats: tuple[Caveat, ...] = ()

    @property
    def rows(self) -> list[Row]:
        """The rows of all groups, in the order of the plan."""
        return [row for group in self.groups for row in group.rows]

    @property
    def treatments(self) -> list[Arm]:
        """Every treatment once, in the order of the plan."""
        arms = (arm for group in self.groups for arm in group.arms if arm.role == "treatment")
        return list({arm.name: arm for arm in arms}.values())

"""One condition of the report: its rows, and how its arms were judged."""

from typing import Literal

from pydantic import Field

from encbench.api.base import Model
from encbench.api.campaign import BlockPlan
from encbench.api.overheadreport import FigureKey, Interval, Row, Saturation, Verdict
from encbench.api.scalars import Name
from encbench.api.testbed import Arm
from encbench.core.records import IndexTrial
from encbench.core.statistics.verdict import Obstacle
from encbench.report.document.interleaving import Interleaving
from encbench.report.document.pooled import PooledChange
from encbench.report.document.trial import Block, TrialView
from encbench.text.words import plural


class Demand(Model):
    """What a narrower 95 % interval would take, by the spread so far.

    It promises no verdict, because the narrower interval may lie anywhere.
    """

    half_width: float
    """Of that interval, as a fraction."""
    rounds: int | None = None
    """More of them, in blocks that are interleaved; else `blocks`."""
    blocks: int | None = None
    seconds: float
    """Of machine time, by what a round or a block took."""


class Capacity(Model):
    """A loss of TPS as cores, where the server's CPU alone was the limit in both arms."""

    cores: float
    """The server's limit."""
    needed: float
    """For the TPS of the baseline: cores / (1 - loss)."""
    low: float | None = None
    """By the bounds of the loss."""
    high: float | None = None
    beside: float | None = None
    """Cores of the arm's proxy or file system in its pod, which the baseline lacks."""


class Finding(Model):
    """One figure of one treatment against the baseline, and its verdict."""

    figure: FigureKey
    blocks: int
    """Blocks in which every arm has the figure."""
    change: Interval | None = None
    """Loss of TPS, or increase of another figure, with its own 95 % interval."""
    placement: Interval | None = None
    """The same with its placement interval at 90 %, which either claim needs on its side too; None
    where testbeds were rebuilt or shared."""
    luck: float | None = None
    """Standard error of the testbeds' luck on the log scale, with one degree of freedom."""
    carried: float | None = None
    """The largest carry-over between interleaved arms that its interval allows, as a fraction: a
    verdict has to hold even if it moved the figure that far. None where none was noticed."""
    noise_floor: float | None = None
    """Largest absolute bound of A' against A of this figure, by arm and by testbed."""
    bar: float | None = None
    """What `Overhead` has to exceed: the margin."""
    overhead_p: float | None = None
    """p-value of "the change is at most the margin", two-sided, adjusted for the number of modes
    (Holm); below 0.05 is `Overhead`."""
    equivalent_p: float | None = None
    """p-value of "the change is at least the margin, one way or the other", adjusted likewise;
    below 0.05 is `Equivalent`, unless the obstacle is `KernelCipher`."""
    verdict: Verdict
    obstacle: Obstacle | None = None
    """What stood in the way of a verdict; None with one, without data, and in earlier reports."""
    why: str
    """What decided, in one clause."""
    demand: Demand | None = None
    """Without a verdict: what a narrower interval takes. None where the spread is not known, or
    where width is not what stood in the way."""


class PairedComparison(Model):
    """One treatment against the baseline under one condition, and how it was judged."""

    arm: Name
    blocks: int
    loss: Interval | None = None
    """Of TPS, at 95 %; or the increase of another primary figure."""
    verdict: Verdict
    """Of that loss or increase."""
    why: str
    proven: bool | None = None
    """Every counted trial was proven before and after; None without one."""
    on_trust: bool = False
    """In one of these proofs encryption on disk was declared, and not verified."""
    capacity: Capacity | None = None
    """The loss of TPS as cores; None where another limit decided."""
    findings: tuple[Finding, ...] = ()
    """One for each figure; those of the first are `loss`, `verdict` and `why` above."""

    def finding(self, figure: FigureKey) -> Finding | None:
        """The finding about that figure."""
        return next((one for one in self.findings if one.figure == figure), None)


Layer = Literal["hop", "driver", "encryption", "types", "boundary", "batching"]
LAYERS: dict[Layer, str] = {
    "hop": "hop through the proxy",
    "driver": "encrypting driver",
    "encryption": "encryption of values",
    "types": "encrypted types, cryptography alone",
    "boundary": "SIMULATION of the boundary",
    "batching": "page batching",
}
"""The layers of column encryption from the lowest to the uppermost, in words. The first three are
those of a proxy, the others those of encrypted types."""


class LayerStep(Model):
    """What layers of column encryption cost: an arm against the arm that only lacks these layers.

    Intervals are at 95 %, paired by block.
    """

    arm: Name
    before: Name
    layers: tuple[Layer, ...]
    """The difference between the two; several layers where a campaign has no arm in between."""
    blocks: int
    loss: Interval | None = None
    """Of TPS: 1 - arm/before."""
    verdict: Verdict
    """Of TPS, by the margin, corrected for the number of steps (Holm)."""
    why: str
    bar: float | None = None
    placement: Interval | None = None
    carried: float | None = None
    obstacle: Obstacle | None = None
    """`why`, `bar`, `placement`, `carried` and `obstacle` are those of a `Finding` about TPS."""
    instead: Finding | None = None
    """Where TPS is as offered: the same of the condition's primary figure, such as CPU per
    transaction."""
    latency_average: Interval | None = None
    """Increase: arm/before - 1, as are those below."""
    latency_p95: Interval | None = None
    database_cpu: Interval | None = None
    """Of the server's CPU per transaction, without the proxy's."""
    database_side_cpu: Interval | None = None
    """Of the CPU per transaction of server and proxy together."""
    client_cpu: Interval | None = None
    """Of the client's CPU per transaction."""
    cpu: Finding | None = None
    """How `database_side_cpu` was judged, where TPS is not as offered; None in earlier reports."""

    @property
    def judged(self) -> Finding | None:
        """What these layers cost: of TPS, or of what is judged where TPS is as offered."""
        if self.loss is None:
            return self.instead
        return Finding(
            figure="tps",
            blocks=self.blocks,
            change=self.loss,
            placement=self.placement,
            carried=self.carried,
            verdict=self.verdict,
            obstacle=self.obstacle,
            why=self.why,
        )


class Distribution(Model):
    """Latency of one arm under one condition."""

    arm: Name
    blocks: int
    """Valid blocks; in earlier reports those of them in which every trial has a percentile."""
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
    """Blocks behind the figures, those of campaigns that are pooled with this one included."""
    block_plan: BlockPlan | None = None
    """The result of the pilot, where `precision` asks for one and it is over."""
    half_width: float | None = None
    """Half-width reached by the widest 95 % interval of the primary figure, as a fraction of its
    ratio to the baseline's, as in `precision.targetHalfWidth`; of the change in earlier
    reports."""
    blocks_why: str = ""
    """Why there are this many blocks, in one sentence without its full stop."""
    units: int = 0
    """Observations behind the intervals: valid blocks, or with `blocks.perTestbed` sets of
    testbeds."""
    rounds: int | None = None
    """Rounds of each interleaved block; with fewer than six blocks, batches of rounds are the
    observations. None where blocks are sequential."""
    noise_floor: float | None = None
    """Largest absolute bound of the 95 % interval of A' against A, by arm or by testbed, of the
    primary figure, as a fraction."""
    noise_floors: dict[FigureKey, float] = Field(default_factory=dict)
    """The same of every figure that has one."""
    repeats: dict[FigureKey, Interval] = Field(default_factory=dict)
    """A' against A by arm, such as 1 - A'/A of TPS: only noise and order differ between them."""
    placement: Interval | None = None
    """The same of the control's testbed against the baseline's, whichever of the two arms it
    served: luck of placement. None where testbeds were rebuilt for every block, and of an external
    database, which all arms share. Of pooled campaigns that kept their testbeds, which differ in
    luck, it is that of the campaign with the largest."""
    offered_tps: float | None = None
    """The fixed rate that the workload offers."""
    equal_work: bool | None = None
    """TPS of every arm is as offered, so that CPU per transaction is the cost at equal work; None
    where no rate is offered or no block is valid."""
    paced: bool | None = None
    """Keying and think times pace the load at a rate that is not known; None where none do."""
    queued: tuple[Name, ...] = ()
    """Arms in more than a third of whose trials more transactions waited in the clients, at an edge
    of the window, than arrivals' luck explains."""
    primary: FigureKey = "tps"
    """The figure of headline and verdicts: a recovery's seconds where one was measured, CPU per
    transaction where TPS is as offered (else the first figure there is), else TPS."""
    beside: dict[Name, tuple[Saturation, ...]] = Field(default_factory=dict)
    """By arm, what beside the server was near its own CPU limit, whether or not the server was;
    arms without any are left out."""
    rows: tuple[Row, ...]
    comparisons: tuple[PairedComparison, ...]
    blocks: tuple[Block, ...]
    """Of this campaign alone, whatever is pooled with it."""
    steps: tuple[LayerStep, ...] = ()
    """What each layer of column encryption costs; empty where no mode has one."""
    pooled: tuple[PooledChange, ...] = ()
    """Of a follow-up with all its blocks: each figure with the campaigns that it extends."""
    interleaving: Interleaving | None = None
    """What turns may have done to the figures; None where blocks are sequential."""
    latency: tuple[Distribution, ...] = ()
    """Of each arm in the order of the plan; empty where a trial has no percentile, as without a
    histogram."""

    @property
    def as_offered(self) -> bool:
        """Whether the load decides TPS, which therefore has no verdict."""
        return bool(self.equal_work or self.paced)

    @property
    def pauses(self) -> bool:
        """Whether clients wait between transactions, by a rate or by think times."""
        return self.offered_tps is not None or bool(self.paced)

    @property
    def added_blocks(self) -> int:
        """Blocks of earlier campaigns among those behind the figures."""
        own = sum(block.counted and not block.solo for block in self.blocks)
        return self.counted_blocks - own

    @property
    def kept_up(self) -> bool | None:
        """Whether every arm kept up with the offered rate, by its TPS and by what waited."""
        return self.equal_work and not self.queued

    def has(self, trial: TrialView | IndexTrial) -> bool:
        """Whether the trial ran under this condition."""
        own = (self.cell, self.workload, self.concurrency)
        return (trial.cell, trial.workload, trial.concurrency) == own

    @property
    def place(self) -> str:
        """`oltp-read-write at 16 threads on small`."""
        return f"{self.workload} at {plural(self.concurrency, 'thread')} on {self.instance}"

    @property
    def baseline(self) -> Arm:
        """The arm that the others are compared with."""
        return next(arm for arm in self.arms if arm.role == "baseline")

    @property
    def repeat(self) -> Interval | None:
        """A' against A of the primary figure."""
        return self.repeats.get(self.primary)

    @property
    def treatments(self) -> tuple[Arm, ...]:
        """The arms that are compared with it, in the order of the plan."""
        return tuple(arm for arm in self.arms if arm.role == "treatment")

    def row(self, arm: str) -> Row:
        """The row of that arm."""
        return next(row for row in self.rows if row.arm == arm)

    def behind(self, row: Row) -> tuple[str, ...]:
        """The arms whose trials are behind the row's means: of the baseline's row A and A'."""
        if row.role != "baseline":
            return (row.arm,)
        return tuple(arm.name for arm in self.arms if arm.role != "treatment")

    def step(self, arm: str) -> LayerStep | None:
        """The step that ends at that arm."""
        return next((step for step in self.steps if step.arm == arm), None)

    def comparison(self, arm: str) -> PairedComparison | None:
        """The comparison of that treatment; None where the group has no such arm."""
        return next((c for c in self.comparisons if c.arm == arm), None)

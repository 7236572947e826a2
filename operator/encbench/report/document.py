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
from encbench.api.campaign import CampaignSpec, Resolved
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
    latency_average_ms: float | None = None
    latency_p95_ms: float | None = None
    errors: int | None = None
    database_cpu_percent: float | None = None
    client_cpu_percent: float | None = None
    node_cpu_percent: float | None = None
    database_cpu_ms_per_transaction: float | None = None
    cpu_withheld: dict[str, str] = Field(default_factory=dict)
    throttled_seconds: float | None = None
    colocated: bool = False
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


class Comparison(Model):
    """One treatment against the baseline under one condition, and how it was judged."""

    arm: Name
    blocks: int
    loss: Interval | None = None
    """Of TPS, 95 %."""
    loss90: Interval | None = None
    """Of TPS, 90 %: what equivalence is judged by."""
    verdict: Verdict
    why: str
    proven: bool | None = None
    """Every counted trial was proven before and after; None without one."""


class Group(Model):
    """One workload at one concurrency on one instance: everything that is compared directly."""

    cell: Name
    instance: Name
    workload: Name
    concurrency: int
    arms: tuple[Arm, ...]
    planned_blocks: int
    counted_blocks: int
    noise_floor: float | None = None
    """Largest absolute bound of the 95 % interval of A' against A, of TPS, as a fraction."""
    rows: tuple[Row, ...]
    comparisons: tuple[Comparison, ...]
    blocks: tuple[Block, ...]

    @property
    def baseline(self) -> Arm:
        """The arm that the others are compared with."""
        return next(arm for arm in self.arms if arm.role == "baseline")

    def row(self, arm: str) -> Row:
        """The row of that arm."""
        return next(row for row in self.rows if row.arm == arm)

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
    loss: Interval | None = None


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
    settings_equal: int = 0
    records: tuple[Artefact, ...] = ()
    """The records behind this, with every setting."""


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

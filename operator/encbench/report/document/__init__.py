"""The report as data: the content of report.json, and the source of every other rendering.

Fractions are fractions (0.078 is 7.8 %), and fields in percent say so in their name. Figures are
rounded to six significant digits, far below the noise, so that equal trials give equal bytes.

Means are geometric where a ratio of two arms is reported (TPS, QPS, latency, CPU per transaction),
so that every loss follows from the two figures beside it; they are arithmetic where a difference
is reported (CPU in percent and percentage points).
"""

from typing import Literal

from pydantic import Field

from encbench.api.base import Model
from encbench.api.campaign import CampaignSpec, LostSet, Resolved
from encbench.api.overheadreport import (
    Artefact,
    CaveatTitle,
    FigureKey,
    Interval,
    InvalidCount,
    Row,
    Verdict,
)
from encbench.api.scalars import Name, Time
from encbench.api.testbed import Arm
from encbench.core.artefact import Record
from encbench.core.records import CampaignEnd, CampaignId, IndexScript, IndexStorage, IndexTrial
from encbench.report.document.group import Group
from encbench.report.document.pooled import Pooling
from encbench.report.document.trial import TrialView


class EncryptedColumns(Model):
    """The columns that a mode encrypts in the tables of a workload."""

    mode: Name
    workload: Name
    algorithm: str
    ratio: int | None = None
    """As the mode states it; None where it has a list of its own."""
    columns: tuple[str, ...]
    """table.column, in the order of the schema."""
    of: int | None = None
    """Columns that the workload's tables have; None where a script of the user's own makes them."""
    share: float | None = None
    """Encrypted columns as a fraction of all; None like `of`."""
    strict: bool | None = None
    """For a script of the user's own: whether the proxy encrypts unknown tables as a whole."""


class StudyColumn(Model):
    """One column of a study's table: its name as it was published, and what it holds."""

    name: str
    unit: str = ""
    """Its unit, where the name does not say it."""
    formula: str = ""
    """How it follows from other columns; empty where it was measured."""


class StudyTable(Model):
    """A table with the header of a published one, so that both can be compared side by side."""

    name: str
    """Its file is `study-<name>.csv`."""
    title: str
    columns: tuple[StudyColumn, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


class TestbedProof(Model):
    """The full proof of one testbed."""

    __test__ = False

    testbed: str
    instance: Name
    arm: Name
    ok: bool
    summary: str
    on_trust: Literal[True] | None = None
    """Encryption on disk was declared, and not verified."""
    key: str | None = None
    digest: str | None = None


class FactValue(Model):
    """One value of a fact, and where it held: `instance/arm`, empty for everywhere."""

    value: str
    where: tuple[str, ...] = ()


class Fact(Model):
    """One condition that the figures were measured under."""

    name: str
    values: tuple[FactValue, ...]


PLACES = ("Database node", "Client node")
"""Facts that are names: another node of the same kind is welcome."""
ZONE, MEMORY = "Zone", "Allocatable memory"
"""A node may be anywhere, and firmware and kernel leave not always the same memory."""
UPKEEP = ("Kubelet", "Operating system")
"""Facts that a cluster's upkeep changes, without a database or client taking part in it."""


class Provenance(Model):
    """The conditions that the figures were measured under."""

    facts: tuple[Fact, ...] = ()
    cpu_flags: tuple[str, ...] = ()
    """Flags that every database node's CPU has and that matter for encryption."""
    settings_differing: tuple[Fact, ...] = ()
    """Server settings that are not the same in every arm of an instance."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Server settings that are the same in every database, so that two reports can be compared."""
    settings_equal: int = 0
    """How many they are."""
    records: tuple[Artefact, ...] = ()
    """The records behind this, with every setting."""

    @property
    def by_name(self) -> dict[str, str]:
        """Each fact with all its values as one text."""
        return {it.name: ", ".join(sorted(v.value for v in it.values)) for it in self.facts}


class Headline(Model):
    """The answer about one treatment under the condition that the plan alone chooses."""

    arm: Name
    text: str
    brief: str = ""
    """The same in a sentence without a figure, to stand beside `loss`."""
    so: str = ""
    """What follows from it, in a sentence to decide by."""
    verdict: Verdict
    instance: Name | None = None
    workload: Name | None = None
    concurrency: int | None = None
    figure: FigureKey = "tps"
    """The figure of `loss` and `verdict`."""
    loss: Interval | None = None
    """Loss of TPS, or the increase of another figure."""


class Caveat(CaveatTitle):
    """The same with what it means, derived from facts of this campaign."""

    text: str


class Report(Record):
    """`report/report.json`: the whole report."""

    schema_: Literal["encbench.io/report/v1"] = Field("encbench.io/report/v1", alias="schema")
    campaign: CampaignId
    spec: CampaignSpec
    resolved: Resolved
    storage: IndexStorage
    index: Artefact
    scripts: tuple[IndexScript, ...] | None = None
    """Texts of the workloads' own scripts; absent where there are none, and in reports of earlier
    releases."""
    start_time: Time | None = None
    generated_time: Time
    operator_version: str | None = None
    headlines: tuple[Headline, ...] = ()
    groups: tuple[Group, ...]
    trials: tuple[TrialView, ...]
    """In the order in which they ran."""
    unrecorded: tuple[IndexTrial, ...] = ()
    """Trials that ended before their record could be stored."""
    end: CampaignEnd | None = None
    """Why the campaign ended; None in reports before this field."""
    lost_sets: tuple[LostSet, ...] | None = None
    """Sets of testbeds that were lost, and why; None where there are none."""
    invalid: tuple[InvalidCount, ...] = ()
    noise_floor: float | None = None
    """The largest of all groups."""
    colocated: bool = False
    proofs: tuple[TestbedProof, ...] = ()
    encrypted_columns: tuple[EncryptedColumns, ...] = ()
    studies: tuple[StudyTable, ...] = ()
    provenance: Provenance = Field(default_factory=Provenance)
    caveats: tuple[Caveat, ...] = ()
    pooling: Pooling | None = None
    """Of a follow-up only."""

    @property
    def started(self) -> str:
        """When the campaign started, by RFC 3339; if that is not known, when this was written."""
        return self.start_time or self.generated_time

    @property
    def shared_node(self) -> bool | None:
        """Whether a client and its database shared a node.

        None where no trial has both nodes, as that of an external database is not known.
        """
        if self.colocated:
            return True
        return False if self.provenance.by_name.keys() >= {*PLACES} else None

    @property
    def contained(self) -> frozenset[str]:
        """The uids of the campaigns whose blocks are in this follow-up's own figures."""
        pools = any(group.pooled or group.added_blocks for group in self.groups)
        return self.pooling.contained if self.pooling is not None and pools else frozenset()

    @property
    def ended(self) -> tuple[TrialView | IndexTrial, ...]:
        """All trials, with or without a record."""
        return (*self.trials, *self.unrecorded)

    @property
    def rows(self) -> list[Row]:
        """The rows of all groups, in the order of the plan."""
        return [row for group in self.groups for row in group.rows]

    @property
    def treatments(self) -> list[Arm]:
        """Every treatment once, in the order of the plan."""
        return list({arm.name: arm for group in self.groups for arm in group.treatments}.values())

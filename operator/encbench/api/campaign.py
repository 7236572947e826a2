"""Campaign: what to compare, and how its progress reads."""

from typing import Annotated, Literal, TypeVar

from pydantic import Field

from encbench.api.base import Model, ObjectRef, optional
from encbench.api.conditions import Conditions, PhaseName
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.lifecycle import CAMPAIGN_LIFE
from encbench.api.rules import Rule, Transition, Unique
from encbench.api.scalars import (
    Bool,
    Duration,
    Fraction,
    Int,
    Name,
    Number,
    PositiveDuration,
    Sentence,
    Time,
    longer_than_zero,
    milliseconds,
    parse_duration,
)
from encbench.api.workload import WorkloadSpec

MAX_ENTRIES = 16
"""Entries of a matrix, and names in each list of an entry."""
NameSet = Annotated[list[Name], Field(min_length=1, max_length=MAX_ENTRIES), Unique()]

MIN_UNITS = 4
"""Independent units (blocks, or sets of testbeds) that a pilot needs to estimate a spread;
tests/calibration shows that an interval planned from fewer is too narrow."""

MAX_TRIALS = 10_000
"""Trials of a campaign, replacements included. The operator holds a line for each in memory, and
`make bench-ledger` and `make bench-report` hold that and the report to bounds for so many."""
MAX_SLOTS = 200_000
"""Of interleaved blocks: trials times rounds times one more than the arms, with those of the
campaigns that a follow-up extends. The report has every round of a trial, and its server in every
slot of its block. Each takes 0.7 KiB of the operator's memory at most, so that MAX_TRIALS with so
many need about 450 MiB."""
MIN_ROUNDS = 4
"""Fewest rounds of an interleaved block."""
MAX_PARALLELISM = 16
"""Cells of a campaign that are measured side by side."""
MAX_BLOCK_PLANS = 1000
"""Maximum of conditions in a campaign with `precision`, because status holds a plan for each."""


class MatrixEntry(Model):
    """Every combination of these instances, modes and workloads is measured."""

    instance_refs: NameSet = Field(description="Names of InstanceTemplates.")
    mode_refs: NameSet
    """Names of EncryptionModes to compare with the baseline mode. With the baseline alone it is an
    A/A campaign."""
    workload_refs: NameSet = Field(description="Names of Workloads.")


DatabaseCpu = Literal["Reserved", "Shared"]


class Interleave(Model):
    """How the arms of an interleaved block take turns."""

    rules = (
        Rule(
            cel="!self.slice.matches('^[0-9smh]+$') || !self.settle.matches('^[0-9smh]+$') || "
            "duration(self.slice) - duration(self.settle) >= duration('1s')",
            message="a slice must leave a second or more to count: make slice longer, or settle "
            "shorter (3s and 500ms are the defaults)",
            holds=lambda it: milliseconds(it.slice) - milliseconds(it.settle) >= 1000,
        ),
    )

    slice: PositiveDuration = "3s"
    """For how long an arm's clients run before those of the next arm do."""
    settle: Annotated[Duration, longer_than_zero("500ms")] = "500ms"
    """The part at the beginning of each slice that does not count."""
    rounds: Annotated[Int, Field(ge=MIN_ROUNDS, le=1000)] = 20
    """Slices that every arm gets in a block, in a fresh order each time."""
    database_cpu: DatabaseCpu = "Reserved"
    """How much CPU the pods of the databases request, of which one is measured at a time. Reserved:
    each requests all of its limit, and has the QoS class Guaranteed. Shared: each requests its part
    of one database's, and each load its part of one client's, so that all arms fit where one does;
    each may use its whole limit."""

    @property
    def slice_seconds(self) -> float:
        """Length of a slice in seconds."""
        return parse_duration(self.slice)

    @property
    def settle_seconds(self) -> float:
        """The part that does not count, in seconds."""
        return parse_duration(self.settle)


class Blocks(Model):
    """A block is one trial of every arm, in an order drawn from the seed."""

    rules = (
        Rule(
            cel="self.solo == 0 || has(self.interleave)",
            message="without blocks.interleave every block is sequential already: set "
            "blocks.min instead of blocks.solo",
            holds=lambda it: it.solo == 0 or it.interleave is not None,
        ),
        Rule(
            cel=f"self.perTestbed * {MIN_UNITS} <= self.min",
            message="with perTestbed, each set of testbeds is one observation, and an interval "
            "needs at least four: make blocks.min at least four times blocks.perTestbed, or lower "
            "perTestbed",
            holds=lambda it: it.per_testbed * MIN_UNITS <= it.min,
        ),
    )

    min: Annotated[Int, Field(ge=1, le=1000)] = 6
    """Valid blocks to measure for each instance, workload and concurrency. With `precision` they
    are the pilot."""
    max: Annotated[Int, Field(ge=1, le=1000)] = 30
    """Maximum of valid blocks that `precision` may plan; without it, no effect."""
    max_replacements: Annotated[Int, Field(ge=0, le=1000)] = 3
    """Blocks that may be repeated for each instance, workload and concurrency, because one of their
    trials was Invalid or Failed. As many sets of testbeds may be lost with a node in each cell, and
    32 in all cells together."""
    per_testbed: Annotated[Int, Field(ge=0, le=250)] = 0
    """Blocks after which all testbeds are rebuilt, so that the interval includes luck of placement;
    0 keeps them. In each pair of block numbers, baseline and control swap their two testbeds
    once."""
    interleave: Interleave | None = None
    """Run the trials of a block at the same time and let their clients take turns every few
    seconds, which leaves the machine's drift out of the comparison. Without it a block's trials
    run one after the other."""
    solo: Annotated[Int, Field(ge=0, le=1000)] = 0
    """With `interleave`: sequential blocks to measure in addition, to compare the two."""
    extensions: Annotated[Int, Field(ge=0, le=3)] = 0
    """How often this campaign may be extended and judged again. Each of the extensions + 1 looks is
    held to that part of the usual error. 0: a follow-up is judged by its own blocks alone."""

    @property
    def looks(self) -> int:
        """How often the same question is asked."""
        return self.extensions + 1


class Precision(Model):
    """The wanted width of the intervals of what is judged."""

    target_half_width: Annotated[Number, Field(gt=0, lt=1)]
    """Half-width of the 95 % interval of a mode's figure as a ratio to the baseline's: 0.02 is ±2 %
    of that ratio. A cost is known about as well, but one that doubles the figure only to ±4 %. The
    figure is TPS, for recovery workloads the seconds, and at a fixed rate or with think times CPU
    per transaction or, if that is not known, average latency. The pilot's spread sets the number of
    blocks once, up to blocks.max."""


class Extends(ObjectRef):
    """The campaign whose plan this one continues (`kubectl encbench extend` writes it)."""

    plan_digest: Annotated[str, Field(max_length=128)]
    """Digest of the plan that both share."""
    number: Annotated[Int, Field(ge=1, le=3)] = 1
    """Which follow-up this is, counted from the campaign that was extended first."""


class Limits(Model):
    """Limits above which a trial is Invalid, whatever its TPS; its block is replaced."""

    client_throttling: Fraction = 0.2
    """Share of the time in which a client pod ran (in interleaved blocks that of its own slices)
    for which it was throttled. 1 allows everything."""
    foreign_cpu: Fraction = 0.5
    """Share of a node's cores used by anything but the campaign's own databases, clients and
    sidecars, on the nodes of database and clients; not judged with an external database. 1 allows
    everything."""
    idle_cpu: Fraction = 0.1
    """CPU that the campaign's other databases on the trial's nodes used in the window, as a share
    of the instance's CPU; not judged in interleaved blocks, whose databases take turns. 1 allows
    everything."""
    like_nodes: Bool = False
    """Make a trial Invalid whose database runs on a node unlike that of the baseline's database: of
    another CPU model, kernel, or allocatable CPU or memory. Otherwise the report has a caveat. The
    clients of a cell then stay on the nodes of its first trial, even if those are away."""


Reset = Literal["none", "block", "trial"]
Residency = Literal["Resident", "OnDemand"]
Cache = Literal["Warm", "Cold"]


class StepDeadlines(Model):
    """Time limits of the steps; a step that exceeds its limit ends with a reason."""

    provision: PositiveDuration = "10m"
    """From the database pod's creation until it answers queries."""
    load: PositiveDuration = Field("6h", description="Loading the dataset.")
    proof: PositiveDuration = "10m"
    """Proving the encryption mode, and as long for TPC-C's consistency queries."""
    reset: PositiveDuration = "2h"
    """Stopping the database, copying its data directory and restarting it."""
    start: PositiveDuration = "5m"
    """From the client pods' creation until they are ready to start."""
    overrun: PositiveDuration = "1m"
    """Time that the tool may run beyond warm-up and duration."""
    recovery: PositiveDuration = "30m"
    """From the server's stop (recovery workloads) until it answers again."""
    archive: PositiveDuration = "24h"
    """Waiting for the object store or the metrics source."""


FROZEN_FIELDS = (
    *("matrix", "baselineModeRef", "blocks", "precision", "margin", "seed", "limits"),
    *("reset", "residency", "cache", "allowColocation", "parallelism", "stepDeadlines", "extends"),
)
"""Fields of the spec that may not change after creation, in the API's spelling."""


_IN_ORDER = tuple(
    f"self.matrix.map(e, e.{refs}.map(n, n)) == oldSelf.matrix.map(e, e.{refs}.map(n, n))"
    for refs in ("instanceRefs", "modeRefs", "workloadRefs")
)
"""To the API server lists without duplicates are sets, equal in any order; copies are lists. The
plan is drawn from the order, and the names of cells are made from it."""


def _frozen(field: str) -> Transition:
    same = f"self.{field} == oldSelf.{field}"
    if field == "matrix":
        same = " && ".join((same, *_IN_ORDER))
    if field in ("precision", "extends"):  # the only ones that may be absent
        here, before = f"has(self.{field})", f"has(oldSelf.{field})"
        same = f"{here} == {before} && (!{here} || {same})"
    return Transition(
        cel=same,
        message=f"{field} is fixed once the campaign exists: to change the plan, apply a new "
        "campaign under another name, or delete a refused one and apply it again",
        holds=lambda new, old: new.to_dict().get(field) == old.to_dict().get(field),
    )


class CampaignSpec(Model):
    """A comparison. Immutable after creation, except suspend and the two deadlines in seconds."""

    rules = (
        Rule(
            cel="self.matrix.all(entry, !((self.baselineModeRef + '-control') in entry.modeRefs))",
            message="rename that EncryptionMode: <baselineModeRef>-control is the name of the "
            "baseline's second measurement, the noise floor",
            holds=lambda spec: all(
                f"{spec.baseline_mode_ref}-control" not in entry.mode_refs for entry in spec.matrix
            ),
        ),
        Rule(
            cel=f"!has(self.precision) || self.blocks.min >= {MIN_UNITS}",
            message="precision is planned from the pilot's spread, which needs at least four "
            "blocks: make blocks.min 4 or more (6 is the default), or omit precision",
            holds=lambda spec: spec.precision is None or spec.blocks.min >= MIN_UNITS,
        ),
        Rule(
            cel="!has(self.precision) || self.blocks.max >= self.blocks.min",
            message="the pilot has more blocks than precision may plan: make blocks.max at least "
            "blocks.min",
            holds=lambda spec: spec.precision is None or spec.blocks.max >= spec.blocks.min,
        ),
        Rule(
            cel="!has(self.extends) || !has(self.precision)",
            message="a follow-up has a fixed number of blocks, because a pilot would let the data "
            "choose it a second time: omit precision",
            holds=lambda spec: spec.extends is None or spec.precision is None,
        ),
    )
    transitions = tuple(_frozen(field) for field in FROZEN_FIELDS)

    matrix: Annotated[list[MatrixEntry], Field(min_length=1, max_length=MAX_ENTRIES)]
    """What to measure. An instance and a workload that meet in several entries have the same modes
    in each, in the same order."""
    baseline_mode_ref: Name
    """EncryptionMode with which all others are compared. It is measured a second time, on a testbed
    of its own, as the noise floor."""
    blocks: Blocks = Field(default_factory=Blocks)
    """Number of repetitions of each comparison."""
    precision: Precision | None = None
    """Let a pilot set the number of blocks, instead of measuring exactly blocks.min."""
    extends: Extends | None = None
    """The campaign that this one continues with the same plan; its report pools the two."""
    margin: Annotated[Number, Field(gt=0, lt=1)] = 0.05
    """Overhead that matters, as a fraction: 0.05 is 5 %."""
    seed: Annotated[Int, Field(ge=0, le=2**53 - 1)] = 1
    """Seed of every random order in the plan. The same plan with the same seed has the same orders.
    A campaign that is repeated, as each night, needs another seed each time, or what an order does
    to an arm is the same in all of them."""
    limits: Limits = Field(default_factory=Limits)
    """Limits that make a trial Invalid, fixed in advance and blind to its TPS."""
    reset: Reset = "none"
    """When a testbed's data directory is restored to the loaded state: never, before the first
    trial of each block number, or before every trial. It is restored from a golden copy beside the
    data, so volumes need room for both."""
    residency: Residency = "Resident"
    """Resident keeps the databases of an instance running side by side. OnDemand runs only the
    database of the current trial, for machines without memory for all. Every trial then begins with
    a start of its server."""
    cache: Cache = "Warm"
    """Warm leaves caches to the warm-up. Cold restarts the server before every trial with none of
    its files in the page cache, so that it reads from disk."""
    suspend: Bool = Field(False, description="Start no further trial; a running one is finished.")
    allow_colocation: Bool = False
    """Let client and database share a node. The report says so, because node CPU then includes
    both."""
    parallelism: Annotated[Int, Field(ge=1, le=MAX_PARALLELISM)] = 1
    """Cells (an instance with a dataset) that may be measured side by side, each on nodes of its
    own. Within a cell nothing changes. A cell for which there are no nodes waits."""
    step_deadlines: StepDeadlines = Field(default_factory=StepDeadlines)
    """Time limits of the steps."""
    active_deadline_seconds: Annotated[Int, Field(ge=1)] | None = None
    """Seconds after which a campaign that lacks blocks ends as Failed. They count from its
    acceptance, without the time for which it is suspended, and for a refused one from its creation.
    One that only waits for the trials of others in its namespace (NamespaceFull) stays."""
    ttl_seconds_after_finished: Annotated[Int, Field(ge=0)] | None = None
    """Seconds after the campaign's end when its succeeded Trials are deleted. Invalid and failed
    ones stay until the campaign is deleted."""


class Progress(Model):
    """Counts of trials."""

    planned: Int = 0
    """Trials that the campaign needs, including replacements. A condition whose pilot is not over
    counts with the pilot only."""
    active: Int = Field(0, description="Trials in progress.")
    succeeded: Int = Field(0, description="Trials with a valid result.")
    invalid: Int = Field(0, description="Trials whose result does not count.")
    failed: Int = Field(0, description="Trials that gave no result.")


class BlockPlan(Model):
    """The number of blocks of one condition, which its pilot sets once and for all."""

    cell: Name = Field(description="Cell of the plan: instance x dataset.")
    instance: Name = Field(description="InstanceTemplate.")
    workload: Name = Field(description="Workload.")
    concurrency: Int = Field(description="Client threads in total.")
    pilot_blocks: Int = Field(description="Valid blocks of the pilot.")
    widest_arm: Name | None = None
    """The arm with the widest interval in the pilot; it sets the number."""
    spread: Number | None = None
    """Standard deviation of that arm's ln(figure / baseline's figure) between the pilot's blocks,
    of the figure that precision is about."""
    half_width: Number | None = None
    """Half-width of that arm's 95 % interval after the pilot, as in targetHalfWidth."""
    wanted_blocks: Int | None = optional("Blocks that the target half-width needs at that spread.")
    planned_blocks: Int = Field(description="Valid blocks to measure, at most blocks.max.")
    capped: Bool = Field(False, description="Whether blocks.max is less than wantedBlocks.")


T = TypeVar("T")
ByName = Annotated[dict[str, T], Field(max_length=MAX_ENTRIES * MAX_ENTRIES + 1)]
"""As many as a matrix may name of one kind, and the baseline mode."""


class Resolved(Model):
    """The specs at the time when the campaign was accepted; later edits have no effect."""

    instances: ByName[InstanceTemplateSpec] = Field(default_factory=dict)
    """InstanceTemplates by name."""
    modes: ByName[EncryptionModeSpec] = Field(default_factory=dict)
    """EncryptionModes by name."""
    workloads: ByName[WorkloadSpec] = Field(default_factory=dict, description="Workloads by name.")
    scripts: ByName[Name] = Field(default_factory=dict)
    """Immutable copies of Lua scripts: ConfigMap name by workload name."""
    script_digests: ByName[Annotated[str, Field(max_length=80)]] | None = None
    """sha256:<hex> of the text of each of these scripts, by workload name."""
    hash: Annotated[str, Field(max_length=64)] = ""
    """SHA-256 of the specs above."""


class LostSet(Model):
    """A cell's set of testbeds that another one replaces, because a database of it was lost."""

    cell: Name = Field(description="The cell.")
    generation: Int = Field(description="Number of the set, from 1.")
    workload: Name | None = None
    """Workload of the block that the set leaves unfinished; absent if there is none."""
    concurrency: Int | None = optional("Concurrency of that block.")
    block: Int | None = optional("Number of that block, which does not count.")
    message: Sentence = Field(description="One sentence that says what happened.")
    time: Time = Field(description="When it was given up.")


MAX_LOST_SETS = 32
"""Entries that the status takes."""


class CampaignStatus(Model):
    """State of the campaign."""

    observed_generation: Int | None = None
    """Generation that the operator has processed; -1 before its first look."""
    phase: PhaseName = Field("Pending", description=CAMPAIGN_LIFE.phase_names)
    conditions: Conditions = Field(default_factory=list, description=CAMPAIGN_LIFE.names)
    progress: Progress = Field(default_factory=Progress, description="Counts of trials.")
    step: Annotated[str, Field(max_length=512)] = ""
    """The current step, in words."""
    start_time: Time | None = optional("When the plan was frozen.")
    suspended_seconds: Int | None = None
    """Seconds of the suspensions that are over, which activeDeadlineSeconds does not count."""
    completion_time: Time | None = optional("When the campaign ended, its report included.")
    estimated_completion_time: Time | None = None
    """When the campaign will end at the present pace. During a pilot its condition counts with the
    pilot only."""
    resolved: Resolved | None = optional("The frozen specs.")
    extended_index: Annotated[str, Field(max_length=80)] | None = None
    """Of a follow-up: digest of the earlier campaign's report/index.json, as the OverheadReport of
    that campaign had it when the plan was frozen. Absent where there was no OverheadReport."""
    block_plans: Annotated[list[BlockPlan], Field(max_length=MAX_BLOCK_PLANS)] = Field(
        default_factory=list
    )
    """With `precision`: the number of blocks of each condition whose pilot is over, and why."""
    lost_sets: Annotated[list[LostSet], Field(max_length=MAX_LOST_SETS)] = Field(
        default_factory=list
    )
    """Sets of testbeds that others replace, because one was lost with a node or was deleted."""
    storage_prefix: Annotated[str, Field(max_length=512)] | None = None
    """Prefix of the artefacts in the bucket."""
    name_digits: Annotated[Int, Field(ge=8, le=32)] | None = None
    """Hex digits of the hash in names of Trials that would be too long; 8 where it is absent."""
    report_ref: Name | None = optional("Name of the OverheadReport.")
    verdict: Annotated[str, Field(max_length=32)] = ""
    """That of the OverheadReport: the first treatment's."""

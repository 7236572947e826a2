"""What a campaign would do: its cells, blocks and time, from the frozen specs alone; pure.

Everything comes from `core.plan`, by which the operator goes; nothing is planned a second way here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from encbench.api.campaign import BlockPlan, CampaignSpec, Resolved
from encbench.api.testbed import Arm
from encbench.core import plan
from encbench.core.plan import Cell, LoadLevel
from encbench.reconcile.campaign.estimate import DEAD_TIME


@dataclass(frozen=True)
class Place:
    """One trial of a block: the arm, and the arm whose testbed it runs on."""

    arm: Arm
    seat: Arm


@dataclass(frozen=True)
class BlockOutline:
    """One block in the order in which its trials run."""

    number: int
    generation: int
    """Which set of testbeds serves it, from 1."""
    places: tuple[Place, ...]
    pilot: bool
    """It belongs to the pilot, after which the number of blocks is fixed."""


@dataclass(frozen=True)
class ConditionOutline:
    """One workload at one concurrency in a cell."""

    condition: LoadLevel
    arms: int
    least: int
    """Valid blocks that are measured in any case."""
    most: int
    """Valid blocks that may be measured; `least` where the number is fixed."""
    fixed: BlockPlan | None
    """What the pilot has said, where it is over already."""
    seconds: float
    """Warm-up and measured window of one trial."""
    measured: float
    """Measured window of one trial."""
    blocks: tuple[BlockOutline, ...]
    """As many as `least`."""


@dataclass(frozen=True)
class CellOutline:
    """Testbeds that are measured together."""

    cell: Cell
    databases: str
    """What stands side by side while it is measured, in words."""
    clients: str
    conditions: tuple[ConditionOutline, ...]
    sets: tuple[int, int]
    """Sets of testbeds that are built, at least and at most."""
    shared: bool = False
    """All arms take turns on one dataset, in a database that encbench does not run."""


@dataclass(frozen=True)
class Pace:
    """Seconds from the start of one trial to that of the next, beyond warm-up and window."""

    dead: float
    source: str
    """Where that comes from, in words."""


ASSUMED = Pace(
    DEAD_TIME,
    f"{DEAD_TIME:g} s between two trials are assumed, as the operator does until it has seen some",
)


@dataclass(frozen=True)
class Duration:
    """Wall-clock time, in seconds: trials run one at a time."""

    trials: int
    measured: float
    warmup: float
    dead: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.measured + self.warmup + self.dead


@dataclass(frozen=True)
class Outline:
    """The whole campaign."""

    spec: CampaignSpec
    cells: tuple[CellOutline, ...]
    least: Duration
    most: Duration
    replaced: Duration
    """`most` with every replacement block that is allowed."""
    pace: Pace


def outline(
    spec: CampaignSpec,
    resolved: Resolved,
    pace: Pace = ASSUMED,
    plans: Sequence[BlockPlan] = (),
) -> Outline:
    """`plans` are those that pilots have fixed already, as in a campaign's status."""
    fixed = {(p.cell, LoadLevel(p.workload, p.concurrency)): p for p in plans}
    cells = tuple(
        _cell(spec, resolved, cell, fixed) for cell in plan.cells(spec, resolved.workloads)
    )
    conditions = [condition for cell in cells for condition in cell.conditions]
    spare = spec.blocks.max_replacements
    return Outline(
        spec=spec,
        cells=cells,
        least=_duration(conditions, [c.least for c in conditions], pace),
        most=_duration(conditions, [c.most for c in conditions], pace),
        replaced=_duration(conditions, [c.most + spare for c in conditions], pace),
        pace=pace,
    )


def _cell(
    spec: CampaignSpec,
    resolved: Resolved,
    cell: Cell,
    fixed: Mapping[tuple[str, LoadLevel], BlockPlan],
) -> CellOutline:
    instance = resolved.instances[cell.instance_ref]
    workloads = {c.workload_ref: resolved.workloads[c.workload_ref] for c in cell.conditions}
    clients = {
        f"{w.client.replicas} × {w.client.resources.cpu} CPU and {w.client.resources.memory}": None
        for w in workloads.values()
    }
    databases = "one outside of the cluster, which all arms share"
    if instance.resources is not None:
        standing = len(cell.arms) if spec.residency == "Resident" else 1
        each = f"{instance.resources.cpu} CPU and {instance.resources.memory}"
        databases = f"{standing} × {each}"
    conditions = tuple(
        _condition(spec, resolved, cell, c, fixed.get((cell.name, c))) for c in cell.conditions
    )
    return CellOutline(
        cell=cell,
        databases=databases,
        clients=" or ".join(clients),
        conditions=conditions,
        sets=(
            plan.generation(spec.blocks, max(c.least for c in conditions)),
            plan.generation(spec.blocks, max(c.most for c in conditions)),
        ),
        shared=instance.is_external,
    )


def _condition(
    spec: CampaignSpec,
    resolved: Resolved,
    cell: Cell,
    condition: LoadLevel,
    fixed: BlockPlan | None,
) -> ConditionOutline:
    least = most = spec.blocks.min
    if fixed is not None:
        least = most = fixed.planned_blocks
    elif spec.precision is not None:
        most = max(spec.blocks.max, least)
    load = resolved.workloads[condition.workload_ref].load
    return ConditionOutline(
        condition=condition,
        arms=len(cell.arms),
        least=least,
        most=most,
        fixed=fixed,
        seconds=load.warmup_seconds + load.duration_seconds,
        measured=load.duration_seconds,
        blocks=tuple(_block(spec, cell, condition, number) for number in range(1, least + 1)),
    )


def _block(spec: CampaignSpec, cell: Cell, condition: LoadLevel, number: int) -> BlockOutline:
    seats = plan.seats(spec.seed, cell, condition, number)
    order = plan.block_order(spec.seed, cell, condition, number)
    return BlockOutline(
        number=number,
        generation=plan.generation(spec.blocks, number),
        places=tuple(Place(arm, seats[arm.name]) for arm in order),
        pilot=spec.precision is not None and number <= spec.blocks.min,
    )


def _duration(
    conditions: Sequence[ConditionOutline], blocks: Sequence[int], pace: Pace
) -> Duration:
    trials = [c.arms * count for c, count in zip(conditions, blocks, strict=True)]
    pairs = list(zip(conditions, trials, strict=True))
    return Duration(
        trials=sum(trials),
        measured=sum(c.measured * count for c, count in pairs),
        warmup=sum((c.seconds - c.measured) * count for c, count in pairs),
        dead=pace.dead * sum(trials),
    )

"""What a campaign would do: its cells, blocks and time, from the frozen specs alone; pure.

Everything comes from `core.plan`, which the operator uses too; nothing is planned a second way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from encbench.api.campaign import BlockPlan, CampaignSpec, Resolved
from encbench.api.testbed import Arm
from encbench.core import plan
from encbench.core.plan import Cell, LoadLevel
from encbench.reconcile.campaign.estimate import DEAD_TIME


@dataclass(frozen=True)
class BlockOutline:
    """One block."""

    number: int
    generation: int
    """The set of testbeds that serves it, from 1."""
    places: tuple[tuple[Arm, Arm], ...]
    """Its trials in order: the arm, and the arm whose testbed it runs on."""


@dataclass(frozen=True)
class ConditionOutline:
    """One workload at one concurrency in a cell."""

    condition: LoadLevel
    arms: int
    least: int
    """Valid blocks that are measured in any case."""
    most: int
    """Valid blocks that may be measured; `least` if the number is fixed."""
    fixed: bool
    """The pilot is over and has fixed the number."""
    warmup: float
    """Seconds of one trial, as `measured`."""
    measured: float
    blocks: tuple[BlockOutline, ...]
    """As many as `least`."""


@dataclass(frozen=True)
class CellOutline:
    """Testbeds that are measured together."""

    cell: Cell
    databases: str
    """What runs side by side during a measurement, in words."""
    clients: str
    conditions: tuple[ConditionOutline, ...]
    sets: tuple[int, int]
    """Sets of testbeds that are built, at least and at most."""
    shared: bool
    """All arms take turns on one dataset, in an external database."""


@dataclass(frozen=True)
class Pace:
    """Seconds from the end of one trial's window to the start of the next trial."""

    dead: float
    source: str
    """Where the figure comes from, in words."""


ASSUMED = Pace(
    DEAD_TIME,
    f"{DEAD_TIME:g} s between two trials are assumed, as the operator does until it has seen some",
)


@dataclass(frozen=True)
class Length:
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
    least: Length
    most: Length
    replaced: Length
    """`most` with every replacement block that is allowed."""
    pace: Pace


def outline(
    spec: CampaignSpec,
    resolved: Resolved,
    pace: Pace = ASSUMED,
    plans: Sequence[BlockPlan] = (),
) -> Outline:
    """`plans` are those that pilots have fixed already, as in a campaign's status."""
    fixed = {(p.cell, LoadLevel(p.workload, p.concurrency)): p.planned_blocks for p in plans}
    cells = tuple(
        _cell(spec, resolved, cell, fixed) for cell in plan.cells(spec, resolved.workloads)
    )
    found = [condition for cell in cells for condition in cell.conditions]
    spare = spec.blocks.max_replacements
    return Outline(
        spec=spec,
        cells=cells,
        least=_length(pace, [(c, c.least) for c in found]),
        most=_length(pace, [(c, c.most) for c in found]),
        replaced=_length(pace, [(c, c.most + spare) for c in found]),
        pace=pace,
    )


def _length(pace: Pace, found: Sequence[tuple[ConditionOutline, int]]) -> Length:
    """The time of so many blocks of each condition."""
    trials = sum(c.arms * blocks for c, blocks in found)
    return Length(
        trials=trials,
        measured=sum(c.measured * c.arms * blocks for c, blocks in found),
        warmup=sum(c.warmup * c.arms * blocks for c, blocks in found),
        dead=pace.dead * trials,
    )


def _cell(
    spec: CampaignSpec,
    resolved: Resolved,
    cell: Cell,
    fixed: Mapping[tuple[str, LoadLevel], int],
) -> CellOutline:
    instance = resolved.instances[cell.instance_ref]
    clients = dict.fromkeys(
        f"{client.replicas} × {client.resources.cpu} CPU and {client.resources.memory}"
        for client in (resolved.workloads[c.workload_ref].client for c in cell.conditions)
    )
    databases = "one outside the cluster, which all arms share"
    if instance.resources is not None:
        running = len(cell.arms) if spec.residency == "Resident" else 1
        databases = f"{running} × {instance.resources.cpu} CPU and {instance.resources.memory}"
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
    fixed: int | None,
) -> ConditionOutline:
    least = most = spec.blocks.min if fixed is None else fixed
    if fixed is None and spec.precision is not None:
        most = max(spec.blocks.max, least)
    load = resolved.workloads[condition.workload_ref].load
    return ConditionOutline(
        condition=condition,
        arms=len(cell.arms),
        least=least,
        most=most,
        fixed=fixed is not None,
        warmup=load.warmup_seconds,
        measured=load.duration_seconds,
        blocks=tuple(_block(spec, cell, condition, number) for number in range(1, least + 1)),
    )


def _block(spec: CampaignSpec, cell: Cell, condition: LoadLevel, number: int) -> BlockOutline:
    seats = plan.seats(spec.seed, cell, condition, number)
    order = plan.block_order(spec.seed, cell, condition, number)
    places = tuple((arm, seats[arm.name]) for arm in order)
    return BlockOutline(number, plan.generation(spec.blocks, number), places)

"""What a campaign would do: its cells, blocks and time, from the frozen specs alone; pure.

Everything comes from `core.plan`, which the operator uses too; nothing is planned a second way. As
a document, `plan --output json` prints it; excluded fields are only for the text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from encbench.api.base import Model
from encbench.api.campaign import BlockPlan, CampaignSpec, Resolved
from encbench.api.testbed import Arm
from encbench.api.workload import WorkloadSpec
from encbench.core import plan
from encbench.core.plan import Cell, LoadLevel
from encbench.reconcile.campaign.estimate import makespan
from encbench.reconcile.campaign.pace import DEAD_TIME, Between
from encbench.reconcile.campaign.precision import fewest
from encbench.reconcile.campaign.room import CellRoom, room
from encbench.tools.gathering import gather_alone
from encbench.tools.turns import arm_seconds


class PlacedTrial(Model):
    """One trial of a block, by the names of its arms."""

    arm: str
    testbed_of: str
    """The arm whose testbed it runs on."""


class BlockOutline(Model):
    """One block."""

    block: int
    set: int
    """The set of testbeds that serves it, from 1."""
    trials: tuple[PlacedTrial, ...]
    """In the order in which they run; those of an interleaved block run at once."""


class LeastAndMost(Model):
    """Numbers that are equal unless a pilot will decide."""

    least: int
    most: int


class ConditionOutline(Model):
    """One workload at one concurrency in a cell."""

    workload: str
    concurrency: int
    blocks: LeastAndMost
    """Valid blocks that are measured."""
    order: tuple[BlockOutline, ...]
    """As many as the least; solo blocks are not among them."""
    fixed: bool = Field(exclude=True)
    """The pilot is over and has fixed the number."""


class CellOutline(Model):
    """Testbeds that are measured together."""

    name: str
    instance: str
    arms: tuple[Arm, ...]
    testbed_sets: LeastAndMost
    conditions: tuple[ConditionOutline, ...]
    cell: Cell = Field(exclude=True)
    room: CellRoom
    """The pods of a measurement and the nodes that hold them."""
    databases: str = Field(exclude=True)
    """What runs side by side during a measurement, in words."""
    clients: str = Field(exclude=True)
    simulated: tuple[str, ...] = Field(exclude=True)
    """The arms whose enclave's boundary is simulated."""
    shared: bool = Field(exclude=True)
    """All arms take turns on one dataset, in an external database."""
    checked: bool = Field(exclude=True)
    """After each trial the agent asks TPC-C's consistency queries."""


class PlannedTime(Model):
    """Wall-clock time: a cell runs one trial or block at a time. The parts are of the least."""

    least_seconds: float
    most_seconds: float
    with_all_replacements_seconds: float
    in_a_row_seconds: float
    """The least, if no two cells were measured side by side: the sum of the parts."""
    measured_seconds: float
    warmup_seconds: float
    between_trials_seconds: float
    source: str
    """Where the time between trials comes from, in words."""
    assumed: bool = Field(exclude=True)
    """The time between trials is, and so holds nothing of what a campaign does there."""


class PlannedTrials(LeastAndMost):
    """Numbers of trials."""

    with_all_replacements: int
    """The most, with every replacement block that is allowed."""


class Outline(Model):
    """The whole campaign."""

    seed: int
    time: PlannedTime
    trials: PlannedTrials
    cells: tuple[CellOutline, ...]
    spec: CampaignSpec = Field(exclude=True)


@dataclass(frozen=True)
class Pace:
    """What lies between the load of one trial and that of the next."""

    between: Between
    source: str
    """Where the figures come from, in words."""
    assumed: bool = False
    """No trial of the campaign has shown it."""


ASSUMED = Pace(
    Between(()),
    f"{DEAD_TIME:g} s between two trials are assumed, as the operator does until it has seen some",
    assumed=True,
)


def outline(
    spec: CampaignSpec, resolved: Resolved, pace: Pace = ASSUMED, plans: Sequence[BlockPlan] = ()
) -> Outline:
    """`plans` are those that pilots have fixed already, as in a campaign's status."""
    fixed = {(p.cell, LoadLevel(p.workload, p.concurrency)): p.planned_blocks for p in plans}
    cells = tuple(
        _cell(spec, resolved, cell, fixed) for cell in plan.cells(spec, resolved.workloads)
    )

    def runs(blocks: Callable[[LeastAndMost], int]) -> list[list[_Runs]]:
        """How many trials each condition of each cell has, and what one takes."""
        return [
            [
                part
                for condition in cell.conditions
                for part in _runs(
                    spec,
                    cell,
                    blocks(condition.blocks),
                    resolved.workloads[condition.workload],
                    condition.concurrency,
                    _dead(pace.between, cell, restores=condition is longest),
                )
            ]
            for cell in cells
            for longest in [max(cell.conditions, key=lambda one: blocks(one.blocks))]
        ]

    def seconds(runs: list[list[_Runs]], lanes: int) -> float:
        return makespan((sum(it.trials * it.seconds for it in own) for own in runs), lanes)

    least, most = runs(lambda blocks: blocks.least), runs(lambda blocks: blocks.most)
    replaced = runs(lambda blocks: blocks.most + spec.blocks.max_replacements)
    trials, trials_at_most, trials_replaced = (
        sum(part.trials for own in it for part in own) for it in (least, most, replaced)
    )
    parts, lanes = [part for own in least for part in own], spec.parallelism
    gathering = ", and what the clients take to gather" * any(it.gathering for it in parts)
    return Outline(
        seed=spec.seed,
        time=PlannedTime(
            least_seconds=seconds(least, lanes),
            most_seconds=seconds(most, lanes),
            with_all_replacements_seconds=seconds(replaced, lanes),
            in_a_row_seconds=seconds(least, 1),
            measured_seconds=sum(it.trials * it.measured for it in parts),
            warmup_seconds=sum(it.trials * it.warmup for it in parts),
            between_trials_seconds=sum(it.trials * (it.dead + it.gathering) for it in parts),
            source=f"{pace.source}{gathering}",
            assumed=pace.assumed,
        ),
        trials=PlannedTrials(
            least=trials, most=trials_at_most, with_all_replacements=trials_replaced
        ),
        cells=cells,
        spec=spec,
    )


@dataclass(frozen=True)
class _Runs:
    """Trials of one kind, and a trial's share of wall-clock time in seconds."""

    trials: int
    warmup: float
    measured: float
    dead: float
    gathering: float = 0.0
    """What its clients take to gather, which is part of the time between trials too."""

    @property
    def seconds(self) -> float:
        """All of that."""
        return self.warmup + self.measured + self.dead + self.gathering


def _dead(between: Between, cell: CellOutline, *, restores: bool) -> dict[bool, float]:
    """Seconds before each trial of a condition, and before each of its interleaved blocks.

    With `restores` the data are restored then: once for each block number, so that the condition
    with the most blocks stands for all of its cell.
    """
    return {
        in_turns: between.usual(cell.name, in_turns=in_turns)
        + (between.restoring(cell.name, in_turns=in_turns) if restores else 0.0)
        for in_turns in (False, True)
    }


def _runs(
    spec: CampaignSpec,
    cell: CellOutline,
    blocks: int,
    workload: WorkloadSpec,
    threads: int,
    dead: Mapping[bool, float],
) -> list[_Runs]:
    """Trials of an interleaved block share its warm-up, and the time between blocks.

    The clients of others gather first.
    """
    load, interleave, arms = workload.load, spec.blocks.interleave, len(cell.arms)
    warmup = load.warmup_seconds
    alone = (warmup, load.duration_seconds, dead[False], gather_alone(workload, threads))
    if interleave is None:
        return [_Runs(arms * blocks, *alone)]
    counted = interleave.rounds * (interleave.slice_seconds - interleave.settle_seconds)
    between = arm_seconds(interleave) - counted
    return [
        _Runs(arms * blocks, warmup / arms, counted, dead[True] / arms + between),
        *([_Runs(arms * spec.blocks.solo, *alone)] if spec.blocks.solo else []),
    ]


def _cell(
    spec: CampaignSpec, resolved: Resolved, cell: Cell, fixed: Mapping[tuple[str, LoadLevel], int]
) -> CellOutline:
    instance = resolved.instances[cell.instance_ref]
    together = 1 if spec.blocks.interleave is None else len(cell.arms)
    clients = dict.fromkeys(
        f"{client.replicas * together} × {client.resources.cpu} CPU and {client.resources.memory}"
        for client in (resolved.workloads[c.workload_ref].client for c in cell.conditions)
    )
    databases = "one outside the cluster, which all arms share"
    if instance.resources is not None:
        running = len(cell.arms) if spec.residency == "Resident" else 1
        databases = f"{running} × {instance.resources.cpu} CPU and {instance.resources.memory}"
    conditions = tuple(
        _condition(spec, cell, c, fixed.get((cell.name, c))) for c in cell.conditions
    )
    return CellOutline(
        name=cell.name,
        instance=cell.instance_ref,
        arms=cell.arms,
        testbed_sets=LeastAndMost(
            least=plan.sets(spec.blocks, max(c.blocks.least for c in conditions)),
            most=plan.sets(spec.blocks, max(c.blocks.most for c in conditions)),
        ),
        conditions=conditions,
        cell=cell,
        room=room(spec, resolved, cell),
        databases=databases,
        clients=" or ".join(clients),
        simulated=tuple(
            arm.name for arm in cell.arms if resolved.modes[arm.mode_ref].enclave is not None
        ),
        shared=instance.is_external,
        checked=not instance.is_external
        and resolved.workloads[cell.dataset_workload].tpcc is not None,
    )


def _condition(
    spec: CampaignSpec, cell: Cell, condition: LoadLevel, fixed: int | None
) -> ConditionOutline:
    least = most = spec.blocks.min if fixed is None else fixed
    if fixed is None and spec.precision is not None:
        least = max(least, fewest(spec))
        most = max(spec.blocks.max, least)
    return ConditionOutline(
        workload=condition.workload_ref,
        concurrency=condition.concurrency,
        blocks=LeastAndMost(least=least, most=most),
        order=tuple(_block(spec, cell, condition, number) for number in range(1, least + 1)),
        fixed=fixed is not None,
    )


def _block(spec: CampaignSpec, cell: Cell, condition: LoadLevel, number: int) -> BlockOutline:
    seats = plan.seats(spec.seed, cell, condition, number)
    order = plan.block_order(spec.seed, cell, condition, number)
    trials = tuple(PlacedTrial(arm=a.name, testbed_of=seats[a.name].name) for a in order)
    return BlockOutline(block=number, set=plan.generation(spec.blocks, number), trials=trials)

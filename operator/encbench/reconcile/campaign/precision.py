"""Fixing the number of blocks of each condition, once, when its pilot is over.

The plan goes into the campaign's status before the first trial that follows from it, and is never
computed again: what happens to the pilot's trials afterwards changes nothing.

What is planned for is the figure that will be judged: a recovery's seconds; where a fixed rate
decides TPS, CPU per transaction or, if that is not known, average latency; else TPS.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from encbench.api.campaign import MIN_UNITS, BlockPlan, CampaignSpec
from encbench.core import plan
from encbench.core.plan import Cell, LoadLevel
from encbench.core.statistics.intervals import Estimate, both, estimate
from encbench.core.statistics.precision import Plan, plan_blocks
from encbench.core.statistics.rounding import rounded_if_known
from encbench.core.statistics.rounds import ENOUGH_BLOCKS
from encbench.reconcile.campaign.ledger import LedgerLine, Place


def block_plans(
    spec: CampaignSpec,
    cells: Iterable[Cell],
    trials: Iterable[LedgerLine],
    known: Sequence[BlockPlan],
    outside: Container[str] = (),
) -> list[BlockPlan]:
    """The plans that were fixed before, and those whose pilot is over now.

    `outside` are the names of external instances, whose arms all share one database.
    """
    if spec.precision is None:
        return list(known)
    fixed = set(map(place_of, known))
    by_condition: dict[Place, dict[int, dict[str, LedgerLine]]] = {}
    for trial in trials:
        blocks = by_condition.setdefault(trial.place, {})
        blocks.setdefault(trial.block, {})[trial.arm] = trial
    found = list(known)
    for cell in cells:
        for condition in cell.conditions:
            place = (cell.name, condition.workload_ref, condition.concurrency)
            blocks = by_condition.get(place, {})
            pilot = _complete(cell, blocks, lambda line: line.figure)
            if place not in fixed and len(pilot) >= spec.blocks.min:
                subject = _judged(cell, blocks) or pilot
                if not spec.blocks.per_testbed and cell.instance_ref not in outside:
                    subject = _by_testbed(spec, cell, condition, subject)
                found_by = _estimates(spec, cell, subject)
                target, together = spec.precision.target_half_width, plan.group(spec.blocks)
                most, least = spec.blocks.max, fewest(spec)
                planned = plan_blocks(found_by, target, most, together, least)
                found.append(_block_plan(cell, condition, len(pilot), planned))
    return found


def fewest(spec: CampaignSpec) -> int:
    """The fewest blocks of which each is an observation, as in the pilot; 0 if any number is.

    The report divides fewer interleaved ones into batches of rounds.
    """
    blocks = spec.blocks
    divided = blocks.interleave is not None and not blocks.per_testbed
    return ENOUGH_BLOCKS if divided and blocks.max >= ENOUGH_BLOCKS else 0


def place_of(fixed: BlockPlan) -> Place:
    """The condition whose number of blocks it fixes."""
    return (fixed.cell, fixed.workload, fixed.concurrency)


def goals(plans: Iterable[BlockPlan], cell: Cell) -> dict[LoadLevel, int]:
    """The planned blocks of a cell's conditions, as far as they are fixed."""
    return {
        LoadLevel(p.workload, p.concurrency): p.planned_blocks for p in plans if p.cell == cell.name
    }


Pilot = Mapping[int, Mapping[str, float]]
"""A figure by block and arm."""


def _judged(cell: Cell, blocks: Mapping[int, Mapping[str, LedgerLine]]) -> Pilot | None:
    """What the report judges by at a fixed rate; None without one, or if too few blocks have it.

    An external database may have no CPU.
    """
    cpu = _complete(cell, blocks, lambda line: line.cpu)
    latency = _complete(cell, blocks, lambda line: line.latency)
    return next((figure for figure in (cpu, latency) if len(figure) >= MIN_UNITS), None)


def _complete(
    cell: Cell,
    blocks: Mapping[int, Mapping[str, LedgerLine]],
    figure: Callable[[LedgerLine], float | None],
) -> Pilot:
    """That figure of the blocks in which every arm has it."""
    found: dict[int, dict[str, float]] = {}
    for block, by_arm in sorted(blocks.items()):
        own = {arm.name: figure(by_arm[arm.name]) for arm in cell.arms if arm.name in by_arm}
        known = {name: value for name, value in own.items() if value is not None}
        if len(known) == len(cell.arms):
            found[block] = known
    return found


def _by_testbed(spec: CampaignSpec, cell: Cell, condition: LoadLevel, pilot: Pilot) -> Pilot:
    """The figures by the arm on whose testbed they were measured.

    Baseline and A' swap theirs, so by arm the difference between the two is added in some blocks
    and subtracted in others. That looks like noise, but is none: a mode's baseline is both of them,
    in each block. Where each set of testbeds is one observation, the difference is another one in
    each and part of what is to be known, and this is not asked.
    """
    found = {}
    for block, by_arm in pilot.items():
        seats = plan.seats(spec.seed, cell, condition, block)
        found[block] = {seats[name].name: figure for name, figure in by_arm.items()}
    return found


def _estimates(spec: CampaignSpec, cell: Cell, pilot: Pilot) -> dict[str, Estimate]:
    """Each treatment against both arms of the baseline, and these against each other."""
    units = [plan.unit(spec.blocks, block) for block in pilot]
    of = {arm.name: [by_arm[arm.name] for by_arm in pilot.values()] for arm in cell.arms}
    first, control, *treatments = (arm.name for arm in cell.arms)
    plain = both(of[first], of[control])
    found = {name: estimate(plain, of[name], units) for name in treatments}
    found[control] = estimate(of[first], of[control], units)
    return {name: one for name, one in found.items() if one is not None}


def _block_plan(cell: Cell, condition: LoadLevel, pilot_blocks: int, planned: Plan) -> BlockPlan:
    return BlockPlan(
        cell=cell.name,
        instance=cell.instance_ref,
        workload=condition.workload_ref,
        concurrency=condition.concurrency,
        pilot_blocks=pilot_blocks,
        widest_arm=planned.arm,
        spread=rounded_if_known(planned.spread),
        half_width=rounded_if_known(planned.half_width),
        wanted_blocks=planned.wanted,
        planned_blocks=max(planned.planned, pilot_blocks),
        capped=planned.capped,
    )

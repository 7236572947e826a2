"""Fixing the number of blocks of each condition, once, when its pilot is over.

The plan goes into the campaign's status before the first trial that follows from it, and is never
computed again: what happens to the pilot's trials afterwards changes nothing.
"""

from collections.abc import Iterable, Mapping, Sequence

from encbench.api.campaign import BlockPlan, CampaignSpec
from encbench.api.testbed import Arm
from encbench.core import plan
from encbench.core.figures import RECOVERY_SECONDS
from encbench.core.plan import Cell, LoadLevel
from encbench.core.statistics.intervals import Estimate, estimate
from encbench.core.statistics.precision import Plan, plan_blocks
from encbench.reconcile.objects import Trial


def block_plans(
    spec: CampaignSpec, cells: Iterable[Cell], trials: Iterable[Trial], known: Sequence[BlockPlan]
) -> list[BlockPlan]:
    """The plans that were fixed before, and those whose pilot is over now."""
    if spec.precision is None:
        return list(known)
    fixed = {(p.cell, p.workload, p.concurrency) for p in known}
    by_condition: dict[tuple[str, str, int], dict[int, dict[str, Trial]]] = {}
    for trial in trials:
        own = trial.spec
        blocks = by_condition.setdefault((own.cell, own.workload_ref, own.concurrency), {})
        blocks.setdefault(own.block, {})[own.arm.name] = trial
    found = list(known)
    for cell in cells:
        for condition in cell.conditions:
            place = (cell.name, condition.workload_ref, condition.concurrency)
            pilot = _pilot(cell, by_condition.get(place, {}))
            if place not in fixed and len(pilot) >= spec.blocks.min:
                target = spec.precision.target_half_width
                planned = plan_blocks(_estimates(spec, cell, pilot), target, spec.blocks.max)
                found.append(_block_plan(cell, condition, len(pilot), planned))
    return found


def goals(plans: Iterable[BlockPlan], cell: Cell) -> dict[LoadLevel, int]:
    """The planned blocks of a cell's conditions, as far as they are fixed."""
    return {
        LoadLevel(p.workload, p.concurrency): p.planned_blocks for p in plans if p.cell == cell.name
    }


def _pilot(cell: Cell, blocks: Mapping[int, Mapping[str, Trial]]) -> dict[int, dict[str, float]]:
    """What is compared by block and arm, of the blocks in which every arm has it."""
    found: dict[int, dict[str, float]] = {}
    for block, by_arm in sorted(blocks.items()):
        own = {arm.name: _figure(by_arm.get(arm.name)) for arm in cell.arms}
        known = {name: value for name, value in own.items() if value is not None}
        if len(known) == len(own):
            found[block] = known
    return found


def _figure(trial: Trial | None) -> float | None:
    """TPS, or the seconds of a recovery."""
    if trial is None or trial.status.outcome != "Succeeded" or trial.status.result is None:
        return None
    result = trial.status.result
    if trial.spec.workload.recovery is not None:
        return result.extra.get(RECOVERY_SECONDS)
    return result.tps


def _estimates(
    spec: CampaignSpec, cell: Cell, pilot: Mapping[int, Mapping[str, float]]
) -> dict[str, Estimate]:
    """Each arm against the baseline, A' included."""
    units = [plan.unit(spec.blocks, block) for block in pilot]
    baseline, *others = cell.arms

    def of(arm: Arm) -> list[float]:
        return [by_arm[arm.name] for by_arm in pilot.values()]

    found = {arm.name: estimate(of(baseline), of(arm), units) for arm in others}
    return {name: one for name, one in found.items() if one is not None}


def _block_plan(cell: Cell, condition: LoadLevel, pilot_blocks: int, planned: Plan) -> BlockPlan:
    return BlockPlan(
        cell=cell.name,
        instance=cell.instance_ref,
        workload=condition.workload_ref,
        concurrency=condition.concurrency,
        pilot_blocks=pilot_blocks,
        widest_arm=planned.arm,
        spread=_rounded(planned.spread),
        half_width=_rounded(planned.half_width),
        wanted_blocks=planned.wanted,
        planned_blocks=planned.planned,
        capped=planned.capped,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")

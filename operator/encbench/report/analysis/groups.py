"""Groups and rows: what each condition's valid blocks say about each arm."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from encbench.api.overheadreport import Row, Verdict
from encbench.api.testbed import Arm
from encbench.api.workload import WorkloadSpec
from encbench.core import plan
from encbench.core.artefact import RecordError
from encbench.core.records import IndexCell, IndexCondition, IndexRecord
from encbench.core.statistics.saturation import KEPT_UP, saturation
from encbench.report.analysis.findings import comparisons
from encbench.report.analysis.pairs import Blocks, Pairs, interval
from encbench.report.analysis.steps import steps
from encbench.report.analysis.views import rounded
from encbench.report.document.group import Group, PairedComparison
from encbench.report.document.trial import Block, TrialView
from encbench.report.figures import IN_ROWS, RECOVERY, TPS, JudgedFigure, judged
from encbench.report.words import judgement


def group(
    index: IndexRecord, cell: IndexCell, condition: IndexCondition, trials: Sequence[TrialView]
) -> Group:
    """One condition. `trials` are those of this cell and condition, in the order they ran.

    RecordError when two of them claim one place.
    """
    spec, workload = index.spec, index.resolved.workloads[condition.workload]
    own = (cell.name, condition.workload, condition.concurrency)
    pilots = (p for p in index.block_plans if (p.cell, p.workload, p.concurrency) == own)
    block_plan = next(pilots, None)
    planned = block_plan.planned_blocks if block_plan else spec.blocks.min
    offered = _offered_tps(workload)
    judging = judged(recovery=workload.recovery is not None)
    primary = judging[0]
    blocks = _by_block(trials)
    good = {n: of for n, of in sorted(blocks.items()) if _counts(cell.arms, of, primary.field)}
    pairs = Pairs(good, cell.arms, partial(plan.unit, spec.blocks))
    floors = {figure.key: pairs.noise_floor(figure) for figure in judging}
    known = {key: rounded(floor) for key, floor in floors.items() if floor is not None}
    compared = comparisons(pairs, judging, floors, spec.margin, trials)
    of_arm = {comparison.arm: comparison for comparison in compared}
    equal_work = _equal_work(pairs, offered)
    cpu_tells = bool(equal_work) and primary is TPS and _has_cpu(compared)
    half_width = _half_width(pairs, primary)
    by_testbed = pairs.by_testbed(primary.field) if spec.blocks.per_testbed != 1 else None
    place = {
        "instance": cell.instance,
        "workload": condition.workload,
        "concurrency": condition.concurrency,
        "planned_blocks": planned,
    }
    modes, floor = index.resolved.modes, floors.get(TPS.key)
    return Group(
        cell=cell.name,
        instance=cell.instance,
        workload=condition.workload,
        concurrency=condition.concurrency,
        arms=cell.arms,
        planned_blocks=planned,
        counted_blocks=len(good),
        block_plan=block_plan,
        half_width=half_width,
        blocks_why=judgement.why_so_many_blocks(spec, block_plan, len(good), half_width),
        units=len({pairs.unit(block) for block in good}),
        noise_floor=known.get(primary.key),
        noise_floors=known,
        placement=interval(by_testbed, primary.sense) if by_testbed else None,
        offered_tps=offered,
        equal_work=equal_work,
        primary="cpuPerTransaction" if cpu_tells else primary.key,
        rows=tuple(_row(place, pairs, judging, arm, of_arm.get(arm.name)) for arm in cell.arms),
        comparisons=compared,
        steps=() if primary is RECOVERY else steps(pairs, modes, floor, spec.margin),
        blocks=tuple(
            Block(
                block=number,
                counted=number in good,
                why=None if number in good else judgement.why_not_counted(cell.arms, by_arm),
                trials=tuple(t.name for t in sorted(by_arm.values(), key=lambda t: t.order)),
            )
            for number, by_arm in sorted(blocks.items())
        ),
    )


def _offered_tps(workload: WorkloadSpec) -> float | None:
    """The fixed rate that a workload offers, in transactions a second."""
    if workload.tpcc is not None and workload.tpcc.limit_txns_per_min is not None:
        return workload.tpcc.limit_txns_per_min / 60
    return None if workload.load.rate is None else float(workload.load.rate)


def _by_block(trials: Sequence[TrialView]) -> Blocks:
    blocks: Blocks = {}
    for trial in trials:
        other = blocks.setdefault(trial.block, {}).setdefault(trial.arm, trial)
        if other is not trial:
            raise RecordError(f"{trial.name} and {other.name} claim the same place in one block")
    return blocks


def _counts(arms: Sequence[Arm], by_arm: dict[str, TrialView], field: str) -> bool:
    found = [by_arm.get(arm.name) for arm in arms]
    return all(t and t.outcome == "Succeeded" and getattr(t, field) is not None for t in found)


def _half_width(pairs: Pairs, primary: JudgedFigure) -> float | None:
    """Half of the widest interval over all arms, A' included."""
    found = [pairs.change(primary, arm.name) for arm in pairs.arms]
    halves = [(one.high - one.low) / 2 for one in found if one and one.low is not None and one.high]
    return rounded(max(halves)) if halves else None


def _equal_work(pairs: Pairs, offered: float | None) -> bool | None:
    if offered is None or not pairs.blocks:
        return None
    means = (pairs.mean(TPS, arm.name) for arm in pairs.arms)
    return all(mean is not None and mean >= KEPT_UP * offered for mean in means)


def _has_cpu(comparisons: Sequence[PairedComparison]) -> bool:
    found = [comparison.finding("cpuPerTransaction") for comparison in comparisons]
    return all(one is not None and one.change is not None for one in found)


def _row(
    place: dict[str, Any],
    pairs: Pairs,
    judging: Sequence[JudgedFigure],
    arm: Arm,
    comparison: PairedComparison | None,
) -> Row:
    verdict: Verdict = "Baseline" if arm.role == "baseline" else "NoiseFloor"
    if comparison is not None:
        verdict = comparison.verdict
    primary, *others = judging
    means = {figure.field: pairs.mean(figure, arm.name) for figure in IN_ROWS}
    findings = comparison.findings if comparison else ()
    known = {one.figure: one.verdict for one in findings if one.verdict != "NoData"}
    limited = saturation(means["database_cpu_percent"], means["client_cpu_percent"])
    return Row.model_validate(
        {
            **place,
            "arm": arm.name,
            "role": arm.role,
            "blocks": len(pairs.blocks),
            **means,
            **{f.points: pairs.points(f, arm.name) for f in IN_ROWS if f.points},
            **{figure.overhead: pairs.change(figure, arm.name) for figure in judging},
            primary.verdict: verdict if pairs.blocks else "NoData",
            **{figure.verdict: known.get(figure.key) for figure in others},
            "saturation": limited if pairs.blocks and primary is not RECOVERY else None,
        }
    )

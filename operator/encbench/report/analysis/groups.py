"""Groups and rows: what each condition's valid blocks say about each arm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from encbench.api.campaign import BlockPlan, CampaignSpec
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Row, Verdict
from encbench.api.testbed import Arm
from encbench.api.workload import WorkloadSpec
from encbench.core import plan
from encbench.core.artefact import RecordError
from encbench.core.records import IndexCell, IndexCondition
from encbench.core.statistics.saturation import KEPT_UP, saturation
from encbench.report.analysis.findings import comparisons
from encbench.report.analysis.pairs import Blocks, Pairs, interval
from encbench.report.analysis.steps import steps
from encbench.report.analysis.views import rounded
from encbench.report.document.group import Group, PairedComparison
from encbench.report.document.trial import Block, TrialView
from encbench.report.figures import IN_ROWS, TPS, JudgedFigure, judged
from encbench.report.words import judgement


@dataclass(frozen=True)
class Terms:
    """What was fixed before the first trial of a condition."""

    spec: CampaignSpec
    block_plan: BlockPlan | None = None
    """The result of its pilot."""
    offered_tps: float | None = None
    """The fixed rate of its workload."""
    recovery: bool = False
    """Its workload stops the server and times the recovery."""
    modes: Mapping[str, EncryptionModeSpec] = field(default_factory=dict)
    """The frozen modes of the arms."""

    @property
    def planned_blocks(self) -> int:
        """Valid blocks that it should have."""
        return self.block_plan.planned_blocks if self.block_plan else self.spec.blocks.min


def offered_tps(workload: WorkloadSpec) -> float | None:
    """The fixed rate that a workload offers, in transactions a second."""
    if workload.tpcc is not None and workload.tpcc.limit_txns_per_min is not None:
        return workload.tpcc.limit_txns_per_min / 60
    return None if workload.load.rate is None else float(workload.load.rate)


def group(
    cell: IndexCell, condition: IndexCondition, trials: Sequence[TrialView], terms: Terms
) -> Group:
    """One condition. `trials` are those of this cell and condition, in the order they ran.

    RecordError when two of them claim one place.
    """
    blocks = _by_block(trials)
    judging = judged(recovery=terms.recovery)
    primary = judging[0]
    good = {
        n: trials for n, trials in sorted(blocks.items()) if _counts(cell.arms, trials, primary)
    }
    pairs = Pairs(good, cell.arms, lambda block: plan.unit(terms.spec.blocks, block))
    floors = {figure.key: pairs.noise_floor(figure) for figure in judging}
    known = {key: rounded(floor) for key, floor in floors.items() if floor is not None}
    compared = comparisons(pairs, judging, floors, terms.spec.margin, trials)
    of_arm = {comparison.arm: comparison for comparison in compared}
    equal_work = _equal_work(pairs, terms.offered_tps)
    half_width = _half_width(pairs, primary)
    by_testbed = pairs.by_testbed(primary.field) if terms.spec.blocks.per_testbed != 1 else None
    return Group(
        cell=cell.name,
        instance=cell.instance,
        workload=condition.workload,
        concurrency=condition.concurrency,
        arms=cell.arms,
        planned_blocks=terms.planned_blocks,
        counted_blocks=len(good),
        block_plan=terms.block_plan,
        half_width=half_width,
        blocks_why=judgement.why_so_many_blocks(
            terms.spec, terms.block_plan, len(good), half_width
        ),
        units=len({pairs.unit(block) for block in good}),
        noise_floor=known.get(primary.key),
        noise_floors=known,
        placement=interval(by_testbed, primary.sense) if by_testbed else None,
        offered_tps=terms.offered_tps,
        equal_work=equal_work,
        primary="cpuPerTransaction"
        if equal_work and not terms.recovery and _has_cpu(compared)
        else primary.key,
        rows=tuple(
            _row(cell.instance, condition, pairs, arm, of_arm.get(arm.name), terms)
            for arm in cell.arms
        ),
        comparisons=compared,
        steps=()
        if terms.recovery
        else steps(pairs, terms.modes, floors[TPS.key], terms.spec.margin),
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


def _by_block(trials: Sequence[TrialView]) -> Blocks:
    blocks: Blocks = {}
    for trial in trials:
        by_arm = blocks.setdefault(trial.block, {})
        if trial.arm in by_arm:
            other = by_arm[trial.arm].name
            raise RecordError(f"{trial.name} and {other} claim the same place in one block")
        by_arm[trial.arm] = trial
    return blocks


def _counts(arms: Sequence[Arm], by_arm: dict[str, TrialView], primary: JudgedFigure) -> bool:
    found = [by_arm.get(arm.name) for arm in arms]
    return all(
        t is not None and t.outcome == "Succeeded" and getattr(t, primary.field) is not None
        for t in found
    )


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
    instance: str,
    condition: IndexCondition,
    pairs: Pairs,
    arm: Arm,
    comparison: PairedComparison | None,
    terms: Terms,
) -> Row:
    verdict: Verdict = "Baseline" if arm.role == "baseline" else "NoiseFloor"
    if comparison is not None:
        verdict = comparison.verdict
    primary, *others = judging = judged(recovery=terms.recovery)
    means = {figure.field: pairs.mean(figure, arm.name) for figure in IN_ROWS}
    known = {
        finding.figure: finding.verdict
        for finding in (comparison.findings if comparison else ())
        if finding.verdict != "NoData"
    }
    return Row.model_validate(
        {
            "instance": instance,
            "workload": condition.workload,
            "concurrency": condition.concurrency,
            "arm": arm.name,
            "role": arm.role,
            "blocks": len(pairs.blocks),
            "planned_blocks": terms.planned_blocks,
            **means,
            **{f.points: pairs.points(f, arm.name) for f in IN_ROWS if f.points},
            **{figure.overhead: pairs.change(figure, arm.name) for figure in judging},
            primary.verdict: verdict if pairs.blocks else "NoData",
            **{figure.verdict: known.get(figure.key) for figure in others},
            "saturation": saturation(means["database_cpu_percent"], means["client_cpu_percent"])
            if pairs.blocks and not terms.recovery
            else None,
        }
    )

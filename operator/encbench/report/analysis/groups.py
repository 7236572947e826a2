"""Groups and rows: what each condition's valid blocks say about each arm."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from encbench.api.campaign import MIN_UNITS, CampaignSpec
from encbench.api.overheadreport import Row, Saturation, Verdict
from encbench.api.testbed import Arm
from encbench.api.workload import WorkloadSpec
from encbench.core import plan
from encbench.core.offered import offered_tps
from encbench.core.records import IndexCell, IndexCondition, IndexRecord
from encbench.core.statistics.rounding import rounded
from encbench.core.statistics.saturation import beside, has_queue, kept_up, saturation
from encbench.report.analysis.capacity import capacity, more_beside
from encbench.report.analysis.demand import MeasuringPace
from encbench.report.analysis.findings import comparisons
from encbench.report.analysis.interleaving import interleaving
from encbench.report.analysis.kernel_cipher import outside_pods
from encbench.report.analysis.observations import Observations
from encbench.report.analysis.pace import BlockTime, block_seconds
from encbench.report.analysis.pairs import Pairs, interval
from encbench.report.analysis.pooled import changes
from encbench.report.analysis.rounds import of_batches
from encbench.report.analysis.steps import steps
from encbench.report.document.group import Capacity, Group, PairedComparison
from encbench.report.document.trial import Block
from encbench.report.figures import (
    FIGURES,
    FULLEST_NODE,
    RECOVERY,
    TPS,
    VOLUME,
    JudgedFigure,
    judged,
)
from encbench.report.words import judgement

QUEUED = 1 / 3
"""Share of an arm's trials with a queue, above which it has fallen behind."""


def group(
    index: IndexRecord,
    cell: IndexCell,
    condition: IndexCondition,
    seen: Observations,
    in_cell: Sequence[BlockTime],
) -> Group:
    """One condition by what was observed; `in_cell` are the times of all its cell's blocks."""
    spec, modes = index.spec, index.resolved.modes
    workload = index.resolved.workloads[condition.workload]
    offered = offered_tps(workload, condition.concurrency)
    is_recovery = workload.recovery is not None
    alone, pairs, looks = seen.alone, seen.pairs, spec.blocks.looks
    equal_work = _equal_work(pairs, offered, scatters=workload.tpcc is None)
    queued = _queued(pairs, workload, condition.concurrency)
    judging = _judging(pairs, _usual(workload, queued, equal_work=equal_work))
    primary = judging[0]
    floors = {figure.key: pairs.noise_floor(figure) for figure in judging}
    known = {key: rounded(floor) for key, floor in floors.items() if floor is not None}
    pace = _pace(spec, pairs, block_seconds(alone.blocks, in_cell, spec.blocks.per_testbed))
    counted = [trial for of in pairs.blocks.values() for trial in of.values()]
    outside = outside_pods(cell.arms, modes, counted)
    compared = comparisons(
        pairs, judging, spec.margin, (*seen.trials, *seen.lost), pace, looks, outside
    )
    of_arm = {comparison.arm: comparison for comparison in compared}
    half_width = _half_width(pairs, primary)
    has_luck = spec.blocks.per_testbed != 1 and not pairs.shared
    by_testbed = pairs.placement(primary.field) if has_luck else None
    place: dict[str, Any] = {
        "instance": cell.instance,
        "workload": condition.workload,
        "concurrency": condition.concurrency,
        # A campaign that is extended is complete, so that all its planned blocks are valid.
        "planned_blocks": seen.planned + seen.added,
    }
    rows = {arm.name: _row(place, pairs, judging, arm, of_arm.get(arm.name)) for arm in cell.arms}
    near = {} if is_recovery else _near(pairs, rows)
    return Group(
        cell=cell.name,
        **place,
        arms=cell.arms,
        counted_blocks=len(pairs.blocks),
        block_plan=seen.block_plan,
        half_width=half_width,
        blocks_why=judgement.why_so_many_blocks(
            spec, seen.block_plan, len(alone.blocks), half_width, seen.added
        ),
        units=len({one.unit for one in pairs.observed(primary.field)}),
        rounds=_rounds(pairs),
        noise_floor=known.get(primary.key),
        noise_floors=known,
        repeats={
            figure.key: interval(one, figure.sense)
            for figure in judging
            if (one := pairs.by_arm(figure.field)) is not None
        },
        placement=interval(by_testbed, primary.sense) if by_testbed else None,
        offered_tps=offered,
        equal_work=equal_work,
        paced=workload.paced or None,
        queued=queued,
        primary=primary.key,
        beside=near,
        rows=tuple(rows.values()),
        comparisons=tuple(_with_capacity(index, cell, compared, rows, near, outside)),
        steps=() if is_recovery else steps(pairs, modes, judging, spec.margin, looks),
        interleaving=interleaving(alone, seen.solo, judging, seen.carried),
        pooled=changes(seen.parts, seen.whole, judging) if len(seen.parts) > 1 else (),
        blocks=tuple(_blocks(spec, cell.arms, seen)),
    )


def _usual(
    workload: WorkloadSpec, queued: Collection[str], *, equal_work: bool | None
) -> tuple[JudgedFigure, ...]:
    """The figures that say what a mode costs under such a load."""
    # Terminals of TPC-C wait for their own transaction alone, and form no queue.
    of_queue = bool(queued) or (equal_work is False and workload.load.rate is not None)
    as_offered = bool(equal_work) or workload.paced
    is_recovery = workload.recovery is not None
    return judged(recovery=is_recovery, as_offered=as_offered, of_queue=of_queue)


def _with_capacity(
    index: IndexRecord,
    cell: IndexCell,
    compared: Sequence[PairedComparison],
    rows: Mapping[str, Row],
    near: Mapping[str, tuple[Saturation, ...]],
    outside: Collection[str],
) -> Iterator[PairedComparison]:
    """The comparisons, each with the cores that its arm would need, where its CPU is known."""
    resources = index.resolved.instances[cell.instance].resources
    cores = resources.cores if resources is not None else None
    mode_of = {arm.name: index.resolved.modes[arm.mode_ref] for arm in cell.arms}
    plain = next(rows[arm.name] for arm in cell.arms if arm.role == "baseline")
    for one in compared:
        found: Capacity | None = None
        if one.arm not in outside:
            more = more_beside(mode_of[plain.arm], mode_of[one.arm])
            found = capacity(cores, plain, rows[one.arm], near, more)
        yield one.model_copy(update={"capacity": found})


def _near(pairs: Pairs, rows: Mapping[str, Row]) -> dict[str, tuple[Saturation, ...]]:
    """By arm, what beside its server was near a limit of its own."""
    percent = {
        name: (row.proxy_cpu_percent, pairs.mean(VOLUME, name)) for name, row in rows.items()
    }
    return {name: found for name, of in percent.items() if (found := beside(*of))}


def _blocks(spec: CampaignSpec, arms: Sequence[Arm], seen: Observations) -> Iterator[Block]:
    for number, by_arm in sorted(seen.blocks.items()):
        lost = [trial for trial in seen.lost if trial.block == number]
        counted = number in seen.good
        yield Block(
            block=number,
            solo=plan.is_solo(spec.blocks, number),
            counted=counted,
            why=None if counted else judgement.why_not_counted(arms, by_arm, lost),
            trials=tuple(t.name for t in sorted(by_arm.values(), key=lambda t: t.order)),
        )


def _pace(spec: CampaignSpec, pairs: Pairs, seconds: float) -> MeasuringPace:
    """What is added to the observations, where a block takes so many seconds."""
    blocks = len(pairs.blocks)
    # As in `Pairs.observed`: of many blocks each is one observation, of few each has several.
    parts = [of_batches(TPS.field, of, blocks) or [] for of in pairs.blocks.values()]
    divided = pairs.one_set and any(len(own) > 1 for own in parts)
    return MeasuringPace(
        rounds=(_rounds(pairs) or 0) if divided else 0,
        counted=blocks,
        blocks=spec.blocks.per_testbed or 1,
        group=plan.group(spec.blocks),
        least=MIN_UNITS * spec.blocks.per_testbed,
        block_seconds=seconds,
    )


def _rounds(pairs: Pairs) -> int | None:
    """Rounds of each block, where blocks are interleaved."""
    counts = {len(trial.rounds) for of in pairs.blocks.values() for trial in of.values()}
    return max(counts, default=0) or None


def _half_width(pairs: Pairs, primary: JudgedFigure) -> float | None:
    """Half of the widest interval over all arms, A' included, on the scale of the target.

    As in the plan, the difference between two testbeds that are kept is no noise of A'.
    """
    found = [pairs.estimate(primary.field, arm.name) for arm in pairs.arms]
    repeat = pairs.by_testbed if pairs.one_set else pairs.by_arm
    found.append(repeat(primary.field))
    halves = [half for one in found if one is not None and (half := one.half_width()) is not None]
    return rounded(max(halves)) if halves else None


def _equal_work(pairs: Pairs, offered: float | None, *, scatters: bool) -> bool | None:
    if offered is None or not pairs.blocks:
        return None
    return all(_kept_up(pairs, arm.name, offered, scatters=scatters) for arm in pairs.arms)


def _kept_up(pairs: Pairs, arm: str, offered: float, *, scatters: bool) -> bool:
    mean = pairs.own_mean(TPS, arm)
    windows = [one.window for of in pairs.blocks.values() if (one := of[arm]).tps is not None]
    seconds = sum(window.end - window.start for window in windows if window is not None)
    return mean is not None and kept_up(mean, offered, seconds if scatters else 0.0)


def _queued(pairs: Pairs, workload: WorkloadSpec, threads: int) -> tuple[str, ...]:
    offered, clients = workload.load.rate, workload.client.replicas
    if offered is None:
        return ()
    own: dict[str, list[bool]] = defaultdict(list)
    for trial in (trial for of in pairs.blocks.values() for trial in of.values()):
        if trial.queue is not None:
            own[trial.arm].append(has_queue(trial.queue, offered, threads, clients))
    # By chance a trial or two of an arm that keeps up has one; of one that does not, most have.
    return tuple(arm.name for arm in pairs.arms if sum(own[arm.name]) > QUEUED * len(own[arm.name]))


def _judging(pairs: Pairs, usual: Sequence[JudgedFigure]) -> tuple[JudgedFigure, ...]:
    """The judged figures, first the subject: the first one that any block has in every arm."""
    first = next((figure for figure in usual if pairs.complete(figure.field)), usual[0])
    return (first, *(figure for figure in usual if figure is not first))


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
    primary = judging[0]
    means = {figure.field: pairs.mean(figure, arm.name) for figure in FIGURES}
    findings = comparison.findings if comparison else ()
    known = {one.figure: one.verdict for one in findings if one.verdict != "NoData"}
    limited = saturation(
        means["database_cpu_percent"],
        means["client_cpu_percent"],
        means["proxy_cpu_percent"],
        pairs.mean(VOLUME, arm.name),
        pairs.mean(FULLEST_NODE, arm.name),
    )
    return Row.model_validate(
        {
            **place,
            "arm": arm.name,
            "role": arm.role,
            "blocks": len(pairs.blocks),
            **means,
            **{f.points: pairs.points(f, arm.name) for f in FIGURES if f.points},
            **{figure.overhead: pairs.change(figure, arm.name) for figure in judging},
            **{figure.verdict: known.get(figure.key) for figure in judging},
            "verdict": verdict if pairs.blocks else "NoData",
            "figure": primary.key,
            "saturation": limited if pairs.blocks and primary is not RECOVERY else None,
        }
    )

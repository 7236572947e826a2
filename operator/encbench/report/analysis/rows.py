"""Groups and rows: what each condition's valid blocks say about each arm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from encbench.api.campaign import BlockPlan, CampaignSpec
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.overheadreport import Row, Verdict
from encbench.api.testbed import Arm
from encbench.api.workload import WorkloadSpec
from encbench.core import plan, statistics
from encbench.core.artefact import RecordError
from encbench.core.evidence import ON_TRUST
from encbench.core.records import IndexCell, IndexCondition
from encbench.core.statistics.saturation import KEPT_UP, saturation
from encbench.report.analysis.pairs import (
    TPS,
    Blocks,
    Kind,
    Pairs,
    arithmetic,
    geometric,
    interval,
    kinds,
)
from encbench.report.analysis.steps import steps
from encbench.report.analysis.views import rounded
from encbench.report.document import Block, Comparison, Figure, Finding, Group, TrialView
from encbench.report.words import blockplan, judgement


@dataclass(frozen=True)
class Terms:
    """What was agreed on before the first trial of a condition."""

    spec: CampaignSpec
    block_plan: BlockPlan | None = None
    """What its pilot said."""
    offered_tps: float | None = None
    """The fixed rate of its workload."""
    recovery: bool = False
    """Its workload stops the server and times its way back."""
    modes: Mapping[str, EncryptionModeSpec] = field(default_factory=dict)
    """What each arm's mode is, as it was frozen."""

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
    judging = kinds(recovery=terms.recovery)
    primary = judging[0]
    good = {
        n: by_arm for n, by_arm in sorted(blocks.items()) if _counts(cell.arms, by_arm, primary)
    }
    pairs = Pairs(good, cell.arms, lambda block: plan.unit(terms.spec.blocks, block))
    floors = {kind.figure: pairs.noise_floor(kind) for kind in judging}
    known = {figure: rounded(floor) for figure, floor in floors.items() if floor is not None}
    comparisons = _comparisons(pairs, judging, floors, terms.spec.margin, trials)
    judged = {comparison.arm: comparison for comparison in comparisons}
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
        blocks_why=blockplan.why(terms.spec, terms.block_plan, len(good), half_width),
        units=len({pairs.unit(block) for block in good}),
        noise_floor=known.get(primary.figure),
        noise_floors=known,
        placement=interval(by_testbed, primary.sense) if by_testbed else None,
        offered_tps=terms.offered_tps,
        equal_work=equal_work,
        primary="cpuPerTransaction"
        if equal_work and not terms.recovery and _has_cpu(comparisons)
        else primary.figure,
        rows=tuple(
            _row(cell.instance, condition, pairs, arm, judged.get(arm.name), terms)
            for arm in cell.arms
        ),
        comparisons=comparisons,
        steps=()
        if terms.recovery
        else steps(pairs, terms.modes, floors[TPS.figure], terms.spec.margin),
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


def _counts(arms: Sequence[Arm], by_arm: dict[str, TrialView], primary: Kind) -> bool:
    found = [by_arm.get(arm.name) for arm in arms]
    return all(
        t is not None and t.outcome == "Succeeded" and getattr(t, primary.field) is not None
        for t in found
    )


def _half_width(pairs: Pairs, primary: Kind) -> float | None:
    """Of the widest interval of what is compared, A' included."""
    found = [pairs.change(primary, arm.name) for arm in pairs.arms]
    halves = [(one.high - one.low) / 2 for one in found if one and one.low is not None and one.high]
    return rounded(max(halves)) if halves else None


def _equal_work(pairs: Pairs, offered: float | None) -> bool | None:
    if offered is None or not pairs.blocks:
        return None
    means = (pairs.geometric("tps", arm.name) for arm in pairs.arms)
    return all(mean is not None and mean >= KEPT_UP * offered for mean in means)


def _has_cpu(comparisons: Sequence[Comparison]) -> bool:
    found = [comparison.finding("cpuPerTransaction") for comparison in comparisons]
    return all(one is not None and one.change is not None for one in found)


def _comparisons(
    pairs: Pairs,
    judging: Sequence[Kind],
    floors: Mapping[Figure, float | None],
    margin: float,
    trials: Sequence[TrialView],
) -> tuple[Comparison, ...]:
    treatments = [arm for arm in pairs.arms if arm.role == "treatment"]
    by_kind = {
        kind.figure: _findings(pairs, kind, treatments, floors[kind.figure], margin, trials)
        for kind in judging
    }
    found = []
    for arm in treatments:
        own = tuple(by_kind[kind.figure][arm.name] for kind in judging)
        first = own[0]
        measured = first.change is not None
        found.append(
            Comparison(
                arm=arm.name,
                blocks=first.blocks,
                loss=first.change,
                loss90=first.change90,
                verdict=first.verdict,
                why=first.why,
                on_trust=any(_on_trust(b[arm.name]) for b in pairs.blocks.values()),
                proven=all(_proven(b[arm.name]) for b in pairs.blocks.values())
                if measured
                else None,
                findings=own,
            )
        )
    return tuple(found)


def _findings(
    pairs: Pairs,
    kind: Kind,
    treatments: Sequence[Arm],
    floor: float | None,
    margin: float,
    trials: Sequence[TrialView],
) -> dict[str, Finding]:
    """One figure of every treatment: judged together, for Holm's correction goes over them."""
    estimates = {
        arm.name: one
        for arm in treatments
        if (one := pairs.estimate(kind.field, arm.name)) is not None
    }
    judged = statistics.judge(estimates, floor, margin, kind.sense)
    found: dict[str, Finding] = {}
    for arm in treatments:
        if arm.name not in estimates:
            why = judgement.why_no_data(arm.name, trials)
            if pairs.blocks:
                why = "no block has it in every arm"
            found[arm.name] = Finding(figure=kind.figure, blocks=0, verdict="NoData", why=why)
            continue
        one, said = estimates[arm.name], judged[arm.name]
        change = interval(one, kind.sense)
        narrow = interval(one, kind.sense, statistics.EQUIVALENCE_LEVEL)
        together = f"{len(estimates)} modes" if len(estimates) > 1 else ""
        grounds = judgement.Grounds(kind.figure, said, change, narrow, floor, margin, together)
        found[arm.name] = Finding(
            figure=kind.figure,
            blocks=one.n,
            change=change,
            change90=narrow,
            noise_floor=None if floor is None else rounded(floor),
            bar=None if said.bar is None else rounded(said.bar),
            overhead_p=None if said.overhead_p is None else rounded(said.overhead_p),
            equivalent_p=None if said.equivalent_p is None else rounded(said.equivalent_p),
            verdict=said.verdict,
            why=judgement.why(grounds),
        )
    return found


def _proven(trial: TrialView) -> bool:
    proofs = (trial.proof_before, trial.proof_after)
    return all(proof is not None and proof.ok for proof in proofs)


def _on_trust(trial: TrialView) -> bool:
    return any(ON_TRUST in p.summary for p in (trial.proof_before, trial.proof_after) if p)


def _row(
    instance: str,
    condition: IndexCondition,
    pairs: Pairs,
    arm: Arm,
    judged: Comparison | None,
    terms: Terms,
) -> Row:
    verdict: Verdict = "Baseline" if arm.role == "baseline" else "NoiseFloor"
    if judged is not None:
        verdict = judged.verdict
    judging = kinds(recovery=terms.recovery)
    changes = {kind.figure: pairs.change(kind, arm.name) for kind in judging}
    said = {
        one.figure: one.verdict
        for one in (judged.findings if judged else ())
        if one.verdict in ("Overhead", "Equivalent", "Inconclusive")
    }
    database = pairs.arithmetic("database_cpu_percent", arm.name)
    client = pairs.arithmetic("client_cpu_percent", arm.name)
    return Row.model_validate(
        {
            "instance": instance,
            "workload": condition.workload,
            "concurrency": condition.concurrency,
            "arm": arm.name,
            "role": arm.role,
            "blocks": len(pairs.blocks),
            "planned_blocks": terms.planned_blocks,
            "tps": pairs.geometric("tps", arm.name),
            "qps": pairs.geometric("qps", arm.name),
            "new_orders_per_second": pairs.geometric("new_orders_per_second", arm.name),
            "latency_average_ms": pairs.geometric("latency_average_ms", arm.name),
            "latency_p95_ms": pairs.geometric("latency_p95_ms", arm.name),
            "database_cpu_percent": database,
            "database_cpu_points": pairs.points("database_cpu_percent", arm.name),
            "client_cpu_percent": client,
            "client_cpu_points": pairs.points("client_cpu_percent", arm.name),
            "client_cpu_cores": pairs.arithmetic("client_cpu_cores", arm.name),
            "client_memory_mib": pairs.arithmetic("client_memory_mib", arm.name),
            "client_memory_percent": pairs.arithmetic("client_memory_percent", arm.name),
            "node_cpu_percent": pairs.arithmetic("node_cpu_percent", arm.name),
            "node_cpu_points": pairs.points("node_cpu_percent", arm.name),
            "database_cpu_ms_per_transaction": pairs.geometric(
                "database_cpu_ms_per_transaction", arm.name
            ),
            "proxy_cpu_percent": arithmetic(pairs.of_some("proxy_cpu_percent", arm.name)),
            "proxy_cpu_ms_per_transaction": geometric(
                pairs.of_some("proxy_cpu_ms_per_transaction", arm.name)
            ),
            "client_cpu_ms_per_transaction": pairs.geometric(
                "client_cpu_ms_per_transaction", arm.name
            ),
            "disk_read_kib_per_transaction": pairs.arithmetic(
                "disk_read_kib_per_transaction", arm.name
            ),
            "disk_write_kib_per_transaction": pairs.arithmetic(
                "disk_write_kib_per_transaction", arm.name
            ),
            "recovery_seconds": pairs.geometric("recovery_seconds", arm.name),
            "stop_seconds": pairs.arithmetic("stop_seconds", arm.name),
            "redo_mib": pairs.arithmetic("redo_mib", arm.name),
            "overhead": changes.get("tps"),
            "latency_average_overhead": changes.get("latencyAverage"),
            "latency_p95_overhead": changes.get("latencyP95"),
            "cpu_per_transaction_overhead": changes.get("cpuPerTransaction"),
            "recovery_overhead": changes.get("recovery"),
            "verdict": verdict if pairs.blocks else "NoData",
            "latency_average_verdict": said.get("latencyAverage"),
            "latency_p95_verdict": said.get("latencyP95"),
            "cpu_per_transaction_verdict": said.get("cpuPerTransaction"),
            "saturation": saturation(database, client)
            if pairs.blocks and not terms.recovery
            else None,
        }
    )

"""Groups and rows: what each condition's valid blocks say about each arm.

Only a block in which every arm's trial succeeded counts, and within it every arm does: that is the
rule of `core.plan`, by which the others of a broken block are kept but replaced. A CPU figure that
was withheld in one arm is left out for all arms of that block, so that arms are always compared
over the same blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from encbench.api.overheadreport import Interval, Row, Verdict
from encbench.api.testbed import Arm
from encbench.core import statistics
from encbench.core.artefact import RecordError
from encbench.core.records import IndexCell, IndexCondition
from encbench.core.statistics import Bounds, Estimate
from encbench.report import judgement
from encbench.report.document import Block, Comparison, Group, TrialView
from encbench.report.views import rounded

Blocks = dict[int, dict[str, TrialView]]
"""Trials by block and arm."""


@dataclass(frozen=True)
class Pairs:
    """The valid blocks of one condition, and the arm that the others are paired with."""

    blocks: Blocks
    baseline: str

    def figures(self, field: str) -> dict[str, list[float]]:
        """A figure by arm, over the blocks in which every arm has it, in the order of blocks."""
        found: dict[str, list[float]] = {}
        for by_arm in self.blocks.values():
            values = {arm: getattr(trial, field) for arm, trial in by_arm.items()}
            if all(value is not None for value in values.values()):
                for arm, value in values.items():
                    found.setdefault(arm, []).append(value)
        return found

    def estimate(self, field: str, arm: str) -> Estimate | None:
        """The paired comparison of an arm with the baseline; None for the baseline itself."""
        figures = self.figures(field)
        if arm == self.baseline:
            return None
        return statistics.estimate(figures.get(self.baseline, []), figures.get(arm, []))

    def geometric(self, field: str, arm: str) -> float | None:
        """Geometric mean of a figure."""
        values = self.figures(field).get(arm)
        return rounded(statistics.geometric_mean(values)) if values else None

    def arithmetic(self, field: str, arm: str) -> float | None:
        """Arithmetic mean of a figure."""
        values = self.figures(field).get(arm)
        return rounded(sum(values) / len(values)) if values else None

    def points(self, field: str, arm: str) -> float | None:
        """Difference of arithmetic means from the baseline; None for the baseline itself."""
        own, plain = self.arithmetic(field, arm), self.arithmetic(field, self.baseline)
        if arm == self.baseline or own is None or plain is None:
            return None
        return rounded(own - plain)

    def increase(self, field: str, arm: str) -> Interval | None:
        """Increase over the baseline with its 95 % interval; None for the baseline itself."""
        found = self.estimate(field, arm)
        return _interval(found.increase, found.increase_bounds()) if found else None


def group(
    cell: IndexCell,
    condition: IndexCondition,
    trials: Sequence[TrialView],
    *,
    planned: int,
    margin: float,
) -> Group:
    """One condition. `trials` are those of this cell and condition, in the order they ran.

    RecordError when two of them claim one place.
    """
    blocks = _by_block(trials)
    good = {n: by_arm for n, by_arm in sorted(blocks.items()) if _counts(cell.arms, by_arm)}
    pairs = Pairs(good, baseline=cell.arms[0].name)
    control = next((arm.name for arm in cell.arms if arm.role == "control"), None)
    floor = statistics.noise_floor(pairs.estimate("tps", control)) if control else None
    comparisons = tuple(
        _comparison(pairs, arm, floor, margin, trials)
        for arm in cell.arms
        if arm.role == "treatment"
    )
    verdicts = {comparison.arm: comparison.verdict for comparison in comparisons}
    return Group(
        cell=cell.name,
        instance=cell.instance,
        workload=condition.workload,
        concurrency=condition.concurrency,
        arms=cell.arms,
        planned_blocks=planned,
        counted_blocks=len(good),
        noise_floor=None if floor is None else rounded(floor),
        rows=tuple(
            _row(cell.instance, condition, pairs, arm, verdicts.get(arm.name)) for arm in cell.arms
        ),
        comparisons=comparisons,
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


def _counts(arms: Sequence[Arm], by_arm: dict[str, TrialView]) -> bool:
    found = [by_arm.get(arm.name) for arm in arms]
    return all(t is not None and t.outcome == "Succeeded" and t.tps is not None for t in found)


def _interval(value: float, bounds: Bounds | None) -> Interval:
    return Interval(
        estimate=rounded(value),
        low=rounded(bounds.low) if bounds else None,
        high=rounded(bounds.high) if bounds else None,
    )


def _comparison(
    pairs: Pairs, arm: Arm, floor: float | None, margin: float, trials: Sequence[TrialView]
) -> Comparison:
    estimate = pairs.estimate("tps", arm.name)
    if estimate is None:
        why = judgement.why_no_data(arm.name, trials)
        return Comparison(arm=arm.name, blocks=0, verdict="NoData", why=why)
    verdict = statistics.verdict(estimate, floor, margin)
    loss = _interval(estimate.loss, estimate.loss_bounds())
    narrow = _interval(estimate.loss, estimate.loss_bounds(statistics.EQUIVALENCE_LEVEL))
    return Comparison(
        arm=arm.name,
        blocks=estimate.n,
        loss=loss,
        loss90=narrow,
        verdict=verdict,
        why=judgement.why(verdict, loss, narrow, floor, margin),
        proven=all(_proven(by_arm[arm.name]) for by_arm in pairs.blocks.values()),
    )


def _proven(trial: TrialView) -> bool:
    proofs = (trial.proof_before, trial.proof_after)
    return all(proof is not None and proof.ok for proof in proofs)


def _row(
    instance: str, condition: IndexCondition, pairs: Pairs, arm: Arm, verdict: Verdict | None
) -> Row:
    loss = pairs.estimate("tps", arm.name)
    if verdict is None:
        verdict = "Baseline" if arm.role == "baseline" else "NoiseFloor"
    return Row(
        instance=instance,
        workload=condition.workload,
        concurrency=condition.concurrency,
        arm=arm.name,
        role=arm.role,
        blocks=len(pairs.blocks),
        tps=pairs.geometric("tps", arm.name),
        qps=pairs.geometric("qps", arm.name),
        latency_average_ms=pairs.geometric("latency_average_ms", arm.name),
        latency_p95_ms=pairs.geometric("latency_p95_ms", arm.name),
        database_cpu_percent=pairs.arithmetic("database_cpu_percent", arm.name),
        database_cpu_points=pairs.points("database_cpu_percent", arm.name),
        client_cpu_percent=pairs.arithmetic("client_cpu_percent", arm.name),
        client_cpu_points=pairs.points("client_cpu_percent", arm.name),
        node_cpu_percent=pairs.arithmetic("node_cpu_percent", arm.name),
        node_cpu_points=pairs.points("node_cpu_percent", arm.name),
        database_cpu_ms_per_transaction=pairs.geometric(
            "database_cpu_ms_per_transaction", arm.name
        ),
        overhead=_interval(loss.loss, loss.loss_bounds()) if loss else None,
        latency_average_overhead=pairs.increase("latency_average_ms", arm.name),
        latency_p95_overhead=pairs.increase("latency_p95_ms", arm.name),
        cpu_per_transaction_overhead=pairs.increase("database_cpu_ms_per_transaction", arm.name),
        verdict=verdict if pairs.blocks else "NoData",
    )

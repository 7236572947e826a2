"""What each layer of column encryption costs: every arm against the one below it.

The log-ratios are of two trials of one block, as everywhere, so that whatever a block shares (the
hour, the cache, the neighbours) is in neither the estimate nor its interval. Along one chain they
add up: the ratios of hop, driver and encryption multiply to that of the whole, exactly.
"""

from collections.abc import Sequence

from encbench.core import statistics
from encbench.core.statistics import Estimate
from encbench.report.analysis.layers import Found, Modes
from encbench.report.analysis.layers import steps as found_in
from encbench.report.analysis.pairs import KINDS, TPS, Pairs, interval
from encbench.report.analysis.views import rounded
from encbench.report.document import Step
from encbench.report.words.judgement import Grounds, why


def steps(pairs: Pairs, modes: Modes, floor: float | None, margin: float) -> tuple[Step, ...]:
    """Every step of one condition; empty where no arm has anything to do with columns.

    `floor` is the noise floor of TPS.
    """
    found = found_in(pairs.arms, modes)
    estimates = {
        step.arm.name: one
        for step in found
        if (one := pairs.between(TPS.field, step.before.name, step.arm.name)) is not None
    }
    judged = statistics.judge(estimates, floor, margin, TPS.sense)
    together = f"{len(estimates)} steps" if len(estimates) > 1 else ""

    def grounds(arm: str) -> Grounds | None:
        if arm not in estimates:
            return None
        wide, narrow = (
            interval(estimates[arm], TPS.sense, level)
            for level in (statistics.LEVEL, statistics.EQUIVALENCE_LEVEL)
        )
        return Grounds("tps", judged[arm], wide, narrow, floor, margin, together)

    return tuple(
        _step(pairs, step, estimates.get(step.arm.name), grounds(step.arm.name)) for step in found
    )


def _step(pairs: Pairs, found: Found, tps: Estimate | None, grounds: Grounds | None) -> Step:
    said = None if grounds is None else grounds.judgement

    def increase(field: str) -> Estimate | None:
        return pairs.between(field, found.before.name, found.arm.name)

    def shown(estimate: Estimate | None) -> object:
        return None if estimate is None else interval(estimate, "increase")

    return Step.model_validate(
        {
            "arm": found.arm.name,
            "before": found.before.name,
            "layers": found.layers,
            "blocks": 0 if tps is None else tps.n,
            "loss": None if grounds is None else grounds.change,
            "verdict": "NoData" if said is None else said.verdict,
            "why": "no block has both" if grounds is None else why(grounds),
            "bar": None if said is None or said.bar is None else rounded(said.bar),
            **{_NAMES[kind.field]: shown(increase(kind.field)) for kind in KINDS[1:]},
            "client_cpu": shown(increase("client_cpu_ms_per_transaction")),
            "database_side_cpu": shown(increase("database_side_cpu_ms_per_transaction")),
        }
    )


_NAMES = {
    "latency_average_ms": "latency_average",
    "latency_p95_ms": "latency_p95",
    "database_cpu_ms_per_transaction": "database_cpu",
}


def chain(steps: Sequence[Step], arm: str) -> list[Step]:
    """The steps that lead to an arm, the lowest first; empty where there are none."""
    by_arm = {step.arm: step for step in steps}
    found: list[Step] = []
    while (step := by_arm.get(arm)) is not None:
        found.insert(0, step)
        arm = step.before
    return found

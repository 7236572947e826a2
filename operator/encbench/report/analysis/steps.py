"""What each layer of column encryption costs: every arm against the one below it.

The log-ratios are of two trials of one block, as everywhere, so that whatever a block shares (the
hour, the cache, the neighbours) is in neither the estimate nor its interval. Along one chain they
add up: the ratios of hop, driver and encryption multiply to that of the whole, exactly.
"""

from encbench.report.analysis import layers
from encbench.report.analysis.findings import judge
from encbench.report.analysis.layers import ArmStep, Modes
from encbench.report.analysis.pairs import Pairs, interval
from encbench.report.document.group import Finding, LayerStep
from encbench.report.figures import IN_STEPS, TPS


def steps(pairs: Pairs, modes: Modes, floor: float | None, margin: float) -> tuple[LayerStep, ...]:
    """Every step of one condition; empty where no arm has anything to do with columns.

    `floor` is the noise floor of TPS.
    """
    found = layers.steps(pairs.arms, modes)
    estimates = {
        one.arm.name: estimate
        for one in found
        if (estimate := pairs.between(TPS.field, one.before.name, one.arm.name)) is not None
    }
    judged = judge(TPS, estimates, floor, margin, "steps")
    return tuple(_step(pairs, one, judged.get(one.arm.name)) for one in found)


def _step(pairs: Pairs, found: ArmStep, tps: Finding | None) -> LayerStep:
    before, arm = found.before.name, found.arm.name
    estimates = {
        figure.step: pairs.between(figure.field, before, arm)
        for figure in IN_STEPS
        if figure is not TPS
    }
    return LayerStep.model_validate(
        {
            "arm": arm,
            "before": before,
            "layers": found.layers,
            "blocks": 0 if tps is None else tps.blocks,
            TPS.step: None if tps is None else tps.change,
            "verdict": "NoData" if tps is None else tps.verdict,
            "why": "no block has both" if tps is None else tps.why,
            "bar": None if tps is None else tps.bar,
            **{name: interval(one, "increase") for name, one in estimates.items() if one},
        }
    )

"""Why a condition has as many blocks as it has, in one sentence."""

from encbench.api.campaign import BlockPlan, CampaignSpec
from encbench.report.words import text
from encbench.text.words import plural


def why(spec: CampaignSpec, plan: BlockPlan | None, counted: int, half_width: float | None) -> str:
    """`counted` blocks are valid; `half_width` is what they reached."""
    if spec.precision is None:
        return f"{plural(spec.blocks.min, 'block')} were asked for"
    target = spec.precision.target_half_width
    if plan is None:
        return f"the pilot of {plural(spec.blocks.min, 'block')} was not completed"
    reached = "no interval" if half_width is None else f"±{text.percent(half_width)}"
    if counted < plan.planned_blocks:
        return (
            f"{counted} of the {plural(plan.planned_blocks, 'block')} that the pilot asked "
            f"for ±{text.margin(target)} are valid: {reached} was reached"
        )
    if plan.capped:
        wanted = "more" if plan.wanted_blocks is None else f"{plan.wanted_blocks:,}"
        return (
            f"capped at {plural(plan.planned_blocks, 'block')} where the pilot asked for "
            f"{wanted}: {reached} was reached instead of ±{text.margin(target)}"
        )
    return (
        f"the pilot of {plural(plan.pilot_blocks, 'block')} asked for {plan.planned_blocks:,} "
        f"in all to reach ±{text.margin(target)}: {reached} was reached"
    )

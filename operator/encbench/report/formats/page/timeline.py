"""How each condition went, on the page: noise, the trials over time, block by block."""

from collections.abc import Sequence
from dataclasses import dataclass

from encbench.api.overheadreport import Row
from encbench.report.document import Report
from encbench.report.document.group import Group
from encbench.report.document.trial import Block, TrialView
from encbench.report.formats.plots import Legend, legend, timeline
from encbench.report.words import text


@dataclass(frozen=True)
class ConditionTimeline:
    """How one condition went: the control, the trials over time, the blocks."""

    title: str
    legend: tuple[Legend, ...]
    group: Group
    control: Row | None
    treatments: tuple[str, ...]
    svg: str
    lines: tuple[tuple[Block, list[TrialView], list[str]], ...]
    """Each block with its trials in order, and each treatment's loss within it."""
    digits: int


def timelines(report: Report) -> list[ConditionTimeline]:
    """One for each condition, in the order of the plan."""
    return [_timeline(report, group, number) for number, group in enumerate(report.groups)]


def _timeline(report: Report, group: Group, number: int) -> ConditionTimeline:
    trials = {trial.name: trial for trial in report.trials}
    treatments = tuple(arm.name for arm in group.treatments)
    by_block = [(block, [trials[name] for name in block.trials]) for block in group.blocks]
    return ConditionTimeline(
        title=group.place,
        legend=legend(group.arms),
        group=group,
        control=next((row for row in group.rows if row.role == "control"), None),
        treatments=treatments,
        svg=timeline(group, report.trials, f"t{number}") if group.blocks else "",
        lines=tuple((block, own, _losses(group, own, treatments)) for block, own in by_block),
        digits=text.rate_digits(row.tps for row in group.rows),
    )


def _losses(group: Group, trials: Sequence[TrialView], treatments: Sequence[str]) -> list[str]:
    tps = {trial.arm: trial.tps for trial in trials}
    plain = tps.get(group.baseline.name)
    known = [(tps.get(arm), plain) for arm in treatments]
    return [text.ABSENT if a is None or b is None else text.percent(1 - a / b) for a, b in known]

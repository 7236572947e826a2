"""How each condition went, on the page: noise, the trials over time, block by block."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from encbench.api.overheadreport import Row
from encbench.report.document import Report
from encbench.report.document.group import Group
from encbench.report.document.trial import Block, TrialView
from encbench.report.formats.plots import Legend, legend, timeline
from encbench.report.words import text


@dataclass(frozen=True)
class BlockLine:
    """One block: its trials in order, and each treatment's loss within it."""

    block: Block
    trials: tuple[TrialView, ...]
    losses: tuple[str, ...]


@dataclass(frozen=True)
class ConditionTimeline:
    """How one condition went: the control, the trials over time, the blocks."""

    title: str
    legend: tuple[Legend, ...]
    group: Group
    control: Row | None
    treatments: tuple[str, ...]
    svg: str
    lines: tuple[BlockLine, ...]
    digits: int


def timelines(report: Report) -> list[ConditionTimeline]:
    """One for each condition, in the order of the plan."""
    return [_timeline(report, group, number) for number, group in enumerate(report.groups)]


def _timeline(report: Report, group: Group, number: int) -> ConditionTimeline:
    trials = {trial.name: trial for trial in report.trials}
    treatments = tuple(arm.name for arm in group.arms if arm.role == "treatment")
    return ConditionTimeline(
        title=group.place,
        legend=legend(group.arms),
        group=group,
        control=next((row for row in group.rows if row.role == "control"), None),
        treatments=treatments,
        svg=timeline(group, report.trials, f"t{number}") if group.blocks else "",
        lines=tuple(
            BlockLine(
                block=block,
                trials=tuple(trials[name] for name in block.trials),
                losses=tuple(_losses(group, [trials[n] for n in block.trials], treatments)),
            )
            for block in group.blocks
        ),
        digits=text.rate_digits(row.tps for row in group.rows),
    )


def _losses(group: Group, trials: Sequence[TrialView], treatments: Iterable[str]) -> Iterable[str]:
    tps = {trial.arm: trial.tps for trial in trials}
    plain = tps.get(group.baseline.name)
    for arm in treatments:
        own = tps.get(arm)
        yield text.ABSENT if own is None or plain is None else text.percent(1 - own / plain)

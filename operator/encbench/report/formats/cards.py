"""The cards at the top of the page: one answer for each mode, "cannot tell" as large as others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from encbench.api.overheadreport import Interval
from encbench.report.document import Headline, Report
from encbench.report.document.group import LAYERS, Group, LayerStep
from encbench.report.figures import JUDGED, FigureKey, JudgedFigure
from encbench.report.words import text
from encbench.text.words import listed

VERDICTS = {
    "Overhead": "Costs more than margin and noise",
    "Equivalent": "No difference beyond the margin",
    "Inconclusive": "Cannot tell",
    "NoData": "No data",
    "NoiseFloor": "Nothing to compare",
    "Baseline": "",
}
"""What each verdict means, in a few words."""


@dataclass(frozen=True)
class SmallFigure:
    """One small figure of an answer."""

    name: str
    value: str
    interval: str = ""


@dataclass(frozen=True)
class Card:
    """One treatment's card."""

    headline: Headline
    title: str
    mode: str
    figure: str
    interval: str
    unit: str
    stats: tuple[SmallFigure, ...]


Changes = Mapping[FigureKey, Interval | None]
"""Losses and increases by figure."""


def card(report: Report, headline: Headline) -> Card:
    """The card of one headline."""
    group = _group_of(report, headline)
    known = headline.verdict in ("Overhead", "Equivalent") and headline.loss is not None
    step = _step_of(group, headline) if group is not None else None
    stats: Iterable[SmallFigure] = ()
    if group is not None:
        changes = _changes_of_step(step) if step else _changes(group, headline.arm)
        stats = _stats(group, headline, changes, known)
    return Card(
        headline=headline,
        title=listed(LAYERS[layer] for layer in step.layers) if step else headline.arm,
        mode=f"{step.arm} against {step.before}" if step else _mode(report, headline),
        figure=_change(headline.figure, headline.loss) if known else VERDICTS[headline.verdict],
        interval=text.bounds(headline.loss) if known else "",
        unit=_unit(JUDGED[headline.figure]) if known else "",
        stats=tuple(stats),
    )


def _mode(report: Report, headline: Headline) -> str:
    arms = [arm for arm in report.treatments if arm.name == headline.arm]
    mode = report.resolved.modes.get(arms[0].mode_ref) if arms else None
    return text.spelled(mode, "plaintext") if mode else ""


def _change(figure: FigureKey, change: Interval | None) -> str:
    """An increase has a sign; a loss has none."""
    estimate = change.estimate if change else None
    return text.percent(estimate) if figure == "tps" else text.signed_percent(estimate)


def _stats(
    group: Group, headline: Headline, changes: Changes, known: bool
) -> Iterable[SmallFigure]:
    """Every figure but the large one, then noise floor and blocks."""
    for figure, change in changes.items():
        if change is not None and not (known and figure == headline.figure):
            yield SmallFigure(_name(figure, headline), _change(figure, change), text.bounds(change))
    floor = group.noise_floors.get(headline.figure)
    yield SmallFigure("noise floor", f"±{text.percent(floor)}")
    yield SmallFigure("valid blocks", f"{group.counted_blocks:,} of {group.planned_blocks:,}")


def _name(figure: FigureKey, headline: Headline) -> str:
    if figure == "tps":
        return "measured loss" if headline.verdict == "Inconclusive" else "TPS lost"
    return JUDGED[figure].title


def _unit(figure: JudgedFigure) -> str:
    """The unit of the large figure."""
    return f"of {figure.phrase}" if figure.sense == "loss" else figure.phrase


def _changes(group: Group, arm: str) -> Changes:
    """What an arm changes."""
    row = group.row(arm)
    return {key: getattr(row, figure.overhead) for key, figure in JUDGED.items()}


def _changes_of_step(step: LayerStep) -> Changes:
    """What the layers cost their arm; CPU is that of server and proxy together."""
    fields = {key: figure.whole_step or figure.step for key, figure in JUDGED.items()}
    return {key: getattr(step, field) for key, field in fields.items() if field}


def _step_of(group: Group, headline: Headline) -> LayerStep | None:
    """The layers that only the baseline has, where the headline is about them."""
    step = group.step(group.baseline.name)
    return step if step is not None and step.before == headline.arm else None


def _group_of(report: Report, headline: Headline) -> Group | None:
    own = (headline.instance, headline.workload, headline.concurrency)
    groups = (g for g in report.groups if (g.instance, g.workload, g.concurrency) == own)
    return next((g for g in groups if g.comparison(headline.arm) is not None), None)

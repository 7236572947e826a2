"""The cards at the top of the page: one answer for each mode, "cannot tell" as large as others.

A card is there to decide by: one sentence, one figure, its interval, and what follows. All else
about the answer stands below it, in full.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from encbench.api.overheadreport import Interval
from encbench.report.document import Headline, Report
from encbench.report.document.group import LAYERS, Group, LayerStep
from encbench.report.figures import JUDGED, TPS, JudgedFigure
from encbench.report.words import judgement, text
from encbench.text.words import listed

VERDICTS = {
    "Overhead": "Costs more than the margin",
    "Equivalent": "No difference beyond the margin",
    "Inconclusive": "Cannot tell",
    "NoData": "No data",
    "NoiseFloor": "Nothing to compare",
    "Baseline": "",
}
"""What each verdict means, in a few words."""
BETTER = "Better than {}"
"""The same where that is sure and no verdict."""


SmallFigure = tuple[str, str, str]
"""Name, value and interval."""


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


def card(report: Report, headline: Headline) -> Card:
    """The card of one headline."""
    own = (headline.instance, headline.workload, headline.concurrency)
    groups = (g for g in report.groups if (g.instance, g.workload, g.concurrency) == own)
    group = next((g for g in groups if g.comparison(headline.arm) is not None), None)
    margin = report.spec.margin
    known = headline.verdict in ("Overhead", "Equivalent") and headline.loss is not None
    step = _step_of(group, headline) if group is not None else None
    figure = JUDGED[headline.figure]
    of_all = group.comparison(headline.arm) if group is not None and step is None else None
    finding = of_all.finding(headline.figure) if of_all is not None else None
    if step is not None:
        finding = step.judged
    meaning = VERDICTS[headline.verdict]
    if finding is not None and judgement.is_better(finding, margin):
        meaning = BETTER.format(step.before if step is not None else judgement.BASELINE)
    return Card(
        headline=headline,
        title=listed(LAYERS[layer] for layer in step.layers) if step else headline.arm,
        mode=f"{step.arm} against {step.before}" if step else _mode(report, headline),
        figure=_change(figure, headline.loss, margin) if known else meaning,
        interval=_interval(headline.loss, margin),
        unit=_unit(figure, known) if known or _interval(headline.loss, margin) else "",
        stats=tuple(_stats(group, headline, step, known, margin)) if group is not None else (),
    )


def _interval(change: Interval | None, margin: float) -> str:
    """As in the card's sentence; empty without bounds: a card has no cell for a dash."""
    return "" if change is None or change.low is None else text.bounds_beside(margin, change)


def _unit(figure: JudgedFigure, known: bool) -> str:
    """The figure's whole, as in "of TPS"; without a figure, the meaning of the interval."""
    if known:
        return "of " * (figure.sense == "loss") + figure.phrase
    return figure.effect


def _step_of(group: Group, headline: Headline) -> LayerStep | None:
    """The layers that only the baseline has, where the headline is about them."""
    step = group.step(group.baseline.name)
    return step if step is not None and step.before == headline.arm else None


def _mode(report: Report, headline: Headline) -> str:
    modes = (arm.mode_ref for arm in report.treatments if arm.name == headline.arm)
    return next((text.spelled(report.resolved.modes[mode], "plaintext") for mode in modes), "")


def _change(figure: JudgedFigure, change: Interval | None, margin: float) -> str:
    """An increase has a sign; a loss has none."""
    shown = text.alone_beside if figure is TPS else text.signed_alone_beside
    return shown(margin, change)


def _stats(
    group: Group, headline: Headline, step: LayerStep | None, known: bool, margin: float
) -> Iterable[SmallFigure]:
    """Every figure but the large one, then noise floor and blocks."""
    for figure in JUDGED.values():
        if step is not None:
            change = getattr(step, figure.step) if figure.step else None
        else:
            change = getattr(group.row(headline.arm), figure.overhead)
        if change is not None and not (known and figure.key == headline.figure):
            value, bounds = _change(figure, change, margin), _interval(change, margin)
            yield _name(figure, headline), value, bounds
    floor = group.noise_floors.get(headline.figure)
    if floor is not None:
        yield "noise floor", f"±{text.floor_beside(margin, floor)}", ""
    yield "valid blocks", f"{group.counted_blocks:,} of {group.planned_blocks:,}", ""


def _name(figure: JudgedFigure, headline: Headline) -> str:
    if figure is TPS:
        return "measured loss" if headline.verdict == "Inconclusive" else "TPS lost"
    return figure.title

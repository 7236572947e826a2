"""The cards at the top of the page: one answer a mode, as large when it is "cannot tell"."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from encbench.api.overheadreport import Interval
from encbench.report.document import LAYERS, Figure, Group, Headline, Report, Step
from encbench.report.words import text

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
class Stat:
    """One small figure of an answer."""

    name: str
    value: str
    interval: str = ""


@dataclass(frozen=True)
class Answer:
    """One treatment's card."""

    headline: Headline
    title: str
    mode: str
    figure: str
    interval: str
    unit: str
    stats: tuple[Stat, ...]


UNITS: dict[Figure, str] = {
    "tps": "of TPS",
    "cpuPerTransaction": "CPU per transaction",
    "latencyAverage": "average latency",
    "latencyP95": "95th percentile of latency",
    "recovery": "recovery time",
}
"""What the large figure of a card is of."""

NAMES: dict[Figure, str] = {
    "cpuPerTransaction": "CPU per transaction",
    "latencyAverage": "average latency",
    "latencyP95": "95th percentile",
    "recovery": "recovery time",
}
"""What a small figure is called, but for TPS, which has another name when nothing is known."""

Changes = Mapping[Figure, Interval | None]
"""Losses and increases by what they are of."""


def answer(report: Report, headline: Headline) -> Answer:
    """The card of one headline."""
    group = _group_of(report, headline)
    known = headline.verdict in ("Overhead", "Equivalent") and headline.loss is not None
    step = _step_of(group, headline) if group is not None else None
    stats: Iterable[Stat] = ()
    if group is not None:
        changes = _changes_of_step(step) if step else _changes(group, headline.arm)
        stats = _stats(group, headline, changes, known)
    return Answer(
        headline=headline,
        title=text.listed(LAYERS[layer] for layer in step.layers) if step else headline.arm,
        mode=f"{step.arm} against {step.before}" if step else _mode(report, headline),
        figure=_change(headline.figure, headline.loss) if known else VERDICTS[headline.verdict],
        interval=text.bounds(headline.loss) if known else "",
        unit=UNITS[headline.figure] if known else "",
        stats=tuple(stats),
    )


def _mode(report: Report, headline: Headline) -> str:
    arms = [arm for arm in report.treatments if arm.name == headline.arm]
    mode = report.resolved.modes.get(arms[0].mode_ref) if arms else None
    return text.spelled(mode, "plaintext") if mode else ""


def _change(figure: Figure, change: Interval | None) -> str:
    """A loss bears no sign, an increase does."""
    estimate = change.estimate if change else None
    return text.percent(estimate) if figure == "tps" else text.signed_percent(estimate)


def _stats(group: Group, headline: Headline, changes: Changes, known: bool) -> Iterable[Stat]:
    """Every figure but the large one, and what they rest on."""
    for figure, change in changes.items():
        if change is not None and not (known and figure == headline.figure):
            yield Stat(_name(figure, headline), _change(figure, change), text.bounds(change))
    floor = group.noise_floors.get(headline.figure)
    yield Stat("noise floor", f"±{text.percent(floor)}")
    yield Stat("valid blocks", f"{group.counted_blocks:,} of {group.planned_blocks:,}")


def _name(figure: Figure, headline: Headline) -> str:
    if figure == "tps":
        return "measured loss" if headline.verdict == "Inconclusive" else "TPS lost"
    return NAMES[figure]


def _changes(group: Group, arm: str) -> Changes:
    """What an arm changes."""
    row = group.row(arm)
    return {
        "tps": row.overhead,
        "cpuPerTransaction": row.cpu_per_transaction_overhead,
        "latencyAverage": row.latency_average_overhead,
        "latencyP95": row.latency_p95_overhead,
        "recovery": row.recovery_overhead,
    }


def _changes_of_step(step: Step) -> Changes:
    """What layers change for whoever has them, not what the arm does that lacks them."""
    return {
        "tps": step.loss,
        "cpuPerTransaction": step.database_side_cpu,
        "latencyAverage": step.latency_average,
        "latencyP95": step.latency_p95,
    }


def _step_of(group: Group, headline: Headline) -> Step | None:
    """What the baseline has more than the arm that the headline names, if that is what it tells."""
    step = group.step(group.baseline.name)
    return step if step is not None and step.before == headline.arm else None


def _group_of(report: Report, headline: Headline) -> Group | None:
    own = (headline.instance, headline.workload, headline.concurrency)
    groups = (g for g in report.groups if (g.instance, g.workload, g.concurrency) == own)
    return next((g for g in groups if g.comparison(headline.arm) is not None), None)

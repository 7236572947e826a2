"""The cards at the top of the page: one answer a mode, as large when it is "cannot tell"."""

from collections.abc import Iterable
from dataclasses import dataclass

from encbench.api.overheadreport import Interval
from encbench.report import text
from encbench.report.document import LAYERS, Figure, Group, Headline, Report, Step

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


def answer(report: Report, headline: Headline) -> Answer:
    """The card of one headline."""
    group = _group_of(report, headline)
    known = headline.verdict in ("Overhead", "Equivalent") and headline.loss is not None
    step = _step_of(group, headline) if group is not None else None
    stats: Iterable[Stat] = ()
    if group is not None:
        own = _stats_of_step(step, known) if step else _stats(group, headline, known)
        stats = (*own, *_basis(group, headline))
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


def _stats(group: Group, headline: Headline, known: bool) -> Iterable[Stat]:
    """Every other figure of the treatment."""
    row = group.row(headline.arm)
    lost = "measured loss" if headline.verdict == "Inconclusive" else "TPS lost"
    found: tuple[tuple[Figure, str, Interval | None], ...] = (
        ("tps", lost, row.overhead),
        ("cpuPerTransaction", "CPU per transaction", row.cpu_per_transaction_overhead),
        ("latencyAverage", "average latency", row.latency_average_overhead),
        ("latencyP95", "95th percentile", row.latency_p95_overhead),
        ("recovery", "recovery time", row.recovery_overhead),
    )
    for figure, name, change in found:
        if change is not None and not (known and figure == headline.figure):
            yield Stat(name, _change(figure, change), text.bounds(change))


def _stats_of_step(step: Step, known: bool) -> Iterable[Stat]:
    """Every other figure of what layers cost whoever has them, not of the arm that lacks them."""
    found: tuple[tuple[Figure, str, Interval | None], ...] = (
        ("tps", "measured loss", step.loss),
        ("cpuPerTransaction", "CPU per transaction", step.database_side_cpu),
        ("latencyAverage", "average latency", step.latency_average),
        ("latencyP95", "95th percentile", step.latency_p95),
    )
    for figure, name, change in found:
        if change is not None and not (known and figure == "tps"):
            yield Stat(name, _change(figure, change), text.bounds(change))


def _basis(group: Group, headline: Headline) -> Iterable[Stat]:
    """What the figures rest on."""
    floor = group.noise_floors.get(headline.figure)
    yield Stat("noise floor", f"±{text.percent(floor)}")
    yield Stat("valid blocks", f"{group.counted_blocks:,} of {group.planned_blocks:,}")


def _step_of(group: Group, headline: Headline) -> Step | None:
    """What the baseline has more than the arm that the headline names, if that is what it tells."""
    step = group.step(group.baseline.name)
    return step if step is not None and step.before == headline.arm else None


def _group_of(report: Report, headline: Headline) -> Group | None:
    own = (headline.instance, headline.workload, headline.concurrency)
    groups = (g for g in report.groups if (g.instance, g.workload, g.concurrency) == own)
    return next((g for g in groups if g.comparison(headline.arm) is not None), None)

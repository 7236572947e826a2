"""The page: one self-contained HTML file with inline CSS and SVG, no script, no network.

The template holds the words and the order; what it shows is put together here, so that every figure
on the page comes from the report and through `text`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from encbench.api.overheadreport import Row
from encbench.api.testbed import Arm
from encbench.report import plots, tables, text
from encbench.report.document import Block, Group, Headline, Report, TrialView
from encbench.report.tables import Column, Section

_TEMPLATES = Path(__file__).parent / "templates"

VERDICTS = {
    "Overhead": "costs more than the margin",
    "Equivalent": "no difference beyond the margin",
    "Inconclusive": "Cannot tell",
    "NoData": "No data",
    "NoiseFloor": "Nothing to compare",
    "Baseline": "",
}
"""What each verdict means, in a few words."""

SHAPES = "●■◆▲▼✚✖"
"""The characters of `plots.MARKERS`, in its order."""


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
    mode: str
    figure: str
    interval: str
    unit: str
    stats: tuple[Stat, ...]


@dataclass(frozen=True)
class Chart:
    """A plot with what it shows."""

    title: str
    svg: str


@dataclass(frozen=True)
class Compared:
    """The tables of one treatment."""

    title: str
    why: tuple[str, ...]
    tables: tuple[tuple[str, list[Column]], ...]
    """By what they are about."""


@dataclass(frozen=True)
class Legend:
    """How an arm is drawn."""

    name: str
    role: str
    shape: str
    colour: str


@dataclass(frozen=True)
class Result:
    """One workload on one instance."""

    title: str
    setup: str
    legend: tuple[Legend, ...]
    overhead: Chart | None
    charts: tuple[Chart, ...]
    compared: tuple[Compared, ...]


@dataclass(frozen=True)
class BlockLine:
    """One block: its trials in order, and each treatment's loss within it."""

    block: Block
    trials: tuple[TrialView, ...]
    losses: tuple[str, ...]


@dataclass(frozen=True)
class Course:
    """How one condition went: the control, the trials over time, the blocks."""

    title: str
    legend: tuple[Legend, ...]
    group: Group
    control: Row | None
    treatments: tuple[str, ...]
    timeline: str
    lines: tuple[BlockLine, ...]
    digits: int


def page(report: Report) -> str:
    """The report as HTML."""
    import jinja2  # noqa: PLC0415 - only a rendering pays for it

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["svg"] = _trusted
    environment.filters["spans"] = _spans
    return environment.get_template("page.html.j2").render(
        report=report,
        text=text,
        verdicts=VERDICTS,
        css=_trusted((_TEMPLATES / "page.css").read_text(encoding="utf-8")),
        answers=[_answer(report, headline) for headline in report.headlines],
        results=[
            _result(report, section, number)
            for number, section in enumerate(tables.sections(report))
        ],
        courses=[_course(report, group, n) for n, group in enumerate(report.groups)],
        serious=[caveat for caveat in report.caveats if caveat.weight == "serious"],
        bad=[trial for trial in report.trials if trial.outcome != "Succeeded"],
    )


def _spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The groups of columns in order, each with how many columns it spans."""
    return [(name, len(list(found))) for name, found in groupby(columns, key=lambda c: c.group)]


def _trusted(source: str) -> str:
    """Markup of our own making: plots, whose labels are escaped, and the style sheet."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2

    return Markup(source)  # noqa: S704 - see above


def _answer(report: Report, headline: Headline) -> Answer:
    group = _group_of(report, headline)
    arms = [arm for arm in report.treatments if arm.name == headline.arm]
    mode = report.resolved.modes.get(arms[0].mode_ref) if arms else None
    loss = headline.loss
    stats: list[Stat] = []
    if group is not None:
        row = group.row(headline.arm)
        if headline.verdict == "Inconclusive" and loss is not None:
            stats.append(Stat("measured loss", text.percent(loss.estimate), text.bounds(loss)))
        for name, interval in (
            ("CPU per transaction", row.cpu_per_transaction_overhead),
            ("average latency", row.latency_average_overhead),
            ("95th percentile", row.latency_p95_overhead),
        ):
            if interval is not None:
                value = text.signed_percent(interval.estimate)
                stats.append(Stat(name, value, text.bounds(interval)))
        stats.append(Stat("noise floor", f"±{text.percent(group.noise_floor)}"))
        stats.append(Stat("valid blocks", f"{group.counted_blocks:,}"))
    known = headline.verdict in ("Overhead", "Equivalent") and loss is not None
    return Answer(
        headline=headline,
        mode=text.spelled(mode, "plaintext") if mode else "",
        figure=text.percent(loss.estimate) if known and loss else VERDICTS[headline.verdict],
        interval=text.bounds(loss) if known else "",
        unit="of TPS" if known else "",
        stats=tuple(stats),
    )


def _group_of(report: Report, headline: Headline) -> Group | None:
    own = (headline.instance, headline.workload, headline.concurrency)
    groups = (g for g in report.groups if (g.instance, g.workload, g.concurrency) == own)
    return next((g for g in groups if g.comparison(headline.arm) is not None), None)


def _result(report: Report, section: Section, number: int) -> Result:
    workload = report.resolved.workloads[section.workload]
    instance = report.resolved.instances[section.instance]
    load = f"warm-up {workload.load.warmup}, measured {workload.load.duration}"
    measured = any(group.counted_blocks for group in section.groups)
    charts = []
    if measured:
        for title, field, unit in (
            ("Server CPU per transaction", "database_cpu_ms_per_transaction", "ms / transaction"),
            ("Average latency", "latency_average_ms", "ms"),
            ("95th percentile of latency", "latency_p95_ms", "ms"),
        ):
            name = f"r{number}-{field.split('_')[1]}"
            charts.append(Chart(title, plots.by_arm(section, report.trials, field, unit, name)))
    overhead = None
    if section.treatments and measured:
        drawing = plots.overhead(section, report.spec.margin, f"r{number}-overhead")
        overhead = Chart("Loss of TPS by concurrency", drawing)
    return Result(
        title=f"{section.workload} on {section.instance}",
        setup=f"{instance.engine} {instance.version}, {instance.resources.cpu} CPU, "
        f"{instance.resources.memory}, volume {instance.storage.size}; {load}",
        legend=_legend(section.arms),
        overhead=overhead,
        charts=tuple(charts),
        compared=tuple(_compared(section, arm.name) for arm in section.treatments),
    )


def _legend(arms: Sequence[Arm]) -> tuple[Legend, ...]:
    return tuple(
        Legend(arm.name, arm.role, SHAPES[n % len(SHAPES)], plots.variable(n))
        for n, arm in enumerate(arms)
    )


def _compared(section: Section, arm: str) -> Compared:
    treated = next(a for a in section.treatments if a.name == arm)
    lines, plain = section.lines(treated), section.baseline.name
    found = [("Throughput", tables.throughput(lines, plain, arm))]
    if any(line.comparison.blocks for line in lines):
        found.append(("Latency", tables.latency(lines, plain, arm)))
        found.append(("CPU", tables.cpu(lines, plain, arm)))
    return Compared(
        title=f"{arm} against {plain}",
        why=tuple(
            f"{text.plural(line.group.concurrency, 'thread')}: {line.comparison.verdict}, because "
            f"{line.comparison.why}."
            for line in lines
            if line.comparison.verdict != "Overhead"
        ),
        tables=tuple(found),
    )


def _course(report: Report, group: Group, number: int) -> Course:
    trials = {trial.name: trial for trial in report.trials}
    threads = text.plural(group.concurrency, "thread")
    treatments = tuple(arm.name for arm in group.arms if arm.role == "treatment")
    return Course(
        title=f"{group.workload} at {threads} on {group.instance}",
        legend=_legend(group.arms),
        group=group,
        control=next((row for row in group.rows if row.role == "control"), None),
        treatments=treatments,
        timeline=plots.timeline(group, report.trials, f"t{number}") if group.blocks else "",
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

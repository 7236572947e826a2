"""The page: one self-contained HTML file with inline CSS and SVG, no script, no network.

The template holds the words and the order; what it shows is put together here, so that every figure
on the page comes from the report and through `text`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.overheadreport import Row
from encbench.api.testbed import Arm
from encbench.api.workload import WorkloadSpec
from encbench.report.document import (
    Block,
    Comparison,
    Group,
    Report,
    TrialView,
)
from encbench.report.formats import cards, layertables, plots, tables
from encbench.report.formats.markdown import LAYERS
from encbench.report.formats.tables import Column, Section
from encbench.report.words import conduct, text
from encbench.text.lines import unbroken

_TEMPLATES = Path(__file__).parent / "templates"

SHAPES = "●■◆▲▼✚✖"
"""The characters of `plots.MARKERS`, in its order."""


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
    judged: list[Column]
    """How each figure under each condition was judged."""


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
    has_margin: bool
    has_floor: bool
    charts: tuple[Chart, ...]
    distributions: tuple[Chart, ...]
    compared: tuple[Compared, ...]
    layers: tuple[tuple[str, list[Column]], ...]
    """What each layer of column encryption costs; empty where no mode has one."""


@dataclass(frozen=True)
class Glance:
    """One condition in the table of all, and its comparison with each treatment that it has."""

    group: Group
    cells: tuple[Comparison | None, ...]


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
        unbroken=unbroken,
        verdicts=cards.VERDICTS,
        css=_trusted((_TEMPLATES / "page.css").read_text(encoding="utf-8")),
        answers=[cards.answer(report, headline) for headline in report.headlines],
        results=[
            _result(report, section, number)
            for number, section in enumerate(tables.sections(report))
        ],
        glances=_glances(report),
        how_layers=LAYERS,
        studies=[(found.title, layertables.study(found)) for found in report.studies],
        shares=[layertables.share(one) for one in report.encrypted_columns],
        columns=layertables.columns(report.encrypted_columns),
        plan=conduct.plan(report),
        disturbances=conduct.disturbances(report),
        used=list(dict.fromkeys(c.verdict for g in report.groups for c in g.comparisons)),
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


def _glances(report: Report) -> list[Glance]:
    """All conditions in the order of the plan; none where the cards say it all."""
    if len(report.groups) * len(report.treatments) <= len(report.headlines):
        return []
    return [
        Glance(group, tuple(group.comparison(arm.name) for arm in report.treatments))
        for group in report.groups
    ]


def _result(report: Report, section: Section, number: int) -> Result:
    workload = report.resolved.workloads[section.workload]
    instance = report.resolved.instances[section.instance]
    measured = any(group.counted_blocks for group in section.groups)
    return Result(
        title=f"{section.workload} on {section.instance}",
        setup="; ".join((*_machine(instance), *_load(workload, section))),
        legend=_legend(section.arms),
        has_margin=bool(section.treatments) and measured,
        has_floor=any(group.noise_floor is not None for group in section.groups),
        charts=tuple(_charts(report, section, number)) if measured else (),
        distributions=tuple(_distributions(section, number)),
        compared=tuple(_compared(section, arm.name) for arm in section.treatments),
        layers=tuple(_layers(section)),
    )


def _layers(section: Section) -> Iterable[tuple[str, list[Column]]]:
    place = f"{section.workload} on {section.instance}"
    if found := layertables.layers(section.groups):
        yield f"Column encryption by layer, {place}", found
        yield f"CPU by layer, {place}", layertables.cpu(section.groups)


def _machine(instance: InstanceTemplateSpec) -> Iterable[str]:
    parts = [f"{instance.engine} {instance.version}"]
    if instance.external is not None:
        parts.append("run by somebody else")
    if instance.resources is not None:
        parts.append(f"{instance.resources.cpu} CPU, {instance.resources.memory}")
    if instance.storage is not None:
        parts.append(f"volume {instance.storage.size}")
    yield ", ".join(parts)


def _load(workload: WorkloadSpec, section: Section) -> Iterable[str]:
    yield f"warm-up {workload.load.warmup}, measured {workload.load.duration}"
    offered = {group.offered_tps: group for group in section.groups if group.offered_tps}
    for tps, group in offered.items():
        rate = f"{text.number(tps, text.rate_digits([tps]))} TPS offered"
        if group.equal_work:
            yield f"{rate}; every arm kept up: CPU per transaction is the cost at equal work"
        else:
            yield f"{rate}; not every arm kept up"


def _charts(report: Report, section: Section, number: int) -> Iterable[Chart]:
    """What each treatment changes, then what a transaction costs in each arm."""
    if section.treatments:
        for effect in plots.EFFECTS:
            if any(getattr(row, effect.field) for group in section.groups for row in group.rows):
                name = f"r{number}-{effect.figure}"
                drawing = plots.effect(section, effect, report.spec.margin, name)
                yield Chart(effect.title, drawing)
    field, name = "database_cpu_ms_per_transaction", f"r{number}-cpu"
    if any(getattr(row, field) is not None for group in section.groups for row in group.rows):
        drawing = plots.by_arm(section, report.trials, field, "ms / transaction", name)
        yield Chart("Server CPU per transaction, every trial", drawing)
    highest = section.groups[-1]
    if highest.latency:
        yield _percentiles(highest, f"r{number}-p{highest.concurrency}")


def _distributions(section: Section, number: int) -> Iterable[Chart]:
    """Latency percentiles below the highest concurrency, which stands among the charts."""
    for group in section.groups[:-1]:
        if group.latency:
            yield _percentiles(group, f"r{number}-p{group.concurrency}")


def _percentiles(group: Group, name: str) -> Chart:
    threads = text.plural(group.concurrency, "thread")
    return Chart(f"Latency by percentile at {threads}", plots.percentiles(group, name))


def _legend(arms: Sequence[Arm]) -> tuple[Legend, ...]:
    return tuple(
        Legend(arm.name, arm.role, SHAPES[n % len(SHAPES)], plots.variable(n))
        for n, arm in enumerate(arms)
    )


def _compared(section: Section, arm: str) -> Compared:
    treated = next(a for a in section.treatments if a.name == arm)
    lines, plain = section.lines(treated), section.baseline.name
    found = [("Throughput", tables.throughput(lines, plain, arm))]
    if section.is_recovery:
        found = [("Recovery", tables.recovery(lines, plain, arm))]
    elif any(line.comparison.blocks for line in lines):
        found.append(("Latency", tables.latency(lines, plain, arm)))
        found.append(("CPU", tables.cpu(lines, plain, arm)))
        found.append(("Disk", tables.disk(lines, plain, arm)))
        found.append(("Client, one replica", tables.client(lines, plain, arm)))
    return Compared(
        title=f"{arm} against {plain}",
        why=tuple(
            f"{text.plural(line.group.concurrency, 'thread')}: {line.comparison.verdict}, because "
            f"{line.comparison.why}."
            for line in lines
            if line.comparison.verdict != "Overhead"
        ),
        tables=tuple(found),
        judged=tables.judged(lines),
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

"""What the page shows of conditions: their results together, and how each of them went."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from encbench.report.document import Report
from encbench.report.document.group import Group
from encbench.report.document.trial import Block, TrialView
from encbench.report.figures import JUDGED, RECOVERY
from encbench.report.formats import layertables, tables, turntables
from encbench.report.formats.plots import (
    Legend,
    by_arm,
    effect,
    is_wide,
    legend,
    percentiles,
    timeline,
)
from encbench.report.formats.sections import Section, Versus, sections
from encbench.report.formats.tables import TableColumn, Titled
from encbench.report.words import text
from encbench.text.words import capitalised, listed, plural

Chart = tuple[str, str]
"""A title and the plot as SVG."""


@dataclass(frozen=True)
class TreatmentTables:
    """The tables of one treatment."""

    title: str
    why: tuple[str, ...]
    tables: tuple[Titled, ...]
    """Each with its subject."""
    judgements: list[TableColumn]
    """How each figure under each condition was judged."""


@dataclass(frozen=True)
class ResultSection:
    """One workload on one instance."""

    title: str
    setup: str
    legend: tuple[Legend, ...]
    has_margin: bool
    has_floor: bool
    wide_charts: tuple[Chart, ...]
    """Plots of many points, each of which has the width of the page."""
    charts: tuple[Chart, ...]
    distributions: tuple[Chart, ...]
    """Latency percentiles below the highest concurrency, which is among the charts."""
    compared: tuple[TreatmentTables, ...]
    layers: tuple[Titled, ...]
    """What each layer of column encryption costs; empty where no mode has one."""
    interleaved: tuple[Titled, ...]
    """What turns may have done to the figures; empty where blocks are sequential."""


def results(report: Report) -> list[ResultSection]:
    """In the order of the plan."""
    return [_result(report, section, number) for number, section in enumerate(sections(report))]


def _result(report: Report, section: Section, number: int) -> ResultSection:
    setup = (*_machine(report, section), *_load(report, section))
    measured = any(group.counted_blocks for group in section.groups)
    plots = tuple(_plots(report, section, number)) if measured else ()
    highest = tuple(_percentiles(section.groups[-1:], number)) if measured else ()
    wide = is_wide(section)
    return ResultSection(
        title=section.place,
        setup="; ".join(setup),
        legend=legend(section.first.arms),
        has_margin=bool(section.first.treatments) and measured,
        has_floor=any(group.noise_floor is not None for group in section.groups),
        wide_charts=plots if wide else (),
        charts=highest if wide else (*plots, *highest),
        distributions=tuple(_percentiles(section.groups[:-1], number)),
        compared=tuple(_compared(versus) for versus in section.compared),
        layers=tuple(_layers(section)),
        interleaved=tuple(
            (f"{title}, {section.place}", columns)
            for title, columns in turntables.interleaved(section.groups, section.margin)
        ),
    )


def _layers(section: Section) -> Iterable[Titled]:
    if found := layertables.layers(section.groups, section.margin):
        yield f"Column encryption by layer, {section.place}", found
        yield f"CPU by layer, {section.place}", layertables.cpu(section.groups, section.margin)


def _machine(report: Report, section: Section) -> Iterable[str]:
    instance = report.resolved.instances[section.first.instance]
    parts = [f"{instance.engine} {instance.version}"]
    if instance.external is not None:
        parts.append("external")
    if instance.resources is not None:
        parts.append(f"{instance.resources.cpu} CPU, {instance.resources.memory}")
    if instance.storage is not None:
        parts.append(f"volume {instance.storage.size}")
    yield ", ".join(parts)


def _load(report: Report, section: Section) -> Iterable[str]:
    load = report.resolved.workloads[section.first.workload].load
    turns = report.spec.blocks.interleave
    measured = load.duration
    if turns is not None:
        counted = turns.slice_seconds - turns.settle_seconds
        measured = f"{plural(turns.rounds, 'slice')} of {counted:g} s in each block"
    yield f"warm-up {load.warmup}, measured {measured}"
    tps = section.first.offered_tps
    if tps is not None:
        yield f"{text.number(tps, text.rate_digits([tps]))} TPS offered"
        # What a recovery costs is its time.
        cost = "" if section.is_recovery else ": CPU per transaction is the cost at equal work"
        yield from _kept_up(section.groups, cost)
    if section.first.paced:
        yield "keying and think times pace it: the cost is CPU per transaction"


def _kept_up(groups: Sequence[Group], cost: str) -> Iterable[str]:
    """At which concurrency every arm kept up with the offered rate; nothing where none is known."""
    words = {True: f"every arm kept up{{}}{cost}", False: "not every arm kept up{}"}
    for kept_up, said in words.items():
        own = [group for group in groups if group.kept_up is kept_up]
        if own:
            *others, last = (group.concurrency for group in own)
            threads = listed((*(f"{one:,}" for one in others), plural(last, "thread")))
            yield said.format("" if len(own) == len(groups) else f" at {threads}")


def _plots(report: Report, section: Section, number: int) -> Iterable[Chart]:
    """What each treatment changes, then the cost of a transaction in each arm."""
    rows = [row for group in section.groups for row in group.rows]
    if section.first.treatments:
        for figure in JUDGED.values():
            if any(getattr(row, figure.overhead) for row in rows):
                drawing = effect(section, figure, f"r{number}-{figure.key}")
                yield capitalised(figure.effect), drawing
    field, name = "database_side_cpu_ms_per_transaction", f"r{number}-cpu"
    if any(getattr(row, field) is not None for row in rows):
        drawing = by_arm(section, report.trials, field, "ms / transaction", name)
        # A mean that differed from the one in the table would be one more figure to explain.
        pooled = any(group.added_blocks for group in section.groups)
        shown = "trials of this campaign, mean of all blocks" if pooled else "trials and their mean"
        yield f"CPU per transaction: {shown}", drawing


def _percentiles(groups: Sequence[Group], number: int) -> Iterable[Chart]:
    for group in groups:
        if group.latency:
            title = f"Latency by percentile at {plural(group.concurrency, 'thread')}"
            yield title, percentiles(group, f"r{number}-p{group.concurrency}")


def _compared(versus: Versus) -> TreatmentTables:
    first, *others = tables.compared(versus)
    measured = any(line.comparison.blocks for line in versus.lines)
    return TreatmentTables(
        title=versus.title,
        why=tuple(line.why for line in versus.lines if line.comparison.verdict != "Overhead"),
        tables=(first, *(others if measured else ())),
        judgements=tables.judgements(versus),
    )


@dataclass(frozen=True)
class ConditionTimeline:
    """How one condition went: the trials over time, the blocks."""

    title: str
    legend: tuple[Legend, ...]
    group: Group
    treatments: tuple[str, ...]
    svg: str
    lines: tuple[tuple[Block, list[TrialView], list[str]], ...]
    """Each block with its trials in order, and each treatment's loss within it."""
    digits: int
    effect: str
    """What the condition is judged by, such as the loss of TPS."""
    lost: int
    """Trials that ended and have no record in the bucket."""


def timelines(report: Report) -> list[ConditionTimeline]:
    """One for each condition, in the order of the plan."""
    return [_timeline(report, group, number) for number, group in enumerate(report.groups)]


def _timeline(report: Report, group: Group, number: int) -> ConditionTimeline:
    trials = {trial.name: trial for trial in report.trials}
    # What happens to TPS before a stop is not judged.
    judged = () if JUDGED[group.primary] is RECOVERY else group.treatments
    treatments = tuple(arm.name for arm in judged)
    drawing = ""
    if group.blocks:
        drawing = timeline(group, report.trials, report.spec.blocks, f"t{number}")
    by_block = [(block, [trials[name] for name in block.trials]) for block in group.blocks]
    return ConditionTimeline(
        title=group.place,
        legend=legend(group.arms),
        group=group,
        treatments=treatments,
        svg=drawing,
        lines=tuple((block, own, _losses(group, own, treatments)) for block, own in by_block),
        digits=text.rate_digits(row.tps for row in group.rows),
        effect=JUDGED[group.primary].effect,
        lost=sum(group.has(trial) for trial in report.unrecorded),
    )


def _losses(group: Group, trials: Sequence[TrialView], treatments: Sequence[str]) -> list[str]:
    """Of TPS in one block, against the geometric mean of A and A′ as everywhere."""
    tps = {trial.arm: trial.tps for trial in trials}
    plain = [tps.get(arm.name) for arm in group.arms if arm.role in ("baseline", "control")]
    known = [one for one in plain if one is not None]
    if not known or len(known) < len(plain):
        return [text.ABSENT for _ in treatments]
    mean = geometric_mean(known)
    own = (tps.get(arm) for arm in treatments)
    return [text.ABSENT if one is None else text.percent(1 - one / mean) for one in own]

"""The report as Markdown: it fits an issue, a wiki or a pull request.

GitHub takes 65,536 characters as the description of a pull request, and more as an issue. Of a
larger report what a reader misses least is left out, the same of all conditions, and a line names
it.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from encbench.core.records import IndexTrial
from encbench.core.statistics.rounds import ENOUGH_BLOCKS
from encbench.report.document import Report
from encbench.report.figures import ON_CLIENT, ON_CPU, ON_DISK, ON_LATENCY
from encbench.report.formats import layertables, pooled, tables, turntables
from encbench.report.formats.sections import Section, Versus, sections
from encbench.report.formats.tables import TableColumn
from encbench.report.words import conduct, judgement, text
from encbench.text.markdown import escaped, table
from encbench.text.words import listed, plural

LIMIT = 64_000
"""Characters; what is left of GitHub's is for the title, and for words of one's own."""
BY_LAYER, LAYER_CPU = "Column encryption by layer", "CPU by layer"
PUBLISHED, WHY = "As published studies show it", "Why there is no verdict"
STUDIES, COLUMNS = "In the shape of the published studies", "Which columns are encrypted"
TURNS, POOLED = "Interleaved blocks", "Changes by campaign"
NOISE, INVALID = "Noise floor and blocks", "Trials that do not count"
FIRST_OUT = (
    *(ON_CLIENT, ON_DISK, COLUMNS, TURNS, PUBLISHED, LAYER_CPU, STUDIES, POOLED),
    *(INVALID, ON_CPU, ON_LATENCY, NOISE, WHY, BY_LAYER),
)
"""What a report that is too long leaves out, in this order."""
LAST_OUT = "the first tables of the last conditions"
"""What it leaves out then, one by one: TPS or recovery time, and the verdict."""
LAYERS = (
    "Each arm against the one that has the same layers without its uppermost: log-ratios within "
    "blocks, so that what is left multiplies, (1 − hop)(1 − driver)(1 − encryption) = 1 − the "
    "whole. Verdicts are corrected for the number of steps (Holm)."
)
"""How to read the tables by layer; the page shows it as well."""


def intervals(report: Report) -> str:
    """What every interval is; the page shows it as well."""
    blocks, over = report.spec.blocks, "over blocks, each block one trial of every arm"
    if blocks.interleave is not None:
        over = "over interleaved blocks"
        if not blocks.per_testbed:
            over += (
                f", or batches of their rounds where there are fewer than {ENOUGH_BLOCKS} blocks"
            )
    if blocks.per_testbed > 1:
        over = "over sets of testbeds, each with the mean of its blocks"
    said = f"Intervals are paired Student's intervals of ln ratios at 95 %, {over}."
    comparisons = (comparison for group in report.groups for comparison in group.comparisons)
    if not any(finding.placement for one in comparisons for finding in one.findings):
        return said
    return (
        f"{said} A placement interval, at 90 %, is what the luck of one testbed each leaves open; "
        "a verdict needs both on its side."
    )


class Passage(NamedTuple):
    """A paragraph, a heading or a table."""

    text: str
    of: str = ""
    """What it is left out with; empty for what always stays."""


def markdown(report: Report) -> str:
    """The headlines, the tables in the published shape, and the caveats."""
    body = [*_body(report)]
    out = dict.fromkeys(_too_much(body))
    names = dict.fromkeys(body[place].of for place in out)
    kept = (part.text for place, part in enumerate(body) if place not in out)
    return "\n\n".join((*_head(report), *_left_out(names), *kept)) + "\n"


def _too_much(body: Sequence[Passage]) -> list[int]:
    """The places of the parts that are left out."""
    room, out = LIMIT - sum(map(_size, body)), list[list[int]]()
    for unit in _units(body):
        if room >= 0:
            break
        room += _size_of(body, unit)
        out.append(unit)
    back = _given_back(body, out, room)
    return [place for unit in out if unit not in back for place in unit]


def _given_back(
    body: Sequence[Passage], out: Sequence[list[int]], room: int
) -> Sequence[list[int]]:
    """Of what was left out, all that a larger one after it made room for; the last out first."""
    found = list[list[int]]()
    for unit in reversed(out):
        # Those of the last conditions go without a gap.
        by_name = all(body[place].of != LAST_OUT for place in unit)
        if by_name and _size_of(body, unit) <= room:
            room -= _size_of(body, unit)
            found.append(unit)
    return found


def _size_of(body: Sequence[Passage], unit: Iterable[int]) -> int:
    return sum(_size(body[place]) for place in unit)


def _units(body: Sequence[Passage]) -> Iterable[list[int]]:
    """What is left out together, in that order."""
    for name in FIRST_OUT:
        yield [place for place, part in enumerate(body) if part.of == name]
    for place in reversed(range(len(body))):
        if body[place].of == LAST_OUT:
            yield [place]


def _size(part: Passage) -> int:
    return len(part.text) + 2


def _head(report: Report) -> Iterable[str]:
    name = f"{report.campaign.namespace}/{report.campaign.name}"
    yield f"# Overhead report: {escaped(name)}"
    yield f"Generated {report.generated_time} from {plural(len(report.trials), 'trial')}."


def _left_out(names: Collection[str]) -> Iterable[str]:
    if names:
        shown = [name if name == LAST_OUT else f'"{name}"' for name in names]
        yield (
            "Left out, because GitHub takes no longer text with a pull request: "
            f"{listed(shown)}. `report.html` beside this file has their figures."
        )


def _body(report: Report) -> Iterable[Passage]:
    yield from (Passage(f"**{h.verdict}**: {escaped(h.text)}") for h in report.headlines)
    yield from (part for section in sections(report) for part in _section(section))
    yield from _pooled(report)
    yield from _studies(report)
    yield from _columns(report)
    yield from _invalid(report)
    yield from map(Passage, _caveats(report))
    yield from map(Passage, _conduct(report))


def _conduct(report: Report) -> Iterable[str]:
    yield "## How it was measured"
    yield f"{escaped(conduct.plan(report))}."
    if report.treatments:
        yield text.meaning(report.spec.margin)
    yield "## Where it comes from"
    yield (
        f"Bucket `{report.storage.bucket}`, prefix `{report.storage.prefix}`; index "
        f"`{report.index.key}`\nwith digest `{report.index.digest}`."
    )
    yield (
        "TPS, latency and CPU per transaction are geometric means over the valid blocks, so that "
        "each loss and increase follows from the two figures beside it; CPU in percent is an "
        "arithmetic mean: of the limit for server and client, of all cores for the node; so is "
        "what was read from the disk and written to it. Figures of the baseline are those of both "
        f"its arms. {intervals(report)} Each holds for itself; verdicts are corrected for the "
        "number of modes (Holm). The noise floor is the largest absolute bound of the paired 95 % "
        "interval of the baseline mode against itself, by arm or by testbed."
    )


def _section(section: Section) -> Iterable[Passage]:
    place = escaped(section.place)
    if not section.first.treatments:
        yield Passage(f"## {place}")
    for versus in section.compared:
        yield from _compared(section, versus)
    layers = layertables.layers(section.groups, section.margin)
    if layers:
        yield Passage(f"## {BY_LAYER}, {place}", BY_LAYER)
        yield Passage(LAYERS, BY_LAYER)
        yield Passage(drawn(layers), BY_LAYER)
        yield Passage(f"### {LAYER_CPU}", LAYER_CPU)
        yield Passage(drawn(layertables.cpu(section.groups, section.margin)), LAYER_CPU)
    turns = turntables.interleaved(section.groups, section.margin)
    if turns:
        yield Passage(f"## {TURNS}, {place}", TURNS)
        yield Passage(turntables.HOW, TURNS)
    for title, columns in turns:
        yield Passage(f"### {title}", TURNS)
        yield Passage(drawn(columns), TURNS)
    yield Passage(f"### {NOISE}, {place}", NOISE)
    yield Passage(drawn(tables.noise(section.groups, section.margin)), NOISE)


def _compared(section: Section, versus: Versus) -> Iterable[Passage]:
    (_, first), *others = tables.compared(versus)
    yield Passage(f"## {escaped(versus.title)}, {escaped(section.place)}")
    yield Passage(drawn(first), LAST_OUT)
    for line in versus.lines:
        if line.comparison.verdict in ("Inconclusive", "NoData"):
            yield Passage(f"- {escaped(line.why)}", WHY)
    if not section.is_recovery:
        yield Passage(f"### {PUBLISHED}", PUBLISHED)
        yield Passage(drawn(tables.published(versus)), PUBLISHED)
    for heading, columns in others:
        yield Passage(f"### {heading}", heading)
        yield Passage(drawn(columns), heading)


def _pooled(report: Report) -> Iterable[Passage]:
    if report.pooling is not None:
        yield Passage(f"## {escaped(pooled.title(report.pooling))}")
        yield Passage(escaped(pooled.words(report, report.pooling)))
        if any(group.pooled for group in report.groups):
            yield Passage(drawn(pooled.compared(report, report.pooling)), POOLED)


def _studies(report: Report) -> Iterable[Passage]:
    if report.studies:
        yield Passage(f"## {STUDIES}", STUDIES)
        yield Passage(
            "Headers are those of the published tables, computed columns follow from the figures "
            "beside them; each lies in the bucket as `report/study-<name>.csv`.",
            STUDIES,
        )
    for found in report.studies:
        yield Passage(f"### {escaped(found.title)}", STUDIES)
        yield Passage(drawn(layertables.study(found)), STUDIES)


def _columns(report: Report) -> Iterable[Passage]:
    if report.encrypted_columns:
        yield Passage(f"## {COLUMNS}")
        shares = (layertables.share(one) for one in report.encrypted_columns)
        yield Passage("\n".join(f"- {escaped(share)}" for share in shares))
        yield Passage(drawn(layertables.columns(report.encrypted_columns)), COLUMNS)


def _invalid(report: Report) -> Iterable[Passage]:
    if not report.invalid:
        return
    bad = [t for t in report.trials if t.outcome != "Succeeded"]
    rows = [(t.name, t.outcome, t.reason, t.message) for t in bad]
    rows += [(t.name, t.outcome, t.reason, _unrecorded(t)) for t in report.unrecorded]
    yield Passage(f"## {INVALID}")
    yield Passage(f"By arm: {escaped(judgement.by_arm(report.ended))}.")
    cells = ([name, outcome, reason or "", why or ""] for name, outcome, reason, why in rows)
    yield Passage(table(["trial", "outcome", "reason", "message"], cells, ()), INVALID)


def _unrecorded(trial: IndexTrial) -> str:
    """With what it ended with, which an index of an earlier release does not say."""
    return f"no record in the bucket{f': {trial.message}' if trial.message else ''}"


def _caveats(report: Report) -> Iterable[str]:
    if report.caveats:
        yield "## What could be wrong with this"
        yield "\n".join(f"- **{escaped(c.title)}.** {escaped(c.text)}" for c in report.caveats)


def drawn(columns: Sequence[TableColumn]) -> str:
    """The columns as a table."""
    rows = zip(*(column.cells for column in columns), strict=True)
    numeric = [n for n, column in enumerate(columns) if column.numeric]
    return table([*_heads(columns)], rows, numeric)


def _heads(columns: Sequence[TableColumn]) -> Iterable[str]:
    """One line of headings: `TPS: plain`, then `… tde` for the next column of that group."""
    before = ""
    for column in columns:
        is_next = column.group and column.group == before
        yield f"… {column.heading}" if is_next else column.title
        before = column.group

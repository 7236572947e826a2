"""The report as Markdown: it fits an issue, a wiki or a pull request."""

from collections.abc import Iterable, Sequence

from encbench.core.records import IndexTrial
from encbench.core.statistics.rounds import ENOUGH_BLOCKS
from encbench.report.document import Report
from encbench.report.formats import layertables, pooled, tables, turntables
from encbench.report.formats.sections import Section, sections
from encbench.report.formats.tables import TableColumn
from encbench.report.words import conduct, judgement, text
from encbench.text.markdown import escaped, table
from encbench.text.words import plural

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


def markdown(report: Report) -> str:
    """The headlines, the tables in the published shape, and the caveats."""
    name = f"{report.campaign.namespace}/{report.campaign.name}"
    parts = [
        f"# Overhead report: {escaped(name)}",
        f"Generated {report.generated_time} from {plural(len(report.trials), 'trial')}.",
        *(f"**{h.verdict}**: {escaped(h.text)}" for h in report.headlines),
        *(part for section in sections(report) for part in _section(section)),
        *_pooled(report),
        *_studies(report),
        *_columns(report),
        *_invalid(report),
        *_caveats(report),
        "## How it was measured",
        f"{escaped(conduct.plan(report))}.",
        *([text.meaning(report.spec.margin)] if report.treatments else []),
        "## Where it comes from",
        f"Bucket `{report.storage.bucket}`, prefix `{report.storage.prefix}`; index "
        f"`{report.index.key}`\nwith digest `{report.index.digest}`.",
        "TPS, latency and CPU per transaction are geometric means over the valid blocks, so that "
        "each loss and increase follows from the two figures beside it; CPU in percent is an "
        "arithmetic mean: of the limit for server and client, of all cores for the node; so is "
        "what was read from the disk and written to it. Figures of the baseline are those of both "
        f"its arms. {intervals(report)} Each holds for itself; verdicts are corrected for the "
        "number of modes (Holm). The noise floor is the largest absolute bound of the paired 95 % "
        "interval of the baseline mode against itself, by arm or by testbed.",
    ]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> Iterable[str]:
    place = escaped(section.place)
    if not section.first.treatments:
        yield f"## {place}"
    for versus in section.compared:
        yield f"## {escaped(versus.title)}, {place}"
        (_, first), *others = tables.compared(versus)
        yield drawn(first)
        for line in versus.lines:
            if line.comparison.verdict in ("Inconclusive", "NoData"):
                yield f"- {escaped(line.why)}"
        if not section.is_recovery:
            yield "### As published studies show it"
            yield drawn(tables.published(versus))
        for heading, columns in others:
            yield f"### {heading}"
            yield drawn(columns)
    layers = layertables.layers(section.groups, section.margin)
    if layers:
        yield f"## Column encryption by layer, {place}"
        yield LAYERS
        yield drawn(layers)
        yield "### CPU by layer"
        yield drawn(layertables.cpu(section.groups, section.margin))
    turns = turntables.interleaved(section.groups, section.margin)
    if turns:
        yield f"## Interleaved blocks, {place}"
        yield turntables.HOW
    for title, columns in turns:
        yield f"### {title}"
        yield drawn(columns)
    yield f"### Noise floor and blocks, {place}"
    yield drawn(tables.noise(section.groups, section.margin))


def _pooled(report: Report) -> Iterable[str]:
    if report.pooling is not None:
        yield f"## {escaped(pooled.title(report.pooling))}"
        yield escaped(pooled.words(report, report.pooling))
        if any(group.pooled for group in report.groups):
            yield drawn(pooled.compared(report, report.pooling))


def _studies(report: Report) -> Iterable[str]:
    if report.studies:
        yield "## In the shape of the published studies"
        yield (
            "Headers are those of the published tables, computed columns follow from the figures "
            "beside them; each lies in the bucket as `report/study-<name>.csv`."
        )
    for found in report.studies:
        yield f"### {escaped(found.title)}"
        yield drawn(layertables.study(found))


def _columns(report: Report) -> Iterable[str]:
    if report.encrypted_columns:
        yield "## Which columns are encrypted"
        shares = (layertables.share(one) for one in report.encrypted_columns)
        yield "\n".join(f"- {escaped(share)}" for share in shares)
        yield drawn(layertables.columns(report.encrypted_columns))


def _invalid(report: Report) -> Iterable[str]:
    if not report.invalid:
        return
    bad = [t for t in report.trials if t.outcome != "Succeeded"]
    rows = [(t.name, t.outcome, t.reason, t.message) for t in bad]
    rows += [(t.name, t.outcome, t.reason, _unrecorded(t)) for t in report.unrecorded]
    yield "## Trials that do not count"
    yield f"By arm: {escaped(judgement.by_arm(report.ended))}."
    cells = ([name, outcome, reason or "", why or ""] for name, outcome, reason, why in rows)
    yield table(["trial", "outcome", "reason", "message"], cells, ())


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
    return table([column.title for column in columns], rows, numeric)

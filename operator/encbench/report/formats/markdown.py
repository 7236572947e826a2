"""The report as Markdown, for an issue, a wiki or a pull request."""

from collections.abc import Iterable, Sequence

from encbench.report.document import Report
from encbench.report.formats import layertables, tables
from encbench.report.formats.tables import Column, Section
from encbench.report.words import conduct, text

LAYERS = (
    "Each arm against the one that has the same layers without its uppermost: log-ratios within "
    "blocks, so that what is left multiplies, (1 − hop)(1 − driver)(1 − encryption) = 1 − the "
    "whole. Verdicts are corrected for the number of steps (Holm)."
)
"""How the tables by layer are to be read; the page has it as well."""


def markdown(report: Report) -> str:
    """The headlines, the tables in the published shape, and what could be wrong with them."""
    name = f"{report.campaign.namespace}/{report.campaign.name}"
    parts = [
        f"# Overhead report: {_plain(name)}",
        f"Generated {report.generated_time} from {text.plural(len(report.trials), 'trial')}.",
        *(f"**{h.verdict}**: {_plain(h.text)}" for h in report.headlines),
        *(part for section in tables.sections(report) for part in _section(section)),
        *_studies(report),
        *_columns(report),
        *_invalid(report),
        *_caveats(report),
        "## How it was measured",
        f"{_plain(conduct.plan(report))}.",
        "## Where it comes from",
        f"Bucket `{report.storage.bucket}`, prefix `{report.storage.prefix}`; index "
        f"`{report.index.key}` with digest `{report.index.digest}`.",
        "TPS, latency and CPU per transaction are geometric means over the valid blocks, so that "
        "each loss and increase follows from the two figures beside it; CPU in percent is an "
        "arithmetic mean: of the limit for server and client, of all cores for the node; so is "
        "what was read from the disk and written to it. Intervals are Student's for ln ratios "
        "paired by block, each at 95 % for itself; verdicts are corrected for the number of modes "
        "(Holm). The noise floor is the largest absolute bound of the interval of the baseline "
        "mode against itself.",
    ]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> Iterable[str]:
    plain = section.baseline.name
    place = f"{section.workload} on {section.instance}"
    if not section.treatments:
        yield f"## {_plain(place)}"
    for arm in section.treatments:
        lines = section.lines(arm)
        yield f"## {_plain(f'{arm.name} against {plain}, {place}')}"
        first = tables.recovery if section.is_recovery else tables.throughput
        yield table(first(lines, plain, arm.name))
        for line in lines:
            if line.comparison.verdict in ("Inconclusive", "NoData"):
                threads, found = text.plural(line.group.concurrency, "thread"), line.comparison
                yield f"- {threads}: {found.verdict}, because {_plain(found.why)}."
        if section.is_recovery:
            continue
        yield "### As published studies show it"
        yield table(tables.published(lines, plain, arm.name))
        yield "### Latency"
        yield table(tables.latency(lines, plain, arm.name))
        yield "### CPU"
        yield table(tables.cpu(lines, plain, arm.name))
        yield "### Disk"
        yield table(tables.disk(lines, plain, arm.name))
        yield "### Client, one replica"
        yield table(tables.client(lines, plain, arm.name))
    layers = layertables.layers(section.groups)
    if layers:
        yield f"## Column encryption by layer, {_plain(place)}"
        yield LAYERS
        yield table(layers)
        yield "### CPU by layer"
        yield table(layertables.cpu(section.groups))
    yield f"### Noise floor and blocks, {_plain(place)}"
    yield table(tables.noise(section.groups))


def _studies(report: Report) -> Iterable[str]:
    if report.studies:
        yield "## In the shape of the published studies"
        yield (
            "Headers are those of the published tables, computed columns follow from the figures "
            "beside them; each lies in the bucket as `report/study-<name>.csv`."
        )
    for found in report.studies:
        yield f"### {_plain(found.title)}"
        yield table(layertables.study(found))


def _columns(report: Report) -> Iterable[str]:
    if report.encrypted_columns:
        yield "## Which columns are encrypted"
        shares = (layertables.share(one) for one in report.encrypted_columns)
        yield "\n".join(f"- {_plain(share)}" for share in shares)
        yield table(layertables.columns(report.encrypted_columns))


def _invalid(report: Report) -> Iterable[str]:
    if not report.invalid:
        return
    bad = [t for t in report.trials if t.outcome != "Succeeded"]
    rows = [(t.name, t.outcome, t.reason, t.message) for t in bad]
    rows += [(t.name, t.outcome, t.reason, "no record in the bucket") for t in report.unrecorded]
    yield "## Trials that do not count"
    yield table(
        [
            Column("", "trial", tuple(row[0] for row in rows), numeric=False),
            Column("", "outcome", tuple(row[1] for row in rows), numeric=False),
            Column("", "reason", tuple(row[2] or "" for row in rows), numeric=False),
            Column("", "message", tuple(row[3] or "" for row in rows), numeric=False),
        ]
    )


def _caveats(report: Report) -> Iterable[str]:
    if report.caveats:
        yield "## What could be wrong with this"
        yield "\n".join(f"- **{_plain(c.title)}.** {_plain(c.text)}" for c in report.caveats)


def table(columns: Sequence[Column]) -> str:
    """A table in GitHub's Markdown, numbers to the right."""
    heads = [_plain(column.title) for column in columns]
    rule = ["---:" if column.numeric else "---" for column in columns]
    body = zip(*(column.cells for column in columns), strict=True)
    rows = (heads, rule, *([_plain(cell) for cell in row] for row in body))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _plain(value: str) -> str:
    """Text in which nothing is taken for markup."""
    for mark in ("\\", "|", "*", "_", "<", "`"):
        value = value.replace(mark, f"\\{mark}")
    return value.replace("](", "]\\(").replace("\n", " ")

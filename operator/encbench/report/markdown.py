"""The report as Markdown, for an issue, a wiki or a pull request."""

from collections.abc import Iterable, Sequence

from encbench.report import tables, text
from encbench.report.document import Report
from encbench.report.tables import Column, Section


def markdown(report: Report) -> str:
    """The headlines, the tables in the published shape, and what could be wrong with them."""
    name = f"{report.campaign.namespace}/{report.campaign.name}"
    parts = [
        f"# Overhead report: {_plain(name)}",
        f"Generated {report.generated_time} from {text.plural(len(report.trials), 'trial')}.",
        *(f"**{h.verdict}**: {_plain(h.text)}" for h in report.headlines),
        *(part for section in tables.sections(report) for part in _section(section)),
        *_invalid(report),
        *_caveats(report),
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
        yield table(tables.throughput(lines, plain, arm.name))
        for line in lines:
            if line.comparison.verdict in ("Inconclusive", "NoData"):
                threads, found = text.plural(line.group.concurrency, "thread"), line.comparison
                yield f"- {threads}: {found.verdict}, because {_plain(found.why)}."
        yield "### Latency"
        yield table(tables.latency(lines, plain, arm.name))
        yield "### CPU"
        yield table(tables.cpu(lines, plain, arm.name))
        yield "### Disk"
        yield table(tables.disk(lines, plain, arm.name))
        yield "### Client, one replica"
        yield table(tables.client(lines, plain, arm.name))
    yield f"### Noise floor and blocks, {_plain(place)}"
    yield table(tables.noise(section.groups))


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

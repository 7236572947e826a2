"""The shape of the published tables: one treatment against the baseline, threads down.

Published studies use two formulas, the loss 1 - encrypted/plain and the ratio plain/encrypted. TPS
has both, each under a heading that says which; what is judged is the loss. Markdown and the page
both draw these.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from encbench.api.overheadreport import Interval
from encbench.report.document.group import Group
from encbench.report.figures import BY_FIELD, JUDGED, RECOVERY, TOPICS, TPS, Figure, JudgedFigure
from encbench.report.formats.sections import Line, Names, RowPair, Versus
from encbench.report.words import text

VERDICT = "verdict"
"""The heading of columns with verdicts."""
INTERVAL = "paired 95 % interval"
UNPAIRED = "unpaired 95 % interval"
"""The heading of intervals of differences between campaigns, which share no blocks."""


@dataclass(frozen=True)
class TableColumn:
    """One column: its group, its heading, which names any formula, and its cells."""

    group: str
    heading: str
    cells: tuple[str, ...]
    numeric: bool = True

    @property
    def title(self) -> str:
        """Group and heading in one; a table with one line of headings needs it."""
        return f"{self.group}: {self.heading}" if self.group else self.heading


def column(group: str, heading: str, cells: Iterable[str], *, numeric: bool = True) -> TableColumn:
    """A column of these cells."""
    return TableColumn(group, heading, tuple(cells), numeric)


def levels(
    figure: Figure, names: Names, rows: Sequence[RowPair], digits: int | None = None
) -> list[TableColumn]:
    """A figure of both, side by side."""
    places = figure.digits if digits is None else digits
    cells = [[text.number(getattr(row, figure.field), places) for row in pair] for pair in rows]
    return [
        column(figure.heading, name, (pair[n] for pair in cells)) for n, name in enumerate(names)
    ]


def change(
    figure: Figure, names: Names, changes: Sequence[Interval | None], margin: float
) -> list[TableColumn]:
    """What lies between the two under its formula, and its interval, as they read beside a margin.

    A sentence about the same interval has the same figures.
    """
    before, after = names
    heading, shown = f"increase = {after}/{before} − 1", text.signed_alone_beside
    if figure is TPS:
        heading, shown = f"loss = 1 − {after}/{before}", text.alone_beside
    return [
        column(figure.heading, heading, (shown(margin, one) for one in changes)),
        column(figure.heading, INTERVAL, (text.bounds_beside(margin, one) for one in changes)),
    ]


Titled = tuple[str, list[TableColumn]]
"""A table with its heading."""


def compared(versus: Versus) -> list[Titled]:
    """Every table of one treatment; the first has the subject of the section."""
    if versus.is_recovery:
        return [("Recovery", recovery(versus))]
    return [
        ("Throughput", throughput(versus)),
        *((topic, _on_topic(versus, fields)) for topic, fields in TOPICS.items()),
    ]


def throughput(versus: Versus) -> list[TableColumn]:
    """TPS of both, the loss with its interval, and the verdict."""
    return [
        *_threads(versus),
        *_levels(versus, TPS, _rate_digits(versus)),
        *_change(versus, TPS),
        _ratio(versus, TPS),
        *_capacity(versus),
        *_known(versus, BY_FIELD["new_orders_per_second"]),
        *_known(versus, BY_FIELD["round_trips_per_transaction"]),
        *_known(versus, BY_FIELD["cells_per_transaction"]),
        # These show whether the disk matters at all here.
        *_known(versus, BY_FIELD["disk_read_kib_per_transaction"], digits=1),
        *_basis(versus),
        column("", "limited by", (_limit(line) for line in versus.lines), numeric=False),
        column("", VERDICT, (_of_tps(line) for line in versus.lines), numeric=False),
    ]


def _capacity(versus: Versus) -> list[TableColumn]:
    """The loss as cores; nothing where the server's CPU was the limit nowhere."""
    found = [line.comparison.capacity for line in versus.lines]
    if not any(found):
        return []
    shown = (f"{one.cores:g} → {text.cores(one)}" if one else text.ABSENT for one in found)
    return [column("TPS", "cores for as many", shown)]


AS_OFFERED = "as offered"
"""In place of a verdict on TPS or of its loss, where a fixed rate or think times decided it."""


def _of_tps(line: Line) -> str:
    return line.comparison.verdict if line.group.primary == TPS.key else AS_OFFERED


def recovery(versus: Versus) -> list[TableColumn]:
    """Seconds of both from the new server's start to its first answer, and what came before."""
    return [
        *_threads(versus),
        *_drawn(versus, RECOVERY),
        _ratio(versus, RECOVERY),
        *_levels(versus, BY_FIELD["stop_seconds"]),
        *_levels(versus, BY_FIELD["redo_mib"]),
        *(replace(one, group="TPS before the stop") for one in _levels(versus, TPS)),
        *_basis(versus),
    ]


def published(versus: Versus) -> list[TableColumn]:
    """The columns of the published studies of encryption at rest, in one table.

    Encrypted comes first, then plain. A ratio above 1 means that the encrypted arm is slower, both
    for TPS and for latency. CPU is the server's, as a share of its limit.
    """
    latency, cpu = BY_FIELD["latency_average_ms"], BY_FIELD["database_cpu_percent"]
    return [
        *_threads(versus),
        *reversed(_levels(versus, TPS, _rate_digits(versus))),
        _ratio(versus, TPS),
        _change(versus, TPS)[0],
        *reversed(_levels(versus, latency)),
        _ratio(versus, latency),
        *reversed(_levels(versus, cpu)),
        _points(versus, cpu),
    ]


def noise(groups: Sequence[Group], margin: float) -> list[TableColumn]:
    """How far A' against A reaches by its intervals, by figure, and the blocks behind it."""
    floors = "noise floor ±, largest bound of A′/A by arm or testbed"
    valid = (f"{group.counted_blocks:,} of {group.planned_blocks:,}" for group in groups)
    return [
        column("", "threads", (f"{group.concurrency:,}" for group in groups)),
        *(
            column(
                floors,
                it.title,
                (text.floor_beside(margin, group.noise_floors.get(it.key)) for group in groups),
            )
            for it in judged_in(groups)
        ),
        column("", "valid blocks", valid),
        column("", "because", (group.blocks_why for group in groups), numeric=False),
    ]


def judged_in(groups: Sequence[Group]) -> list[JudgedFigure]:
    """The figures that any of these conditions is judged by."""
    about = {group.primary == RECOVERY.key for group in groups}
    return [figure for figure in JUDGED.values() if (figure is RECOVERY) in about]


def judgements(versus: Versus) -> list[TableColumn]:
    """How every figure was judged: its two intervals, p-values after Holm, and why."""
    pairs = [(line, finding) for line in versus.lines for finding in line.comparison.findings]
    found, margin = [finding for _, finding in pairs], versus.margin
    return [
        column("", "threads", (f"{line.group.concurrency:,}" for line, _ in pairs)),
        column("", "figure", (JUDGED[f.figure].effect for f in found), numeric=False),
        column("", "change", (text.signed_alone_beside(margin, f.change) for f in found)),
        column("", INTERVAL, (text.bounds_beside(margin, f.change) for f in found)),
        column(
            "", "placement interval, 90 %", (text.bounds_beside(margin, f.placement) for f in found)
        ),
        column("", "noise floor ±", (text.floor_beside(margin, f.noise_floor) for f in found)),
        column("p by Holm", "at most the margin", (text.probability(f.overhead_p) for f in found)),
        column("p by Holm", "at least ±margin", (text.probability(f.equivalent_p) for f in found)),
        column("", VERDICT, (f.verdict for f in found), numeric=False),
        column("", "because", (f.why for f in found), numeric=False),
    ]


LIMITS = {
    "DatabaseBound": "server CPU",
    "ClientBound": "client CPU",
    "Both": "server and client CPU",
    "ProxyBound": "proxy CPU",
    "VolumeBound": "file system CPU",
    "NodeBound": "node CPU",
    "Neither": "neither CPU",
    "NotMeasured": text.ABSENT,
}
"""What limited TPS, in words."""


def _limit(line: Line) -> str:
    """The limit of the plain arm and that of the treated one, once where they are the same."""
    return " → ".join(dict.fromkeys(LIMITS[row.saturation or "NotMeasured"] for row in line.rows))


def _rate_digits(versus: Versus) -> int:
    return text.rate_digits(row.tps for pair in versus.rows for row in pair)


def _on_topic(versus: Versus, fields: Iterable[str]) -> list[TableColumn]:
    columns = _threads(versus)
    for figure in (BY_FIELD[field] for field in fields):
        columns += _known(versus, figure) if figure.some else _drawn(versus, figure)
    return columns


def _drawn(versus: Versus, figure: Figure) -> list[TableColumn]:
    """Both arms, and the difference between them."""
    columns = _levels(versus, figure)
    if isinstance(figure, JudgedFigure):
        return [*columns, *_change(versus, figure), _verdict(versus, figure)]
    return [*columns, _points(versus, figure)] if figure.points else columns


def _known(versus: Versus, figure: Figure, digits: int | None = None) -> list[TableColumn]:
    """Both arms side by side; nothing where neither has the figure anywhere."""
    if all(getattr(row, figure.field) is None for pair in versus.rows for row in pair):
        return []
    return _levels(versus, figure, digits)


def _levels(versus: Versus, figure: Figure, digits: int | None = None) -> list[TableColumn]:
    return levels(figure, versus.names, versus.rows, digits)


def _change(versus: Versus, figure: JudgedFigure) -> list[TableColumn]:
    changes = [getattr(line.treated, figure.overhead) for line in versus.lines]
    return change(figure, versus.names, changes, versus.margin)


def _verdict(versus: Versus, figure: JudgedFigure) -> TableColumn:
    found = (line.comparison.finding(figure.key) for line in versus.lines)
    cells = (finding.verdict if finding else "NoData" for finding in found)
    return column(figure.heading, VERDICT, cells, numeric=False)


def _ratio(versus: Versus, figure: Figure) -> TableColumn:
    """How many times better the plain arm is, from the two figures beside it."""
    order = 1 if figure is TPS else -1
    names, rows = versus.names[::order], [pair[::order] for pair in versus.rows]
    found = [[getattr(row, figure.field) for row in pair] for pair in rows]
    cells = (text.number(of / by, 3) if of and by else text.ABSENT for of, by in found)
    return column(figure.heading, f"ratio = {'/'.join(names)}", cells)


def _points(versus: Versus, figure: Figure) -> TableColumn:
    cells = (text.signed(getattr(line.treated, figure.points)) for line in versus.lines)
    return column(figure.heading, f"points = {' − '.join(reversed(versus.names))}", cells)


def _basis(versus: Versus) -> list[TableColumn]:
    figure = RECOVERY if versus.is_recovery else TPS
    found = (line.group.noise_floors.get(figure.key) for line in versus.lines)
    floors = (text.floor_beside(versus.margin, floor) for floor in found)
    blocks = (f"{line.comparison.blocks:,}" for line in versus.lines)
    return [column("", "noise floor ±", floors), column("", "blocks", blocks)]


def _threads(versus: Versus) -> list[TableColumn]:
    return [column("", "threads", (f"{line.group.concurrency:,}" for line in versus.lines))]

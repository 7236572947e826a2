"""What our own `report.csv` and `study-*.csv` must agree on beyond the overheads in them.

A row holds an estimate with its interval, which is symmetric on the log scale: the product of the
two ratios at its bounds is the square of the ratio. A condition has one number of blocks and one
noise floor for a figure, and the floor is at least the control's largest bound. Every figure of a
study's table stands in the report under the same condition.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from encbench.audit.checks import PrintedCell, Source
from encbench.audit.figures import PrintedFigure, Span
from encbench.audit.known import FLOORS, OWN
from encbench.audit.shapes import PrintedInterval, condition
from encbench.audit.tables import TableRow
from encbench.text.words import listed

_STUDIED = {
    "tps": ("plaintext_tps", "encrypted_100pct_tps", "tps"),
    "qps": ("plain_qps", "encrypted_qps"),
    "latency_average_ms": ("plain_response_ms", "encrypted_response_ms"),
    "client_cpu_percent_of_limit": (
        *("client_cpu_before_percent", "client_cpu_100pct_encrypted_percent"),
        *("client_cpu_percent", "jdbc_client_cpu_percent", "encjdbc_client_cpu_percent"),
    ),
    "client_memory_mib_per_replica": ("jdbc_memory_mb", "encjdbc_memory_mb"),
}
_GEOMETRIC = frozenset(("tps", "qps", "latency_average_ms"))
COUNTERPARTS = {
    column: f"{stem}_{'geometric_mean' if stem in _GEOMETRIC else 'mean'}"
    for stem, columns in _STUDIED.items()
    for column in columns
}
"""Columns of the studies' tables, and the column of the report that has the same figures."""


@dataclass(frozen=True)
class Clash:
    """A figure that cannot stand beside the others, and why not, in one clause."""

    places: tuple[PrintedCell, ...]
    """The wrong one first."""
    reason: str


def clashes(sources: Sequence[Source]) -> list[Clash]:
    """Everything that does not agree, in the order of the tables."""
    reports = [source for source in sources if source.shape is OWN]
    found: list[Clash] = []
    for source in sources:
        if source.shape is OWN:
            found += [c for row in source.table.rows for c in _intervals(source, row)]
            found += [c for rows in _conditions(source) for c in _condition(source, rows)]
        elif reports and source.suite is not None:
            found += _studied(source, reports)
    return found


def _conditions(source: Source) -> list[list[TableRow]]:
    groups: dict[frozenset[tuple[str, str]], list[TableRow]] = {}
    for row in source.table.rows:
        groups.setdefault(condition(source.shape, row), []).append(row)
    return [*groups.values()]


def _intervals(source: Source, row: TableRow) -> Iterator[Clash]:
    for interval in source.shape.intervals:
        cells = [PrintedCell(source, row, c) for c in (interval.low, interval.high)]
        estimate = PrintedCell(source, row, interval.estimate)
        low, high = (cell.figure for cell in cells)
        middle = estimate.figure
        if low is None and high is None:
            continue
        if low is None or high is None or middle is None:
            given = next(cell for cell in (*cells, estimate) if cell.figure)
            yield Clash((given,), "an estimate and both bounds belong together")
        elif low.value > high.value:
            yield Clash((cells[0], cells[1]), f"the lower bound is above the upper {high.text}")
        elif not low.value <= middle.value <= high.value:
            why = f"the estimate is outside its interval [{low.text}, {high.text}]"
            yield Clash((estimate, *cells), why)
        elif not _symmetric(interval, low, middle, high):
            yield Clash(
                (cells[0], cells[1], estimate),
                f"the interval [{low.text}, {high.text}] is not symmetric about {middle.text} on "
                "the log scale",
            )


def _symmetric(
    interval: PrintedInterval, low: PrintedFigure, middle: PrintedFigure, high: PrintedFigure
) -> bool:
    one, other, centre = (_ratio(interval.formula, it.span) for it in (low, high, middle))
    if min(one.high, other.high, centre.high) <= 0:
        return False
    # A loss that rounds to 1 has a ratio that is positive, and may be as small as one likes.
    one, other, centre = (Span(max(it.low, Fraction(0)), it.high) for it in (one, other, centre))
    product = Span(one.low * other.low, one.high * other.high)
    return product.meets(Span(centre.low**2, centre.high**2))


def _ratio(formula: str, change: Span) -> Span:
    if formula == "loss":
        return Span(1 - change.high, 1 - change.low)
    return Span(1 + change.low, 1 + change.high)


def _condition(source: Source, rows: Sequence[TableRow]) -> Iterator[Clash]:
    for column in source.shape.alike:
        cells = [PrintedCell(source, row, column) for row in rows]
        if len({cell.figure.value if cell.figure else None for cell in cells}) > 1:
            lines = listed(f"{cell.row.cells[column] or 'none'}" for cell in cells)
            yield Clash(tuple(cells), f"all arms of a condition have one value, not {lines}")
    yield from _floors(source, rows)


def _floors(source: Source, rows: Sequence[TableRow]) -> Iterator[Clash]:
    for column, ends in FLOORS.items():
        floor, *bounds = (PrintedCell(source, rows[0], name) for name in (column, *ends))
        figures = [cell.figure for cell in bounds if cell.figure]
        if floor.figure is None or not figures:
            continue
        largest = max(figures, key=lambda figure: abs(figure.value))
        if floor.figure.span.high < abs(largest.value) - largest.precision / 2:
            yield Clash((floor, *bounds), f"it is below the control's bound of {largest.text}")


def _studied(study: Source, reports: Sequence[Source]) -> Iterator[Clash]:
    """Figures of a study's table that no arm of the report has under that condition."""
    for row in study.table.rows:
        wanted = condition(study.shape, row)
        for column in study.table.columns:
            cell = PrintedCell(study, row, column)
            field = COUNTERPARTS.get(column)
            if field is None or cell.figure is None:
                continue
            there = [
                figure
                for report in reports
                for other in report.table.rows
                if wanted <= condition(report.shape, other)
                and (figure := report.table.figure(other, field))
            ]
            if not any(figure.value == cell.figure.value for figure in there):
                name = listed(report.table.name for report in reports)
                yield Clash((cell,), f"no arm of {name} has this {field} under that condition")

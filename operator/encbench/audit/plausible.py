"""Figures that cannot be right whatever was published: impossible, stated twice, against a law."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from statistics import median_low

from encbench.audit.checks import PrintedCell, Source
from encbench.audit.figures import Span
from encbench.audit.formulas import FORMULAS
from encbench.audit.shapes import CONCURRENCY
from encbench.audit.tables import TableRow
from encbench.text.words import listed

TOLERANCE = Fraction(1, 20)
"""How far rate times response time over threads may be from the table's constant. A client's own
work between two requests and the edges of a window take a few percent of its threads' time."""
_WORK = ("workload", "table", "benchmark")
"""Keys that say what a transaction is, and so how many queries it has."""


def impossible(sources: Sequence[Source]) -> list[PrintedCell]:
    """Measured figures of 0 or below, in order."""
    return [
        cell
        for source in sources
        for row in source.table.rows
        for column in _measured(source, sources)
        if (figure := (cell := PrintedCell(source, row, column)).figure) and figure.value <= 0
    ]


def twice(sources: Sequence[Source]) -> list[tuple[PrintedCell, ...]]:
    """Cells of rows that have the same keys, column by column where their figures differ."""
    found: list[tuple[PrintedCell, ...]] = []
    for source in sources:
        names = (*source.shape.keys, *source.shape.labels)
        groups: dict[tuple[str, ...], list[TableRow]] = {}
        for row in source.table.rows if names else ():
            groups.setdefault(tuple(row.cells[name] for name in names), []).append(row)
        for rows in groups.values():
            by_column = [
                [PrintedCell(source, row, column) for row in rows]
                for column in _measured(source, sources)
            ]
            apart = [of for of in by_column if len({c.figure.value for c in of if c.figure}) > 1]
            if apart:
                found.append(tuple(chain.from_iterable(apart)))
    return found


def _measured(source: Source, sources: Sequence[Source]) -> tuple[str, ...]:
    """Columns of the figures that overheads are computed from, unless these may be 0 or below."""
    claims = [claim for other in sources for claim in other.shape.claims]
    every = {c: FORMULAS[claim.formula] for claim in claims for c in (claim.plain, claim.encrypted)}
    fine = {column for column, formula in every.items() if formula.positive}
    fine |= set(chain.from_iterable(source.shape.queues))
    return tuple(column for column in source.table.columns if column in fine)


@dataclass(frozen=True)
class Occupancy:
    """Rate times response time over threads, which is one constant for one kind of work.

    By Little's law rate times response time is the number of requests under way, and clients that
    never pause have one for each thread.
    """

    rate: PrintedCell
    response: PrintedCell
    threads: PrintedCell
    value: Fraction
    reach: Span

    def breaks(self, constant: Fraction) -> bool:
        """Whether rounding and the tolerance leave it apart from the constant."""
        around = Span(constant * (1 - TOLERANCE), constant * (1 + TOLERANCE))
        return not self.reach.meets(around)


@dataclass(frozen=True)
class Law:
    """The occupancies of one kind of work in one table."""

    source: Source
    constant: Fraction
    every: tuple[Occupancy, ...]

    @property
    def broken(self) -> tuple[Occupancy, ...]:
        """Those that are apart from the constant."""
        return tuple(one for one in self.every if one.breaks(self.constant))

    @property
    def holds(self) -> bool:
        """Whether most have the constant, so that the others can be named."""
        return 2 * len(self.broken) < len(self.every)


def laws(sources: Sequence[Source]) -> list[Law]:
    """Little's law in every table with rates, response times and threads; from three figures on."""
    found: list[Law] = []
    for source in sources:
        groups: dict[tuple[str, ...], list[Occupancy]] = {}
        names = (*source.shape.keys, *source.shape.labels)
        works = [name for name in names if name.casefold() in _WORK]
        for one in _occupancies(source):
            groups.setdefault(tuple(one.rate.row.cells[key] for key in works), []).append(one)
        found += [
            Law(source, median_low(one.value for one in group), tuple(group))
            for group in groups.values()
            if len(group) > 2
        ]
    return found


def unlawful(sources: Sequence[Source]) -> list[str]:
    """One sentence for each table that has rates and response times, but no number of threads."""
    return [
        f"{source.table.name}: Little's law is not checked, because no key says in numbers how "
        f"many threads there were: it needs one of the keys {listed(CONCURRENCY)}."
        for source in sources
        if source.shape.queues and _threads(source) is None
    ]


def _threads(source: Source) -> str | None:
    """The key with the number of threads, where its cells are numbers."""
    key = source.shape.concurrency
    return None if key in source.table.texts else key


def _occupancies(source: Source) -> Iterator[Occupancy]:
    key = _threads(source)
    if key is None:
        return
    for row in source.table.rows:
        for columns in source.shape.queues:
            rate, response = (PrintedCell(source, row, column) for column in columns)
            threads = PrintedCell(source, row, key)
            x, r, n = rate.figure, response.figure, threads.figure
            if x and r and n and min(x.value, r.value, n.value) > 0:
                low = x.span.low * r.span.low / n.value
                high = x.span.high * r.span.high / n.value
                value = x.value * r.value / n.value
                yield Occupancy(rate, response, threads, value, Span(low, high))

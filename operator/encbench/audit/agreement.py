"""Tables that contradict each other about a quantity under one condition, and repeated figures.

Two printed figures agree when some number rounds to both. A repeat is an encrypted figure in
several rows of one table: measured figures of several digits are hardly ever equal.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from encbench.audit.checks import OverheadCheck, PrintedCell, Source
from encbench.audit.figures import PrintedFigure
from encbench.audit.shapes import condition
from encbench.audit.tables import TableRow

REPEAT_DIGITS = 5
"""Significant digits from which a repeat is reported even if its rows are otherwise right. By
chance, two of twenty figures of five digits are equal in about one table of five hundred."""


@dataclass(frozen=True)
class Statement:
    """What one row states about a quantity: one figure, or several alternatives."""

    source: Source
    row: TableRow
    quantity: str
    state: str
    places: tuple[PrintedCell, ...]

    @property
    def figures(self) -> list[tuple[PrintedCell, PrintedFigure]]:
        """Its places with their figures."""
        return [(place, found) for place in self.places if (found := place.figure)]

    def agrees(self, other: "Statement") -> bool:
        """Whether one of its figures may be one of the other's."""
        return any(a.printed.meets(b.printed) for _, a in self.figures for _, b in other.figures)


Disagreement = tuple[Statement, Statement]
"""Two that cannot both be right."""


def statements(sources: Sequence[Source]) -> list[Statement]:
    """Every statement, in the order of the tables."""
    found: list[Statement] = []
    for source in sources:
        for row in source.table.rows:
            by_state: dict[tuple[str, str], list[PrintedCell]] = {}
            for measure in source.shape.measures:
                place = PrintedCell(source, row, measure.column)
                if place.figure is not None:
                    state = measure.quantity, measure.state_in(row)
                    by_state.setdefault(state, []).append(place)
            found += [
                Statement(source, row, quantity, state, tuple(places))
                for (quantity, state), places in by_state.items()
            ]
    return found


def same(one: Statement, other: Statement) -> bool:
    """Whether two tables state the same quantity in the same state under the same condition.

    Two of our own studies may be about different arms; `own` holds each of them to the report.
    """
    return (
        one.source is not other.source
        and bool(one.source.shape.keys)
        and _matter(one) == _matter(other)
        and (one.source.suite is None or other.source.suite is None)
    )


def disagreements(said: Sequence[Statement]) -> list[Disagreement]:
    """Pairs of statements about the same quantity that cannot both be right.

    The first has no more figures than the second. A table with several statements about one
    condition has a key that was not named; it is left out.
    """
    found: list[Disagreement] = []
    counts = Counter((s.source.table.name, _matter(s)) for s in said)
    alone = [s for s in said if counts[s.source.table.name, _matter(s)] == 1]
    for pair in combinations(alone, 2):
        one, other = sorted(pair, key=lambda statement: len(statement.places))
        if same(one, other) and not one.agrees(other):
            found.append((one, other))
    return found


def _matter(said: Statement) -> tuple[object, ...]:
    return said.quantity, said.state, condition(said.source.shape, said.row)


def repeats(checks: Iterable[OverheadCheck]) -> list[tuple[OverheadCheck, ...]]:
    """Checks of one table and claim whose encrypted figures are the same, in order."""
    found: dict[tuple[str, str, object], list[OverheadCheck]] = {}
    for check in checks:
        figure = check.encrypted.figure
        if figure is not None:
            key = (check.source.table.name, check.claim.published, figure.value)
            found.setdefault(key, []).append(check)
    return [tuple(group) for group in found.values() if len(group) > 1]

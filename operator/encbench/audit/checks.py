"""Whether a published overhead follows from the figures that it was published with.

A printed figure stands for every number that rounds to it. An overhead *follows* when some numbers
behind the printed plain and encrypted figures give a result that rounds to the published one. If it
misses that by less than `SLIP` steps of its last printed digit, it is a *rounding slip*: a digit
cut off instead of rounded, or a figure rounded twice. Anything further off is a *contradiction*: it
was not computed from the figures beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal

from encbench.audit.figures import PrintedFigure, Span
from encbench.audit.formulas import FORMULAS, Formula
from encbench.audit.shapes import Claim, Shape, condition
from encbench.audit.tables import BadInput, PublishedTable, TableRow
from encbench.text.words import listed

SLIP = 1
"""Steps of the last published digit up to which a difference is a slip."""

Verdict = Literal["follows", "slip", "contradiction", "unchecked"]


@dataclass(frozen=True)
class Source:
    """A table with its meaning."""

    table: PublishedTable
    shape: Shape

    def name(self, row: TableRow) -> str:
        """The condition in words: `instance 4x8c64g, concurrency 512`."""
        keys = [*self.shape.keys, *self.shape.labels]
        return ", ".join(f"{key} {row.cells[key]}" for key in keys)


@dataclass(frozen=True)
class PrintedCell:
    """One cell."""

    source: Source
    row: TableRow
    column: str

    @property
    def figure(self) -> PrintedFigure | None:
        """The figure in the cell."""
        return self.source.table.figure(self.row, self.column)


@dataclass(frozen=True)
class OverheadCheck:
    """One published overhead, recomputed. All results are in the unit of the published figure."""

    source: Source
    row: TableRow
    claim: Claim
    verdict: Verdict
    published: PrintedFigure
    why: str = ""
    """Why it could not be checked."""
    plain: PrintedCell | None = None
    result: Fraction | None = None
    """Computed from the figures as printed."""
    reach: Span | None = None
    """Computed from every number that they may stand for."""
    needed: Span | None = None
    """Every encrypted figure from which the published overhead would follow."""

    @property
    def percent(self) -> bool:
        """Whether the published figure is in percent."""
        return self.claim.percent or self.published.percent

    @property
    def formula(self) -> Formula:
        """The formula that recomputed it."""
        return FORMULAS[self.claim.formula]

    @property
    def encrypted(self) -> PrintedCell:
        """The cell of the encrypted figure."""
        return PrintedCell(self.source, self.row, self.claim.encrypted)

    @property
    def as_printed(self) -> bool:
        """Whether it follows from the printed figures themselves, not only from unrounded ones."""
        return self.result is not None and Span(self.result, self.result).meets(self.published.span)


def checks(sources: Sequence[Source]) -> list[OverheadCheck]:
    """A check of every published overhead, in the order of the tables; skips rows without one."""
    return [
        _check(sources, source, row, claim, published)
        for source in sources
        for claim in source.shape.claims
        for row in source.table.rows
        if (published := source.table.figure(row, claim.published)) is not None
    ]


def follows(claim: Claim, published: PrintedFigure, plain: Span, encrypted: Span) -> bool:
    """Whether the published figure follows from figures within these spans."""
    return _reach(claim, published, plain, encrypted).meets(published.span)


def _check(
    sources: Sequence[Source], source: Source, row: TableRow, claim: Claim, published: PrintedFigure
) -> OverheadCheck:
    unchecked = partial(OverheadCheck, source, row, claim, "unchecked", published)
    encrypted = source.table.figure(row, claim.encrypted)
    if encrypted is None:
        return unchecked(f"{claim.encrypted} is empty")
    place = _plain(sources, source, row, claim)
    plain = place.figure if place else None
    if place is None or plain is None:
        keys = listed(source.shape.keys) or "no key"
        return unchecked(f"no file has its {claim.plain} (by {keys})")
    formula = FORMULAS[claim.formula]
    divisor = {"plain": plain, "encrypted": encrypted}.get(formula.needs)
    if divisor is not None and divisor.span.low <= 0:
        why = f"{divisor.text} may be 0 by its rounding, and {claim.formula} divides by it"
        return unchecked(why, place)
    reach = _reach(claim, published, plain.span, encrypted.span)
    scale = _scale(claim, published)
    verdict: Verdict = "contradiction"
    if reach.meets(published.span):
        verdict = "follows"
    elif reach.gap(published.span) < SLIP * published.unit:
        verdict = "slip"
    return OverheadCheck(
        source=source,
        row=row,
        claim=claim,
        verdict=verdict,
        published=published,
        plain=place,
        result=scale * formula.compute(plain.value, encrypted.value),
        reach=reach,
        needed=_needed(formula, plain.span, published.span, scale),
    )


def _scale(claim: Claim, published: PrintedFigure) -> int:
    return 100 if claim.percent or published.percent else 1


def _reach(claim: Claim, published: PrintedFigure, plain: Span, encrypted: Span) -> Span:
    scale = _scale(claim, published)
    found = FORMULAS[claim.formula].reach(plain, encrypted)
    return Span(scale * found.low, scale * found.high)


def _needed(formula: Formula, plain: Span, published: Span, scale: int) -> Span | None:
    wanted = Span(published.low / scale, published.high / scale)
    if formula.needs == "encrypted" and wanted.low <= 0:
        return None
    return formula.encrypted(plain, wanted)


def _plain(
    sources: Sequence[Source], source: Source, row: TableRow, claim: Claim
) -> PrintedCell | None:
    """The plain figure's cell: in the row, in its baseline row, or in another table."""
    wanted = condition(source.shape, row)
    if claim.plain not in source.table.columns:
        found = [
            PrintedCell(other, candidate, claim.plain)
            for other in sources
            if other is not source and claim.plain in other.table.columns
            for candidate in other.table.rows
            if other.shape.keys and condition(other.shape, candidate) <= wanted
        ]
    elif source.shape.baseline is None:
        return PrintedCell(source, row, claim.plain)
    else:
        column, value = source.shape.baseline
        found = [
            PrintedCell(source, candidate, claim.plain)
            for candidate in source.table.rows
            if candidate.cells[column] == value and condition(source.shape, candidate) == wanted
        ]
    return _only(found, source, row)


def _only(found: Sequence[PrintedCell], source: Source, row: TableRow) -> PrintedCell | None:
    """The first place; BadInput where one table has several that differ.

    Where two tables differ, the first is used, because the difference is a finding of its own.
    """
    if not found:
        return None
    rivals = [place for place in found if place.source is found[0].source]
    if len({place.figure.text for place in rivals if place.figure}) > 1:
        lines = ", ".join(str(place.row.line) for place in rivals)
        raise BadInput(
            f"{source.table.name}, line {row.line} ({source.name(row) or 'no key'}) fits lines "
            f"{lines} of {found[0].source.table.name}: name a further column with --key"
        )
    return found[0]

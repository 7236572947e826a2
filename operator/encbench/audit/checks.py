"""Whether a published overhead follows from the figures that it was published with.

A printed figure stands for every number that rounds to it. An overhead *follows* when some numbers
behind the printed plain and encrypted figures give a result that rounds to the published one. If it
misses that by less than `SLIP` steps of its last digit, it is a *rounding slip*: a digit cut off
instead of rounded, or a figure rounded twice. Each figure has the precision of its column; where an
overhead follows only if one of them was printed with fewer digits, or if its whole column was
rounded to tens or more, it is *coarse*. Anything further off is a *contradiction*: it was not
computed from the figures beside it.

Where no overhead was published, it is only *computed*.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import PurePath
from typing import Literal

from encbench.audit.figures import PrintedFigure, Span
from encbench.audit.formulas import FORMULAS, Formula
from encbench.audit.known import KNOWN
from encbench.audit.shapes import Claim, Shape, condition
from encbench.audit.tables import BadInput, PublishedTable, TableRow
from encbench.text.words import listed

SLIP = Fraction(1, 2)
"""Steps of the last published digit below which a difference is a slip: more than that, neither a
digit cut off nor a second rounding can explain."""

_STUDY = re.compile(
    r"study-(?:(.+)-)?(?:(?:tpcc-tps|client-cpu)-(?:aes|sm4)(?:-.+)?|ratio-(?:aes|sm4)"
    r"|driver-cpu(?:-.+)?|sysbench(?:-.+)?|enclave-.+)\.csv"
)
"""How `report.analysis.studies` names its tables; the first group is a workload, which may have any
of these words in its name."""

_PERCENT = re.compile(r"%|percent|pct", re.IGNORECASE)

Verdict = Literal[
    "follows", "slip", "coarse", "contradiction", "impossible", "unchecked", "computed"
]


@dataclass(frozen=True)
class Source:
    """A table with its meaning."""

    table: PublishedTable
    shape: Shape

    @property
    def suite(self) -> str | None:
        """What the name of one of our own `study-*.csv` says of its workload; None of any other.

        Only their names say which arms and which workload they are about.
        """
        name = _STUDY.fullmatch(PurePath(self.table.name).name)
        return name[1] or "" if name and self.shape in KNOWN else None

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
    published: PrintedFigure | None = None
    """None where the table publishes none."""
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
        return _percent(self.claim, self.published)

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
        if self.result is None or self.published is None:
            return False
        return Span(self.result, self.result).meets(self.published.span)

    @property
    def coarse(self) -> tuple[PrintedCell, ...]:
        """Cells of its figures that may be rounded to fewer digits than they are held to."""
        places = (
            [PrintedCell(self.source, self.row, self.claim.published)] if self.published else []
        )
        places += [place for place in (self.plain, self.encrypted) if place]
        return tuple(place for place in places if place.figure and place.figure.coarse)


def checks(sources: Sequence[Source]) -> list[OverheadCheck]:
    """A check of every published overhead, in the order of the tables; skips rows without one.

    Where a table publishes none, every row with an encrypted figure has its overhead computed.
    """
    return [
        _check(sources, source, row, claim)
        for source in sources
        for claim in source.shape.claims
        for row in source.table.rows
        if _counts(source, row, claim)
    ]


def _counts(source: Source, row: TableRow, claim: Claim) -> bool:
    if claim.published:
        return source.table.figure(row, claim.published) is not None
    baseline = source.shape.baseline
    plain = baseline is not None and row.cells[baseline[0]] == baseline[1]
    return not plain and source.table.figure(row, claim.encrypted) is not None


def follows(
    claim: Claim, published: PrintedFigure | None, plain: PrintedFigure, encrypted: PrintedFigure
) -> bool:
    """Whether the published figure follows from these two."""
    scale = _scale(claim, published, plain, encrypted)
    reach = _reach(claim, scale, plain.span, encrypted.span)
    return bool(published and reach.meets(published.span))


def _check(sources: Sequence[Source], source: Source, row: TableRow, claim: Claim) -> OverheadCheck:
    published = source.table.figure(row, claim.published) if claim.published else None
    unchecked = partial(OverheadCheck, source, row, claim, "unchecked", published)
    encrypted = source.table.figure(row, claim.encrypted)
    if encrypted is None:
        return unchecked(f"{claim.encrypted} is empty")
    place = _plain(sources, source, row, claim)
    plain = place.figure if place else None
    if place is None or plain is None:
        return unchecked(f"{claim.plain} is empty" if place else _nowhere(source, claim))
    formula = FORMULAS[claim.formula]
    if formula.positive and (plain.value <= 0 or encrypted.value <= 0):
        return OverheadCheck(source, row, claim, "impossible", published, plain=place)
    scale = _scale(claim, published, plain, encrypted)
    result = scale * formula.compute(plain.value, encrypted.value)
    return OverheadCheck(
        source=source,
        row=row,
        claim=claim,
        verdict=_verdict(claim, published, plain, encrypted, result),
        published=published,
        plain=place,
        result=result,
        reach=_reach(claim, scale, plain.span, encrypted.span),
        needed=_needed(formula, plain.span, published.span, scale) if published else None,
    )


def _nowhere(source: Source, claim: Claim) -> str:
    """Why a row has no plain figure."""
    keys = listed(source.shape.keys) if source.shape.keys else "no key"
    where = "file"
    here = claim.plain in source.table.columns and not claim.before
    if here and source.shape.baseline is not None:
        where = "row with {} {}".format(*source.shape.baseline)
    return f"no {where} has its {claim.plain} (by {keys})"


def _verdict(
    claim: Claim,
    published: PrintedFigure | None,
    plain: PrintedFigure,
    encrypted: PrintedFigure,
    result: Fraction,
) -> Verdict:
    if published is None:
        return "computed"
    scale = _scale(claim, published, plain, encrypted)
    reach = _reach(claim, scale, plain.span, encrypted.span)
    if reach.meets(published.span):
        return "follows"
    # The printed figures' own result counts, unless they leave it open by more than a step.
    known = reach.high - reach.low < published.precision
    nearest = Span(result, result) if known else reach
    if nearest.gap(published.span) < SLIP * published.precision:
        return "slip"
    loose = _reach(claim, scale, plain.loose, encrypted.loose)
    return "coarse" if loose.meets(published.loose) else "contradiction"


def _percent(claim: Claim, published: PrintedFigure | None) -> bool:
    return claim.percent or bool(published and published.percent)


def _scale(
    claim: Claim, published: PrintedFigure | None, plain: PrintedFigure, encrypted: PrintedFigure
) -> int:
    """From a result to the unit of the published figure.

    A difference of percentages is in percentage points already.
    """
    shares = plain.percent or encrypted.percent or _says_percent(claim)
    if FORMULAS[claim.formula].difference and shares:
        return 1
    return 100 if _percent(claim, published) else 1


def _says_percent(claim: Claim) -> bool:
    """Whether the name of a measured column says that its figures are in percent."""
    return any(_PERCENT.search(column) for column in (claim.plain, claim.encrypted))


def _reach(claim: Claim, scale: int, plain: Span, encrypted: Span) -> Span:
    found = FORMULAS[claim.formula].reach(plain, encrypted)
    return Span(scale * found.low, scale * found.high)


def _needed(formula: Formula, plain: Span, published: Span, scale: int) -> Span | None:
    wanted = Span(published.low / scale, published.high / scale)
    if formula.ratio and wanted.low <= 0:
        return None
    return formula.encrypted(plain, wanted)


def _plain(
    sources: Sequence[Source], source: Source, row: TableRow, claim: Claim
) -> PrintedCell | None:
    """The plain figure's cell: in the row, in its baseline row, or in another table."""
    wanted = condition(source.shape, row)
    if claim.before:
        (label,) = source.shape.labels
        found = [
            PrintedCell(source, candidate, claim.plain)
            for candidate in source.table.rows
            if candidate.cells[label] == row.cells[claim.before]
            and condition(source.shape, candidate) == wanted
        ]
    elif claim.plain not in source.table.columns:
        found = [
            PrintedCell(other, candidate, claim.plain)
            for other in sources
            if other is not source and other.suite == source.suite
            if claim.plain in other.table.columns
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
            if candidate.cells[column] == value and condition(source.shape, candidate) <= wanted
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
            f"{lines} of {found[0].source.table.name}: name a further column with --key, which "
            "needs --plain and --encrypted, or leave all but one of these lines out"
        )
    return found[0]

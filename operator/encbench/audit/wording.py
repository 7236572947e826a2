"""The wording of cells, figures and computations of an audit."""

import math
from collections.abc import Sequence
from fractions import Fraction

from encbench.audit.checks import OverheadCheck, PrintedCell
from encbench.audit.figures import Span, decimals, shown
from encbench.text.words import listed


def printed(place: PrintedCell) -> str:
    """The figure with its printed decimals and with thousands separators."""
    figure = place.figure
    if figure is None:
        return ""
    return shown(figure.value, decimals(figure.unit)) + ("%" if figure.percent else "")


def where(check: OverheadCheck) -> str:
    """The row in words: file, line and condition, and the column where it has several."""
    name = check.source.name(check.row)
    where = f"{check.source.table.name}, line {check.row.line}"
    several = len(check.source.shape.claims) > 1
    return f"{where}{f' ({name})' if name else ''}{f', {check.claim.published}' if several else ''}"


def spot(place: PrintedCell) -> str:
    """File and line."""
    return f"{place.source.table.name}, line {place.row.line}"


def place(cell: PrintedCell) -> str:
    """File, line and condition of a cell."""
    name = cell.source.name(cell.row)
    return f"{spot(cell)}{f' ({name})' if name else ''}"


def apart(one: OverheadCheck, other: OverheadCheck, *, both: bool = False) -> str:
    """How the other row differs from this one."""
    names = [*other.source.shape.keys, *other.source.shape.labels]
    differing = [
        f"{n} {other.row.cells[n]}" for n in names if both or one.row.cells[n] != other.row.cells[n]
    ]
    return ", ".join(differing) or "of the same keys"


def sign(check: OverheadCheck) -> str:
    """The suffix of its figures."""
    return " %" if check.percent else ""


def published(check: OverheadCheck) -> str:
    """The published figure with its unit; empty where there is none."""
    figure = check.published
    if figure is None:
        return ""
    return f"{shown(figure.value, decimals(figure.unit))}{sign(check)}"


def computation(check: OverheadCheck) -> str:
    """The formula with the printed figures in it."""
    if check.plain is None:
        return ""
    plain, encrypted = printed(check.plain), printed(check.encrypted)
    words = check.formula.spelled(plain, encrypted)
    if check.plain.source is check.source:
        return words
    return f"{words} ({check.plain.column} of {spot(check.plain)})"


def result(check: OverheadCheck) -> str:
    """The result of the printed figures; empty where there is none.

    It has two digits more than were published, and more where those would round differently.
    """
    value = check.result
    if value is None:
        return ""
    if check.published is None:
        return f"{shown(value, 2 if check.percent else 4)}{sign(check)}"
    digits = whole = decimals(check.published.precision)
    digits += 2
    while digits < whole + 6 and _round(_round(value, digits), whole) != _round(value, whole):
        digits += 1
    return f"{shown(value, digits)}{sign(check)}"


def ratio(check: OverheadCheck) -> str:
    """Plain over encrypted, of figures with a ratio; empty without."""
    plain, encrypted = check.plain and check.plain.figure, check.encrypted.figure
    if check.result is None or not check.formula.positive or not plain or not encrypted:
        return ""
    return shown(plain.value / encrypted.value, 4)


def _round(value: Fraction, digits: int) -> Fraction:
    """Halves away from 0, as `shown` does."""
    steps = int(abs(value) * 10**digits + Fraction(1, 2))
    return Fraction(steps if value >= 0 else -steps, 10**digits)


def needed(check: OverheadCheck) -> str:
    """The encrypted figures from which the published overhead would follow."""
    span, figure = check.needed or Span(Fraction(0), Fraction(0)), check.encrypted.figure
    digits = decimals(figure.unit) if figure else 0
    return f"{check.claim.encrypted} from {shown(span.low, digits)} to {shown(span.high, digits)}"


def lines(checks: Sequence[OverheadCheck]) -> str:
    """`lines 3 and 4`."""
    word = "line" if len(checks) == 1 else "lines"
    return f"{word} {listed(str(check.row.line) for check in checks)}"


def half(place: PrintedCell) -> str:
    """Half a step of the digit to which the figure may be rounded: `0.05`."""
    figure = place.figure
    step = figure.coarsest / 2 if figure else Fraction(0)
    return shown(step, decimals(step))


def percent(fraction: Fraction) -> str:
    """`2.1 %`."""
    return f"{shown(100 * fraction, 1)} %"


def few(texts: Sequence[str]) -> str:
    """The first three, and how many there are besides."""
    rest = len(texts) - 3
    return listed(texts) if rest <= 0 else f"{', '.join(texts[:3])} and {rest} more"


def rough(value: Fraction) -> str:
    """Four significant digits."""
    digits = 3 - math.floor(math.log10(value)) if value > 0 else 0
    return shown(round(value, digits), max(digits, 0))

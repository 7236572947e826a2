"""Printed figures as spans: all the numbers that round to what was printed.

A printed 14.81 stands for a measurement between 14.805 and 14.815, and so does a 14.8 in a column
of two decimals: it is 14.80. All arithmetic here is exact
(rational numbers) and on spans, so no verdict depends on a rounding of our own.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

_FORM = re.compile(
    r"(?P<sign>[+\-−]?)(?P<whole>[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.(?P<part>\d*))?"
    r"(?:[eE](?P<power>[+-]?\d{1,2}))?\s*(?P<percent>%?)"
)
LONGEST = 64
"""Letters of the longest figure."""
_ABSENT = frozenset(("", "-", "–", "—", "n/a", "na", "nan", "null", "none"))


class NotAFigure(Exception):
    """A cell holds no figure. The text says what it holds."""


@dataclass(frozen=True)
class Span:
    """All numbers from low to high, both included."""

    low: Fraction
    high: Fraction

    def meets(self, other: "Span") -> bool:
        """Whether a number lies in both."""
        return self.low <= other.high and other.low <= self.high

    def gap(self, other: "Span") -> Fraction:
        """How far apart the nearest ends are; 0 where they meet."""
        return max(self.low - other.high, other.low - self.high, Fraction(0))


@dataclass(frozen=True)
class PrintedFigure:
    """A printed figure."""

    text: str
    """The figure as the file has it."""
    value: Fraction
    unit: Fraction
    """The value of one step of its last printed digit."""
    percent: bool = False
    """Whether a percent sign follows it."""
    step: Fraction = Fraction(0)
    """One step of the last digit to which its column is rounded; 0 where only `unit` is known."""

    rounded: Fraction = Fraction(0)
    """A power of ten to which its whole column may be rounded; 0 where nothing suggests one."""

    @property
    def precision(self) -> Fraction:
        """The step that decides what it stands for."""
        return self.step or self.unit

    @property
    def span(self) -> Span:
        """Every number that rounds to it, to the precision of its column."""
        return self._around(self.precision)

    @property
    def printed(self) -> Span:
        """Every number that rounds to it as it stands, whatever the rest of its column has."""
        return self._around(self.unit)

    @property
    def loose(self) -> Span:
        """Every number that rounds to it at the coarsest reading of its trailing zeros."""
        return self._around(self.coarsest)

    @property
    def coarsest(self) -> Fraction:
        """The largest step to which it may be rounded."""
        return max(self.unit, self.rounded)

    @property
    def coarse(self) -> bool:
        """Whether it may be rounded to fewer digits than it is held to."""
        return self.precision < self.coarsest

    def _around(self, step: Fraction) -> Span:
        return Span(self.value - step / 2, self.value + step / 2)

    @property
    def digits(self) -> int:
        """Significant digits as printed."""
        return len(str(abs(int(self.value / self.unit)))) if self.value else 1


@lru_cache(maxsize=10_000)  # an audit asks for a cell a dozen times
def figure(cell: str, *, commas: bool = True) -> PrintedFigure | None:
    """The figure in a cell, None where it holds none; NotAFigure where it holds something else.

    Its precision is what was printed: 28.0 is good to 0.05, 28 to 0.5. `ColumnPrecision` knows
    whether its column is more precise, as where a spreadsheet dropped trailing zeros. `commas`
    says whether it may have them between thousands.
    """
    text = cell.strip()
    if text.lower() in _ABSENT:
        return None
    found = _FORM.fullmatch(text) if len(text) <= LONGEST else None
    if found is None or ("," in text and not commas):
        shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
        raise NotAFigure(f"{shown!r} is not a figure: write digits with a point, such as 1234.5")
    part = found["part"] or ""
    unit = Fraction(10) ** (int(found["power"] or 0) - len(part))
    steps = int(found["whole"].replace(",", "") + part)
    value = steps * unit * (-1 if found["sign"] in ("-", "−") and steps else 1)
    return PrintedFigure(text, value, unit, bool(found["percent"]))


@dataclass(frozen=True)
class ColumnPrecision:
    """How finely a column is printed: the rounding that all its figures may be held to.

    Columns are rounded to a number of decimals or to a number of significant digits. A figure has
    the decimals of the most precise figure of its column, but never more significant digits than
    the longest one: beside 0.0123 and 45.67, a 1.0 is 1.000, whichever the rule was.
    """

    unit: Fraction
    """The smallest step of a last printed digit."""
    digits: int
    """The most significant digits."""
    rounded: Fraction = Fraction(0)
    """A power of ten to which all figures may be rounded: 100 for 12,300, 11,100 and 9,800."""

    @classmethod
    def of(cls, column: Iterable[PrintedFigure]) -> "ColumnPrecision | None":
        """That of a column; None without a figure."""
        found = list(column)
        if not found:
            return None
        unit = min(it.unit for it in found)
        rounded = _rounded(found) if unit == 1 else Fraction(0)
        return cls(unit, max(it.digits for it in found), rounded)

    def refined(self, figure: PrintedFigure) -> PrintedFigure:
        """The figure with the precision of its column."""
        step = self.unit
        if figure.value:
            step = max(step, figure.unit * Fraction(10) ** (figure.digits - self.digits))
        return replace(figure, step=min(step, figure.unit), rounded=self.rounded)


def _rounded(column: Iterable[PrintedFigure]) -> Fraction:
    """The largest power of ten of which whole numbers are multiples; 0 where that may be chance.

    That takes three different ones, and each keeps two digits: 20 beside 10 and 50 is no 15 to 25.
    """
    values = {abs(it.value) for it in column} - {0}
    step = Fraction(1)
    while len(values) > 2 and all(value % (10 * step) == 0 for value in values):
        step *= 10
    while values and step > 1 and min(values) < 10 * step:
        step /= 10
    return step if step > 1 else Fraction(0)


def decimals(step: Fraction) -> int:
    """Decimals needed to show one step."""
    count = 0
    while step < 1 and count < 12:
        step *= 10
        count += 1
    return count


def shown(value: Fraction, digits: int) -> str:
    """With that many decimals, thousands separators and a real minus sign; halves away from 0."""
    scale = 10**digits
    steps = int(abs(value) * scale + Fraction(1, 2))
    whole, part = divmod(steps, scale)
    sign = "−" if value < 0 and steps else ""
    return f"{sign}{whole:,}" + (f".{part:0{digits}d}" if digits else "")

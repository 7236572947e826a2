"""Printed figures as spans: all the numbers that round to what was printed.

A printed 14.81 stands for a measurement between 14.805 and 14.815. All arithmetic here is exact
(rational numbers) and on spans, so no verdict depends on a rounding of our own.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

_FORM = re.compile(
    r"(?P<sign>[+\-−]?)(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<part>\d*))?"
    r"(?:[eE](?P<power>[+-]?\d{1,2}))?\s*(?P<percent>%?)"
)
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

    @property
    def span(self) -> Span:
        """Every number that rounds to it."""
        return Span(self.value - self.unit / 2, self.value + self.unit / 2)

    @property
    def digits(self) -> int:
        """Significant digits as printed."""
        return len(str(abs(int(self.value / self.unit)))) if self.value else 1


def figure(cell: str) -> PrintedFigure | None:
    """The figure in a cell, None where it holds none; NotAFigure where it holds something else.

    Its precision is what was printed: 28.0 is good to 0.05, 28 to 0.5. If a
    spreadsheet dropped a trailing zero, the figure looks coarser than it was measured; an audit
    should give that benefit of the doubt.
    """
    text = cell.strip()
    if text.lower() in _ABSENT:
        return None
    found = _FORM.fullmatch(text)
    if found is None:
        raise NotAFigure(f"{text!r} is not a figure: write digits with a point, such as 1234.5")
    part = found["part"] or ""
    unit = Fraction(10) ** (int(found["power"] or 0) - len(part))
    steps = int(found["whole"].replace(",", "") + part)
    value = steps * unit * (-1 if found["sign"] in ("-", "−") and steps else 1)
    return PrintedFigure(text, value, unit, bool(found["percent"]))


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

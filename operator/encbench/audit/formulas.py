"""How an overhead is computed from two figures, and back.

Published studies use the one name "overhead" for several formulas. Each formula takes the spans of
the plain and the encrypted figure and gives the span of all possible results. All are monotonic in
both arguments where the figures are positive, so the ends of the spans give the ends of the result.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from encbench.audit.figures import Span

Computation = Callable[[Fraction, Fraction], Fraction]


@dataclass(frozen=True)
class Formula:
    """One way to say what encryption costs."""

    words: str
    """A template for the names of the columns."""
    compute: Computation
    """The result, of plain and encrypted."""
    invert: Computation
    """The encrypted figure that gives this result for that plain one: of plain and result."""
    percent: bool
    """Whether results are in percent unless the user says otherwise."""
    positive: bool = True
    """Whether both figures must be above 0."""
    ratio: bool = False
    """Whether the result must be above 0 as well."""
    difference: bool = False
    """Whether results are in the unit of the figures."""

    def reach(self, plain: Span, encrypted: Span) -> Span:
        """All results of figures within these spans."""
        return _ends(self.compute, plain, encrypted)

    def encrypted(self, plain: Span, result: Span) -> Span:
        """Every encrypted figure from which a result within that span follows."""
        return _ends(self.invert, plain, result)

    def spelled(self, plain: str, encrypted: str) -> str:
        """`1 − tps_encrypted/tps_plain`."""
        return self.words.format(plain=plain, encrypted=encrypted)


def _ends(compute: Computation, one: Span, other: Span) -> Span:
    ends = [compute(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    return Span(min(ends), max(ends))


FORMULAS = {
    "loss": Formula(
        words="1 − {encrypted}/{plain}",
        compute=lambda plain, encrypted: 1 - encrypted / plain,
        invert=lambda plain, result: plain * (1 - result),
        percent=True,
    ),
    "ratio": Formula(
        words="{plain}/{encrypted}",
        compute=lambda plain, encrypted: plain / encrypted,
        invert=lambda plain, result: plain / result,
        percent=False,
        ratio=True,
    ),
    "increase": Formula(
        words="{encrypted}/{plain} − 1",
        compute=lambda plain, encrypted: encrypted / plain - 1,
        invert=lambda plain, result: plain * (1 + result),
        percent=True,
    ),
    "points": Formula(
        words="{encrypted} − {plain}",
        compute=lambda plain, encrypted: encrypted - plain,
        invert=lambda plain, result: plain + result,
        percent=False,
        positive=False,
        difference=True,
    ),
}
"""By the name that `--formula` takes."""

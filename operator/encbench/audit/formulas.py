"""How an overhead is computed from two figures, and back.

Published studies use the one name "overhead" for several formulas. Each formula takes the spans of
the plain and the encrypted figure and gives the span of all possible results. All are monotonic in
both arguments where the figures are positive, so the ends of the spans give the ends of the result.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from encbench.audit.figures import Span

ONE = Fraction(1)


@dataclass(frozen=True)
class Formula:
    """One way to say what encryption costs."""

    name: str
    words: str
    """A template for the names of the columns."""
    compute: Callable[[Fraction, Fraction], Fraction]
    """The result, of plain and encrypted."""
    invert: Callable[[Fraction, Fraction], Fraction]
    """The encrypted figure that gives this result for that plain one: of plain and result."""
    percent: bool
    """Whether results are in percent unless the user says otherwise."""
    needs: str
    """Which figure must be above 0: plain, encrypted or none."""

    def reach(self, plain: Span, encrypted: Span) -> Span:
        """All results of figures within these spans."""
        ends = [
            self.compute(p, e)
            for p in (plain.low, plain.high)
            for e in (encrypted.low, encrypted.high)
        ]
        return Span(min(ends), max(ends))

    def encrypted(self, plain: Span, result: Span) -> Span:
        """Every encrypted figure from which a result within that span follows."""
        ends = [
            self.invert(p, r) for p in (plain.low, plain.high) for r in (result.low, result.high)
        ]
        return Span(min(ends), max(ends))

    def spelled(self, plain: str, encrypted: str) -> str:
        """`1 − tps_encrypted/tps_plain`."""
        return self.words.format(plain=plain, encrypted=encrypted)


FORMULAS = {
    formula.name: formula
    for formula in (
        Formula(
            name="loss",
            words="1 − {encrypted}/{plain}",
            compute=lambda plain, encrypted: ONE - encrypted / plain,
            invert=lambda plain, result: plain * (ONE - result),
            percent=True,
            needs="plain",
        ),
        Formula(
            name="ratio",
            words="{plain}/{encrypted}",
            compute=lambda plain, encrypted: plain / encrypted,
            invert=lambda plain, result: plain / result,
            percent=False,
            needs="encrypted",
        ),
        Formula(
            name="increase",
            words="{encrypted}/{plain} − 1",
            compute=lambda plain, encrypted: encrypted / plain - ONE,
            invert=lambda plain, result: plain * (ONE + result),
            percent=True,
            needs="plain",
        ),
        Formula(
            name="points",
            words="{encrypted} − {plain}",
            compute=lambda plain, encrypted: encrypted - plain,
            invert=lambda plain, result: plain + result,
            percent=False,
            needs="none",
        ),
    )
}
"""By the name that `--formula` takes."""

"""The figures of a run as a table, each beside what is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Gate:
    """What a figure must be; without bounds it is for information."""

    most: float | None = None
    least: float | None = None

    def holds(self, value: float) -> bool:
        """Whether it does; what was not measured does not."""
        below = self.most is None or value <= self.most
        above = self.least is None or value >= self.least
        return below and above

    def __str__(self) -> str:
        if self.most is not None and self.least is not None:
            return f"{self.least:g} to {self.most:g}"
        if self.most is not None:
            return f"<= {self.most:g}"
        return "" if self.least is None else f">= {self.least:g}"


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    unit: str = ""
    gate: Gate = Gate()

    @property
    def ok(self) -> bool:
        """Whether it is as it must be."""
        return self.gate.holds(self.value)


def table(figures: Sequence[Figure]) -> str:
    """The figures, one a line."""
    width = max(len(one.what) for one in figures)
    lines = []
    for one in figures:
        text = f"{one.what:<{width}}  {one.value:>12,.4g} {one.unit:<9} {one.gate!s:<12}"
        lines.append(
            f"{text} {'' if str(one.gate) == '' else 'ok' if one.ok else 'MISSED'}".rstrip()
        )
    return "\n".join(lines)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that so large a share is not above; NaN of none."""
    ordered = sorted(values)
    if not ordered:
        return float("nan")
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(frozen=True)
class Pace:
    """How fast trials ended."""

    whole: float
    """A second, while as many were under way at the beginning as at the end."""
    first: float
    last: float
    """The same of an equal number at the beginning and at the end."""

    @property
    def drift(self) -> float:
        """Of the last to the first."""
        return self.last / self.first


ENOUGH = 5
"""Times the trials under way: of fewer, too little is left between the beginning and the end."""


def pace(ends: Sequence[float], share: int, at_once: int) -> Pace:
    """From the times at which trials ended; `share` is the number at either end.

    When the first one ends, the work on all that run beside it is partly done. So time is taken
    from the first `at_once` ends until as many are left: at either time as much is half done.
    """
    if len(ends) < ENOUGH * at_once:
        raise ValueError(
            f"{len(ends)} trials are too few for a rate with {at_once} under way: "
            f"{ENOUGH * at_once} or more"
        )
    ordered = sorted(ends)[at_once - 1 : len(ends) - at_once]
    if len(ordered) < 2 * share + 2 or share < 1:
        raise ValueError(f"{len(ends)} trials are too few for {share} at either end")

    def rate(some: Sequence[float]) -> float:
        # Whole seconds: a share of one second is no rate.
        return (len(some) - 1) / max(1.0, some[-1] - some[0])

    return Pace(rate(ordered), rate(ordered[: share + 1]), rate(ordered[-share - 1 :]))


def each(before: Mapping[str, float], after: Mapping[str, float], trials: int) -> dict[str, float]:
    """What a trial cost, in thousandths, by what grew."""
    return {name: 1000 * (after[name] - before.get(name, 0.0)) / trials for name in after}

"""What the blocks say: paired intervals on log-ratios, the noise floor, and the verdict.

The trial is the unit, never the per-second sample, and trials are compared only within their block.
Per block d = ln(treatment / baseline). Ratios are compared on the log scale because what encryption
does to a database is multiplicative, and because the geometric mean is the only mean of ratios that
does not depend on which arm is called the baseline (Fleming & Wallace, "How not to lie with
statistics: the correct way to summarize benchmark results", Communications of the ACM 29(3), 1986).
exp(mean d) is then the ratio of the arms' geometric means.

The interval is Student's for paired observations: mean d ± t(1 - alpha/2; n - 1) · s / √n (Student,
"The probable error of a mean", Biometrika 6(1), 1908; for paired measurements of computer systems
Jain, The Art of Computer Systems Performance Analysis, 1991, section 13.4.1). It assumes that the d
are independent and roughly normal, which random order within blocks is there to serve.

A later step corrects for several modes (Holm), derives the number of blocks from a pilot (Stein's
two stages) and gives latency and CPU noise floors of their own: `Estimate` carries mean, spread and
number of blocks, so that these need no other data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["Overhead", "Equivalent", "Inconclusive"]

LEVEL = 0.95
"""Level of the interval that is reported and that `Overhead` is judged by."""

EQUIVALENCE_LEVEL = 0.90
"""Level of the interval that `Equivalent` is judged by: two one-sided tests at 5 % each."""


@dataclass(frozen=True)
class Bounds:
    """A confidence interval, low ≤ high."""

    low: float
    high: float

    @property
    def largest(self) -> float:
        """The largest absolute value inside."""
        return max(abs(self.low), abs(self.high))


@dataclass(frozen=True)
class Estimate:
    """The log-ratios of one comparison, summed up."""

    n: int
    """Blocks."""
    mean: float
    """Mean of d."""
    deviation: float | None
    """Sample standard deviation of d, n - 1 in the denominator; None with fewer than two blocks."""

    def bounds(self, level: float = LEVEL) -> Bounds | None:
        """Student's interval of the mean of d; None with fewer than two blocks."""
        if self.deviation is None:
            return None
        half = t_quantile((1 + level) / 2, self.n - 1) * self.deviation / math.sqrt(self.n)
        return Bounds(self.mean - half, self.mean + half)

    @property
    def loss(self) -> float:
        """1 - exp(mean d): the share that the treatment loses, for figures where more is better."""
        return -math.expm1(self.mean)

    def loss_bounds(self, level: float = LEVEL) -> Bounds | None:
        """Interval of `loss`. 1 - exp falls in d: d's upper bound gives the lower one of loss."""
        log = self.bounds(level)
        return None if log is None else Bounds(-math.expm1(log.high), -math.expm1(log.low))

    @property
    def increase(self) -> float:
        """exp(mean d) - 1: what the treatment adds, for figures where less is better."""
        return math.expm1(self.mean)

    def increase_bounds(self, level: float = LEVEL) -> Bounds | None:
        """Interval of `increase`, whose bounds keep the order of d's."""
        log = self.bounds(level)
        return None if log is None else Bounds(math.expm1(log.low), math.expm1(log.high))


def t_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t."""
    from scipy.special import stdtrit  # noqa: PLC0415 - half a second that only a report pays

    return float(stdtrit(degrees, probability))


def estimate(baseline: Sequence[float], treatment: Sequence[float]) -> Estimate | None:
    """The paired comparison of two arms, one positive figure per block in the same order.

    None without a block. ValueError when the lengths differ or a figure has no logarithm.
    """
    if len(baseline) != len(treatment):
        raise ValueError(f"{len(baseline)} baseline figures for {len(treatment)} of the treatment")
    if any(not (0 < figure < math.inf) for figure in (*baseline, *treatment)):
        raise ValueError("only positive, finite figures have a log-ratio")
    ratios = [math.log(b / a) for a, b in zip(baseline, treatment, strict=True)]
    n = len(ratios)
    if n == 0:
        return None
    mean = math.fsum(ratios) / n
    deviation = None
    if n > 1:
        deviation = math.sqrt(math.fsum((d - mean) ** 2 for d in ratios) / (n - 1))
    return Estimate(n=n, mean=mean, deviation=deviation)


def geometric_mean(figures: Sequence[float]) -> float:
    """exp(mean of logarithms) of positive figures, at least one."""
    return math.exp(math.fsum(map(math.log, figures)) / len(figures))


def noise_floor(control: Estimate | None) -> float | None:
    """Largest absolute bound of the 95 % interval of A' against A; None where there is no interval.

    What the same mode on a second testbed seems to cost is an effect of everything but the mode.
    """
    bounds = control.loss_bounds() if control else None
    return None if bounds is None else bounds.largest


def verdict(treatment: Estimate, floor: float | None, margin: float) -> Verdict:
    """What may be said about a treatment's loss of TPS, by the rule that was fixed beforehand.

    `Overhead` when the 95 % interval's lower bound exceeds both the margin and the noise floor;
    `Equivalent` when the 90 % interval lies inside ±margin, which is two one-sided tests at 5 %
    each (Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for
    assessing the equivalence of average bioavailability", Journal of Pharmacokinetics and
    Biopharmaceutics 15, 1987); else `Inconclusive`. Both cannot hold: the 90 % interval lies within
    the 95 % one. Without a noise floor there is no `Overhead`.
    """
    wide, narrow = treatment.loss_bounds(LEVEL), treatment.loss_bounds(EQUIVALENCE_LEVEL)
    if wide is None or narrow is None:
        return "Inconclusive"
    if floor is not None and wide.low > max(margin, floor):
        return "Overhead"
    if -margin < narrow.low and narrow.high < margin:
        return "Equivalent"
    return "Inconclusive"

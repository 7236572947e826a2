"""The paired interval of one arm against the baseline, on the log scale.

Per block d = ln(arm / baseline). The baseline's figure is the geometric mean of its two arms, A and
A', which have less noise than one: d = ln T - (ln A + ln A') / 2. Ratios are compared on the log
scale because what encryption does to a database is multiplicative, and because the geometric mean
is the only mean of ratios that does not depend on which arm is called the baseline (Fleming &
Wallace, "How not to lie with statistics: the correct way to summarize benchmark results",
Communications of the ACM 29(3), 1986). exp(mean d) is then the ratio of the geometric means.

The interval is Student's for paired observations: mean d ± t(1 - alpha/2; n - 1) · s / √n (Student,
"The probable error of a mean", Biometrika 6(1), 1908; for paired measurements of computer systems
Jain, The Art of Computer Systems Performance Analysis, 1991, section 13.4.1). It assumes that the d
are independent and roughly normal, which the random order within blocks supports.

Where testbeds are rebuilt every few blocks, blocks on one set of testbeds share its luck of
placement and are not independent: the set is then the unit. The mean is still that of all blocks.
Its squared error is that of a mean over G clusters, G/(G-1) · Σ (Σ_g (d - mean))² / n², with G - 1
degrees of freedom (Cochran, Sampling Techniques, 3rd ed. 1977, chapter 9A); where each block is a
cluster it is s²/n. Clusters of unequal size, as where the last set has one block, count as the
(Σ n_g)² / Σ n_g² clusters of equal size whose mean would know as little of the luck (Kish, Survey
Sampling, 1965, section 11.7): that number replaces G in the degrees of freedom.

Where testbeds are never rebuilt, every block repeats their luck of placement, and no interval over
blocks contains it. All that is known about that luck is the difference D between the baseline's two
testbeds: one observation, so one degree of freedom. The luck of a mean over both of them against a
third testbed has ¾ of the variance of D, which gives the *placement interval*, mean d ±
t(0.95; 1) · √¾ · |D|. D and d are independent where the noise of all arms is alike, and both
have the same share of it, so this interval covers at its level by itself, whatever the luck.

Blocks of a campaign and of its follow-ups are pooled: the mean is that of all blocks, and the
spread is taken around each campaign's own mean, because the level may have moved between two days.
With C campaigns the G - 1 above is G - C. Each campaign's testbeds have luck of their own, so the
placement interval has C degrees of freedom.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

LEVEL = 0.95
"""Level of the reported interval, which decides every verdict."""

PLACEMENT_LEVEL = 0.90
"""Level of the placement interval: a verdict that luck could explain is wrong in 5 %."""

_LARGEST = 100.0
"""A log-ratio above this stays finite as a ratio; an interval that wide says nothing anyhow."""

Sense = Literal["loss", "increase"]
"""How a change is expressed: loss = 1 - arm/baseline where more is better (TPS), increase =
arm/baseline - 1 where less is better (latency, CPU). Either way a cost is positive."""


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
    """A summary of the log-ratios of one comparison."""

    n: int
    """Blocks."""
    mean: float
    """Mean of d."""
    deviation: float | None
    """Sample standard deviation of d between blocks; None with fewer than two."""
    units: int
    """Independent observations: blocks, or sets of testbeds."""
    error: float | None
    """Standard error of the mean; None with fewer than two units."""
    luck: float | None = None
    """The same for the testbeds' luck of placement; None where the units differ in luck already, or
    the arms share one testbed."""
    campaigns: int = 1
    """Campaigns that the blocks are of, each with a mean of its own; also the degrees of freedom of
    the luck."""
    even_units: float | None = None
    """As many units of equal size know as much; None where they are of one size."""
    carried: float = 0.0
    """By how much, on the log scale, what one arm leaves behind for the next may have moved the
    mean; 0 where no carry-over was noticed."""

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the error, at least one."""
        units = self.units if self.even_units is None else self.even_units
        return max(1.0, units - self.campaigns)

    def half_width(self, level: float = LEVEL) -> float | None:
        """Half of Student's interval of the mean of d; None with fewer than two units."""
        if self.error is None:
            return None
        return t_quantile((1 + level) / 2, self.degrees) * self.error

    def bounds(self, level: float = LEVEL) -> Bounds | None:
        """Student's interval of the mean of d; None with fewer than two units."""
        half = self.half_width(level)
        return None if half is None else Bounds(self.mean - half, self.mean + half)

    def placement_bounds(self, sense: Sense) -> Bounds | None:
        """The placement interval of loss or increase; None where there is no luck to allow for."""
        if self.luck is None:
            return None
        half = t_quantile((1 + PLACEMENT_LEVEL) / 2, self.campaigns) * self.luck
        return _changed(Bounds(self.mean - half, self.mean + half), sense)

    def change(self, sense: Sense) -> float:
        """Loss (1 - exp(mean d)) or increase (exp(mean d) - 1)."""
        return -math.expm1(self.mean) if sense == "loss" else math.expm1(self.mean)

    def change_bounds(self, sense: Sense, level: float = LEVEL) -> Bounds | None:
        """Interval of loss or increase; None with fewer than two units."""
        log = self.bounds(level)
        return None if log is None else _changed(log, sense)


def _changed(log: Bounds, sense: Sense) -> Bounds:
    """1 - exp falls in d: the upper bound of d gives the lower one of the loss."""
    low, high = (math.expm1(min(end, _LARGEST)) for end in (log.low, log.high))
    return Bounds(-high, -low) if sense == "loss" else Bounds(low, high)


def t_quantile(probability: float, degrees: float) -> float:
    """Quantile of Student's t."""
    from scipy.special import stdtrit  # noqa: PLC0415 - half a second that only a report pays

    return float(stdtrit(degrees, probability))


def t_probability(value: float, degrees: float) -> float:
    """P(T ≤ value) for Student's t."""
    from scipy.special import stdtr  # noqa: PLC0415 - half a second that only a report pays

    return float(stdtr(degrees, value))


def estimate(
    baseline: Sequence[float],
    arm: Sequence[float],
    units: Sequence[Hashable] | None = None,
    campaigns: Sequence[Hashable] | None = None,
) -> Estimate | None:
    """The paired comparison of two arms, one positive figure per block in the same order.

    `units` names the independent unit that each block belongs to; without it each block is its
    own. `campaigns` names the campaign of each. None without a block. ValueError when the lengths
    differ or a figure has no logarithm.
    """
    if any(not (0 < figure < math.inf) for figure in (*baseline, *arm)):
        raise ValueError("only positive, finite figures have a log-ratio")
    ratios = [math.log(b / a) for a, b in zip(baseline, arm, strict=True)]
    return of_ratios(ratios, units, campaigns)


def of_ratios(
    ratios: Sequence[float],
    units: Sequence[Hashable] | None = None,
    campaigns: Sequence[Hashable] | None = None,
) -> Estimate | None:
    """The same from log-ratios; None without any."""
    n = len(ratios)
    if n == 0:
        return None
    mean = math.fsum(ratios) / n
    names = list(range(n)) if units is None else list(units)
    own_means = _own_means(ratios, campaigns or [None] * n)
    away = [d - own for d, own in zip(ratios, own_means, strict=True)]
    rest: dict[Hashable, list[float]] = {}
    for name, d in zip(names, away, strict=True):
        rest.setdefault(name, []).append(d)
    count, deviation, error = len(rest), None, None
    several = len(set(campaigns)) if campaigns else 1
    if n > several:
        deviation = math.sqrt(math.fsum(d**2 for d in away) / (n - several))
    if count > several:
        squares = math.fsum(math.fsum(own) ** 2 for own in rest.values())
        error = math.sqrt(count / (count - several) * squares) / n
    return Estimate(
        n=n,
        mean=mean,
        deviation=deviation,
        units=count,
        error=error,
        campaigns=several,
        even_units=_even_units([len(own) for own in rest.values()]),
    )


def _even_units(sizes: Sequence[int]) -> float | None:
    """How many units of equal size weigh as much as these; None where they are of one size."""
    if len(set(sizes)) == 1:
        return None
    return sum(sizes) ** 2 / sum(size**2 for size in sizes)


def _own_means(ratios: Sequence[float], campaigns: Sequence[Hashable]) -> list[float]:
    """For each log-ratio the mean of its campaign."""
    own: dict[Hashable, list[float]] = {}
    for name, ratio in zip(campaigns, ratios, strict=True):
        own.setdefault(name, []).append(ratio)
    means = {name: math.fsum(found) / len(found) for name, found in own.items()}
    return [means[name] for name in campaigns]


def both(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The baseline's figure by block: the geometric mean of A and A'."""
    return [math.sqrt(a * b) for a, b in zip(first, second, strict=True)]


def geometric_mean(figures: Sequence[float]) -> float:
    """exp(mean of logarithms) of positive figures, at least one."""
    return math.exp(math.fsum(map(math.log, figures)) / len(figures))

"""What may be said about the modes of one condition, by rules fixed beforehand.

A change is a loss of TPS or an increase of latency or CPU (`Sense`); a cost is positive. The bar is
the campaign's margin. The interval contains the noise already, so the noise floor is no part of it.

- `Overhead`: the paired 95 % interval lies above the margin. As a test: the hypothesis "the change
  is at most the margin" is rejected at 2.5 % on one side, given here as a two-sided p-value against
  5 %.
- `Equivalent`: the same interval lies inside ±margin, which is two one-sided tests (Schuirmann, "A
  comparison of the two one-sided tests procedure and the power approach for assessing the
  equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15,
  1987); the p-value is the larger of the two. The usual 90 % interval, 5 % on either side, was
  wrong in up to 6.6 % of simulated campaigns, because a number of blocks that the data chose, and
  bursts that go one way, cost it a percent or two.
- `Inconclusive`: neither. `Obstacle` is what stood in the way.

Where testbeds are never rebuilt, either claim also needs the placement interval (`intervals`) on
the same side, at 5 % on one side: else the luck of three testbeds could pass for a mode's cost or
hide one. A claim's p-value is then the larger of its two tests (an intersection-union test: both
have to reject, so neither needs a correction for the other).

Where a carry-over was noticed between interleaved arms (`rounds.carry_over`), a claim has to hold
even if the mean is off by as much as the carry-over's interval allows.

Where several modes are compared with one baseline, Holm's correction covers the modes of one
condition (instance, workload, concurrency) and one figure, for each of the two claims separately.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from encbench.api.overheadreport import FigureVerdict
from encbench.core.statistics.intervals import LEVEL, Estimate, Sense, t_probability

K = TypeVar("K")

Test = Callable[[Estimate, float, Sense], float | None]
"""A claim's p-value by an estimate, a margin and the figure's sense; None without an interval."""

Obstacle = Literal[
    "NoInterval",
    "NoSpread",
    "BetterThanBaseline",
    "TooWide",
    "Placement",
    "CarryOver",
    "Correction",
    "KernelCipher",
]
"""What stood in the way of a verdict, the first of what did.

By its paired interval alone: there is none (`NoInterval`), it has no width (`NoSpread`), or it
allows no claim (`TooWide`). Where that interval would do, the claim does not hold against the
testbeds' luck (`Placement`), then not against what one arm leaves behind for the next
(`CarryOver`), and at last not beside the other claims and looks that it is corrected for
(`Correction`). An interval below zero that is not inside ±margin allows a claim that is no verdict,
"the change is below the margin". It stands in the way (`BetterThanBaseline`) where that claim holds
by all these tests.

`KernelCipher` is not statistical: it replaces a verdict of `Equivalent`, and what stands in the way
of a claim that there is no cost, where a figure leaves out, or may, what a cipher takes
(`report.analysis.kernel_cipher`).
"""


NO_SPREAD = 1e-4
"""A spread of the units below this is one of clocks, by which equal counts differ by millionths.
Units agree that well only where a figure takes few values, such as that of three transactions a
second: how it scatters cannot be seen then."""


@dataclass(frozen=True)
class Judgement:
    """What may be said about one mode, and what it was judged by."""

    verdict: FigureVerdict
    overhead_p: float | None
    """Adjusted p-value of "the change is at most the margin", two-sided; None without a test."""
    equivalent_p: float | None
    """Adjusted p-value of "the change is at least the margin, one way or the other"."""
    obstacle: Obstacle | None = None
    """None with a verdict."""


def noise_floor(*controls: Estimate | None, sense: Sense = "loss") -> float | None:
    """Largest absolute bound of the 95 % intervals; None where one of them has none.

    What the same mode seems to cost is caused by everything but the mode. It shows readers how
    noisy a campaign was; no verdict rests on it. `controls` are the readings of A and A': by arm,
    and by testbed where the two arms take turns on theirs.
    """
    found = [one.change_bounds(sense) if one is not None else None for one in controls]
    known = [bounds.largest for bounds in found if bounds is not None]
    return max(known) if known and len(known) == len(found) else None


def judge(
    estimates: Mapping[str, Estimate], margin: float, sense: Sense = "loss", looks: int = 1
) -> dict[str, Judgement]:
    """One judgement for each mode of a condition, corrected for their number.

    The same question is asked `looks` times in all, of ever more blocks. Each time is held to that
    part of the usual error (Bonferroni), so all together stay below it.
    """
    above_all, inside_all, below_all = (
        _of_looks(holm(_claimed(test, estimates, margin, sense)), looks)
        for test in (_above, _inside, _below)
    )
    verdicts = {mode: _verdict(above_all.get(mode), inside_all.get(mode)) for mode in estimates}
    return {
        mode: Judgement(
            verdict=verdicts[mode],
            overhead_p=above_all.get(mode),
            equivalent_p=inside_all.get(mode),
            obstacle=_obstacle(one, margin, sense, below_all.get(mode))
            if verdicts[mode] == "Inconclusive"
            else None,
        )
        for mode, one in estimates.items()
    }


def _claimed(
    test: Test, estimates: Mapping[str, Estimate], margin: float, sense: Sense
) -> dict[str, float]:
    """The p-values of a claim about each estimate, but those that have none."""
    found = {mode: test(one, margin, sense) for mode, one in estimates.items()}
    return {mode: p for mode, p in found.items() if p is not None}


def _of_looks(p_values: Mapping[str, float], looks: int) -> dict[str, float]:
    return {mode: min(1.0, looks * p) for mode, p in p_values.items()}


def _verdict(above: float | None, inside: float | None) -> FigureVerdict:
    if _holds(above):
        return "Overhead"
    return "Equivalent" if _holds(inside) else "Inconclusive"


def _holds(p: float | None) -> bool:
    return p is not None and p < 1 - LEVEL


def _obstacle(one: Estimate, margin: float, sense: Sense, below: float | None) -> Obstacle:
    """What kept this one from a verdict, by the tests that led to none.

    `below` is the corrected p-value of the claim that the change is below the margin.
    """
    bounds = one.change_bounds(sense)
    if bounds is None or one.error is None:
        return "NoInterval"
    if _has_no_spread(one, one.error):
        return "NoSpread"
    claims = [_above, _inside, *([_below] if bounds.high < 0 else [])]
    settled = replace(one, carried=0.0)
    alone = replace(settled, luck=None)
    claim = next((it for it in claims if _holds(it(alone, margin, sense))), None)
    if claim is None:
        return "TooWide"
    if not _holds(claim(settled, margin, sense)):
        return "Placement"
    if not _holds(claim(one, margin, sense)):
        return "CarryOver"
    return "BetterThanBaseline" if claim is _below and _holds(below) else "Correction"


def _above(one: Estimate, margin: float, sense: Sense) -> float | None:
    """p-value of the hypothesis that the change is at most the margin."""
    return _past(one, margin, sense, 1)


def _below(one: Estimate, margin: float, sense: Sense) -> float | None:
    """p-value of the hypothesis that the change is at least the margin."""
    return _past(one, margin, sense, -1)


def _past(one: Estimate, margin: float, sense: Sense, side: Literal[1, -1]) -> float | None:
    """p-value of the hypothesis that the change is not past the margin, on its far side (1)."""
    if one.error is None:
        return None
    limit = _log(margin, sense)
    if limit is None:
        return 1.0 if side > 0 else 0.0
    away = limit - one.mean if sense == "loss" else one.mean - limit
    return _beyond(side * away, one, one.error)


def _inside(one: Estimate, margin: float, sense: Sense) -> float | None:
    """p-value of the hypothesis that the change is outside ±margin."""
    if one.error is None:
        return None
    ends = [end for change in (-margin, margin) if (end := _log(change, sense)) is not None]
    aways = (one.mean - min(ends), max(ends) - one.mean)
    return max(_beyond(away, one, one.error) for away in aways)


def _beyond(away: float, one: Estimate, error: float) -> float:
    """p-value of a mean that is this far on the good side of a limit, by both its intervals.

    Two-sided by the paired one, one-sided by that of placement, so that 5 % is the limit of either.
    """
    if _has_no_spread(one, error):
        return 1.0
    away -= one.carried
    by_luck = 0.0 if one.luck is None else _tail(away, one.luck, one.campaigns)
    return min(1.0, max(2 * _tail(away, error, one.degrees), by_luck))


def _has_no_spread(one: Estimate, error: float) -> bool:
    return error * math.sqrt(one.units) < NO_SPREAD


def _log(change: float, sense: Sense) -> float | None:
    """The log-ratio at which the change has that size; None where there is no such ratio."""
    ratio = 1 - change if sense == "loss" else 1 + change
    return math.log(ratio) if ratio > 0 else None


def _tail(away: float, error: float, degrees: float) -> float:
    """P(T ≥ away / error): how likely a mean is this far on the good side of a limit by chance."""
    if not error:
        return 0.0 if away > 0 else 1.0
    return t_probability(-away / error, degrees)


def holm(p_values: Mapping[K, float]) -> dict[K, float]:
    """p-values adjusted by Holm's correction for several claims that are made side by side.

    Of the m sorted ones the i-th (from 0) is the largest of (m - j) · p_j for j ≤ i, at most 1.
    Where a claim is made whenever its adjusted p-value is at most alpha, the chance that one or
    more of the claims are wrong is at most alpha, however they depend on each other (Holm, "A
    simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics
    6(2), 1979).
    """
    ordered = sorted(p_values.items(), key=lambda entry: entry[1])
    adjusted: dict[K, float] = {}
    so_far = 0.0
    for place, (key, p) in enumerate(ordered):
        so_far = max(so_far, min(1.0, (len(ordered) - place) * p))
        adjusted[key] = so_far
    return {key: adjusted[key] for key in p_values}

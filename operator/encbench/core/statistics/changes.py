"""Where the level of a series changes: its best split, held to a permutation test.

The gain of a split into k and n − k values is what two means of their ranks explain beyond one:
k (n − k) / n · (mean rank after − mean rank before)². If all values come from one distribution,
their order says nothing, so the gain of the best split is compared with that of the same values in
random orders. The noise from one campaign to the next need not be known, and may have any shape;
by ranks, one strange campaign weighs no more than any other. Where a split is shown, either part is
searched in the same way: the bisection of E-Divisive (Matteson & James, "A nonparametric approach
for multiple change point analysis of multivariate data", Journal of the American Statistical
Association 109(505), 2014), which Apache Otava uses as well.

Of a series of up to `EXACT` values all orders are counted. Its smallest p-value can lie so close
below the level that random orders would miss it by chance, and by a fixed seed miss it for ever.
A longer one is tested by SciPy's `permutation_test`. Otava itself cannot be installed beside the
operator, because it pins older versions of numpy and scipy, and it brings clients of BigQuery and
Slack.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.05
PART = 2
"""The least values of a part: one campaign is no level."""
EXACT = 18
"""Values up to which all orders are counted; 18 take a tenth of a second."""
RESAMPLES = 9_999
"""The least, and as many as are in memory at once."""
SEED = 1
"""Of the random orders, so that equal series give equal p-values."""


@dataclass(frozen=True)
class LevelChange:
    """From the value at this place on, the level is another one."""

    place: int
    before: float
    """Median of the values since the last change."""
    after: float
    """Median of the values until the next one."""
    p: float


@dataclass(frozen=True)
class Course:
    """A series, cut where its level changes."""

    p: float | None
    """Of the whole series; None where it is too short for any answer."""
    changes: tuple[LevelChange, ...] = ()


def needed(level: float = LEVEL) -> int:
    """The least values with which a change can be shown at that level.

    The smallest p-value is that of a series which falls apart in its middle: of all ways to choose
    the values of one half, only two separate them like that. One value more has no smaller one,
    because two splits are then as good as each other.
    """
    half = PART
    while 2 / math.comb(2 * half, half) > level:
        half += 1
    return 2 * half


def course(values: Sequence[float], level: float = LEVEL) -> Course:
    """Test the series at that level, and cut it where a change is shown."""
    if len(values) < needed(level):
        return Course(None)
    p, found = _search(values, 0, level)
    parts = [middle for _, middle in levels(values, [place for place, _ in found])]
    changed = zip(found, pairwise(parts), strict=True)
    return Course(p, tuple(LevelChange(place, *around, own) for (place, own), around in changed))


def levels(values: Sequence[float], places: Sequence[int]) -> list[tuple[range, float]]:
    """The parts of a series that changes at these places, each with its median."""
    ends = pairwise([0, *places, len(values)])
    return [(range(a, b), median(values[a:b])) for a, b in ends]


def _search(
    values: Sequence[float], start: int, level: float
) -> tuple[float | None, list[tuple[int, float]]]:
    """The p-value of these values, and every place where one of their parts changes."""
    if len(values) < needed(level):
        return None, []
    place, p = _split(values, level)
    if p > level:
        return p, []
    # The parts share the level, so that a change that is there brings no others with it.
    before = _search(values[:place], start, level / 2)[1]
    after = _search(values[place:], start + place, level / 2)[1]
    return p, [*before, (start + place, p), *after]


def _split(values: Sequence[float], level: float) -> tuple[int, float]:
    """The place of the best split, and its p-value."""
    from scipy.stats import rankdata  # noqa: PLC0415 - a second that only a history pays

    series = rankdata(values)
    if min(series) == max(series):
        return PART, 1.0
    gains = _gains(series)
    short = len(series) <= EXACT
    p = _share(series, float(gains.max())) if short else _drawn(series, level)
    return PART + int(gains.argmax()), p


def _drawn(series: "NDArray[Any]", level: float) -> float:
    """The p-value of the best split by random orders.

    n of them have no p-value below 1 / (n + 1), so that a low level takes more of them, where the
    first have few that are as good.
    """
    import numpy as np  # noqa: PLC0415
    from scipy.stats import permutation_test  # noqa: PLC0415

    def p_value(resamples: int) -> float:
        tested = permutation_test(
            (series,),
            lambda sample, axis: _gains(np.moveaxis(sample, axis, -1)).max(axis=-1),
            permutation_type="pairings",
            vectorized=True,
            n_resamples=resamples,
            batch=RESAMPLES,
            alternative="greater",
            rng=np.random.default_rng(SEED),
        )
        return float(tested.pvalue)

    p, wanted = p_value(RESAMPLES), math.ceil(10 / level)
    if wanted > RESAMPLES and p <= 10 / RESAMPLES:
        p = p_value(wanted)
    return p


def _share(series: "NDArray[Any]", gain: float) -> float:
    """The share of all orders of these values, at most `EXACT`, whose best split gains so much.

    The others are counted by the sets of their first values, each set a number with a bit for every
    value. As many orders of a set have no such split as its subsets with one value less have in
    all, or none where the set itself is one side of such a split.
    """
    import numpy as np  # noqa: PLC0415

    count = len(series)
    sets = np.arange(1 << count)
    sizes, sums = np.zeros(len(sets), dtype=int), np.zeros(len(sets))
    for place, value in enumerate(series):
        has = sets >> place & 1
        sizes += has
        sums += value * has
    splits = (sizes >= PART) & (sizes <= count - PART)
    fair = ~splits
    # Splits that mirror each other differ by rounding.
    fair[splits] = _gain(sizes[splits], sums[splits], count, sums[-1]) < gain * (1 - 1e-9)
    # 18! is below 2^53, so that these numbers are exact.
    orders = np.zeros(len(sets))
    orders[0] = 1
    for size in range(1, count + 1):
        own = sets[fair & (sizes == size)]
        for place in range(count):
            # Without that value it is a larger set, for which nothing is counted yet.
            orders[own] += orders[own ^ (1 << place)]
    return float(1 - orders[-1] / math.factorial(count))


def _gains(series: "NDArray[Any]") -> "NDArray[Any]":
    """The gain of every split along the last axis."""
    import numpy as np  # noqa: PLC0415

    count = series.shape[-1]
    first = np.arange(PART, count - PART + 1)
    sums = series.cumsum(axis=-1)
    return np.asarray(_gain(first, sums[..., first - 1], count, sums[..., -1:]))


def _gain(first: Any, before: Any, count: int, total: Any) -> Any:
    """The gain where so many `first` values of `count` have the sum `before` of `total`."""
    step = (total - before) / (count - first) - before / first
    return first * (count - first) / count * step**2

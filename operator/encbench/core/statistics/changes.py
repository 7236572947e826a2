"""Where the level of a series changes: its best split, held to a permutation test.

The gain of a split into k and n − k values is what two means of their ranks explain beyond one:
k (n − k) / n · (mean rank after − mean rank before)². If all values come from one distribution,
their order says nothing, so the gain of the best split is compared with that of the same values in
random orders. The noise from one campaign to the next need not be known, and may have any shape;
by ranks, one strange campaign weighs no more than any other. Where a split is shown, either part is
searched in the same way: the bisection of E-Divisive (Matteson & James, "A nonparametric approach
for multiple change point analysis of multivariate data", Journal of the American Statistical
Association 109(505), 2014), which Apache Otava uses as well.

The test is SciPy's `permutation_test`. Otava itself cannot be installed beside the operator,
because it pins older versions of numpy and scipy, and it brings clients of BigQuery and Slack.
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
    """The place of the best split, and its p-value.

    n random orders have no p-value below 1 / (n + 1), so that a low level takes more of them, where
    the first have few that are as good.
    """
    # A second that only a history pays.
    import numpy as np  # noqa: PLC0415
    from scipy.stats import permutation_test, rankdata  # noqa: PLC0415

    series = rankdata(values)
    if min(series) == max(series):
        return PART, 1.0

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
    return PART + int(_gains(series).argmax()), p


def _gains(series: "NDArray[Any]") -> "NDArray[Any]":
    """The gain of every split along the last axis."""
    import numpy as np  # noqa: PLC0415

    count = series.shape[-1]
    first = np.arange(PART, count - PART + 1)
    sums = series.cumsum(axis=-1)
    before = sums[..., first - 1]
    step = (sums[..., -1:] - before) / (count - first) - before / first
    return np.asarray(first * (count - first) / count * step**2)

"""Follow-ups of campaigns that could not tell: how often are all looks together wrong?

Both rows of the rule in docs/design/0013-extend.md, where a mistake is most likely: the mode costs
exactly the margin on both days, so that neither verdict would be right. Whether the pooled interval
covers where the second day has a level of its own is asked apart from that: its truth is the mean
of both days by their blocks.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.random import Generator

from encbench.core.statistics.intervals import Estimate, of_ratios
from encbench.core.statistics.verdict import judge

CAMPAIGNS = 4000
SEED = 20260813
BLOCKS, MORE = 6, 12
NOISE, MARGIN = 0.03, 0.05
SHIFT = 0.1
"""Of the level from one day to the next: more than three times the noise, so that a spread around
the mean of both days would show."""
TRUTH = float(np.log1p(-MARGIN))
WRONG = ("Overhead", "Equivalent")

Look = Callable[[list[float], list[float]], Estimate | None]


def _first(first: list[float], _: list[float]) -> Estimate | None:
    return of_ratios(first)


def _own(_: list[float], more: list[float]) -> Estimate | None:
    return of_ratios(more)


def _pooled(first: list[float], more: list[float]) -> Estimate | None:
    return of_ratios([*first, *more], campaigns=[0] * len(first) + [1] * len(more))


def _campaigns(random: Generator) -> Iterator[tuple[list[float], list[float]]]:
    for _ in range(CAMPAIGNS):
        yield (list(random.normal(TRUTH, NOISE, BLOCKS)), list(random.normal(TRUTH, NOISE, MORE)))


def _verdict(found: Estimate | None, looks: int) -> str:
    assert found is not None
    return judge({"mode": found}, MARGIN, looks=looks)["mode"].verdict


@pytest.mark.parametrize(
    ("name", "looks", "second"),
    [("announced, judged by all blocks", 2, _pooled), ("not announced, by its own", 1, _own)],
)
def test_all_looks_together_are_wrong_in_five_percent_at_most(
    name: str, looks: int, second: Look, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = dict.fromkeys(WRONG, 0)
    for first, more in _campaigns(np.random.default_rng(SEED)):
        said = _verdict(_first(first, more), looks)
        if said == "Inconclusive":
            said = _verdict(second(first, more), looks)
        if said in wrong:
            wrong[said] += 1
    with capsys.disabled():
        shares = ", ".join(f"wrong {one} {count / CAMPAIGNS:.1%}" for one, count in wrong.items())
        print(f"\nfollow-ups, {name}: {shares}")
    # Two standard errors of a share of 5 % are 0.7 %.
    assert max(wrong.values()) / CAMPAIGNS <= 0.057


@pytest.mark.parametrize("spread", [0.0, SHIFT])
def test_pooled_intervals_cover_whatever_the_level_of_each_day(spread: float) -> None:
    """Where every campaign is extended: of those that cannot tell, only some are."""
    random, covered = np.random.default_rng(SEED), 0
    for first, more in _campaigns(random):
        shift = random.normal(0, spread)
        found = _pooled(first, [ratio + shift for ratio in more])
        bounds = found.bounds() if found else None
        assert bounds is not None
        covered += bounds.low <= TRUTH + shift * MORE / (BLOCKS + MORE) <= bounds.high
    assert 0.93 <= covered / CAMPAIGNS <= 0.97

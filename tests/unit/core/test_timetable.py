"""The timetable of an interleaved block."""

from collections import Counter
from itertools import pairwise

from encbench.core.timetable import timetable


def made(seed: int = 7, rounds: int = 20, arms: int = 3) -> tuple[int, ...]:
    return timetable(rounds=rounds, arms=arms, seed=seed)


def test_every_round_has_every_arm_once() -> None:
    one = made()
    assert len(one) == 60
    for number in range(20):
        assert sorted(one[3 * number : 3 * number + 3]) == [0, 1, 2]


def test_the_seed_alone_decides() -> None:
    assert made() == made()
    assert made() != made(seed=8)


def test_an_arm_follows_every_other_about_as_often() -> None:
    turns = made(rounds=1000)
    pairs = Counter(pair for pair in pairwise(turns) if len(set(pair)) == 2)
    assert len(pairs) == 6
    assert max(pairs.values()) < 1.2 * min(pairs.values())

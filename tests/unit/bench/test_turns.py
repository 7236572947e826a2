"""The order of a benchmark's arms."""

import random
from itertools import pairwise

from tests.bench import turns


def test_every_round_has_every_arm_and_none_comes_twice_in_a_row() -> None:
    arms = ["a", "b", "c"]
    drawn = random.Random(turns.SEED)
    rounds = []
    for _ in range(200):
        turns.draw(arms, drawn)
        rounds.append("".join(arms))

    assert all(sorted(one) == ["a", "b", "c"] for one in rounds)
    assert all(one != another for one, another in pairwise("".join(rounds)))
    # Each follows each of the others about as often.
    followed = [one + another for one, another in pairwise("".join(rounds))]
    assert all(60 <= followed.count(one) <= 140 for one in ("ab", "ac", "ba", "bc", "ca", "cb"))


def test_one_arm_alone_is_asked_again() -> None:
    arms = ["a"]

    turns.draw(arms, random.Random(turns.SEED))

    assert arms == ["a"]

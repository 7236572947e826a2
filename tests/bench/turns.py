"""In which order a benchmark asks its arms."""

import random
from typing import TypeVar

Arm = TypeVar("Arm")

SEED = 1
"""Of a benchmark without launches, whose numbers are the seeds."""


def draw(arms: list[Arm], drawn: random.Random) -> None:
    """Put the arms into the order of the next round, in place.

    The one that was last is not first: what its server or its JVM still does would count for it
    alone.
    """
    last = arms[-1]
    drawn.shuffle(arms)
    if arms[0] is last:
        arms.reverse()

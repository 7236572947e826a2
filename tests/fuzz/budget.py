"""Running one check on generated inputs for a bounded time."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.strategies import SearchStrategy

SEED = "ENCBENCH_FUZZ_SEED"
"""Environment variable with the seed of a run."""
SLOW = 2.0
"""Seconds of CPU that no parser may need for an input of this size, even on a busy machine."""
_AT_ONCE = 25

T = TypeVar("T")


@dataclass(frozen=True)
class Budget:
    """How long one fuzzer runs."""

    seconds: float
    seed: int

    def spend(
        self, check: Callable[[T], object], inputs: SearchStrategy[T], found: Sequence[T] = ()
    ) -> None:
        """Check inputs until the time is over; `found` are what an earlier run has stumbled over.

        A failure shows the smallest such input and the seed.
        """
        until = time.monotonic() + self.seconds
        for one in found:
            _timed(check, one)
        draw, rounds = random.Random(self.seed), 0
        while time.monotonic() < until or not rounds:
            _round(draw.randrange(2**32), check, inputs)
            rounds += 1
        print(f"{SEED}={self.seed}: {rounds * _AT_ONCE} inputs")


def _round(seed: int, check: Callable[[T], object], inputs: SearchStrategy[T]) -> None:
    @seeded(seed)
    @settings(
        max_examples=_AT_ONCE,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=False,
    )
    @given(inputs)
    def one(value: T) -> None:
        _timed(check, value)

    one()


def _timed(check: Callable[[T], object], value: T) -> None:
    began = time.process_time()
    check(value)
    took = time.process_time() - began
    assert took < SLOW, f"it took {took:.1f} s"

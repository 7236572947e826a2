"""How long others have given no sign of life, by one's own clock.

The time that another process has written may come from a wrong clock. What counts is when this
process first saw the sign, as in client-go's leader election.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Ages(Generic[K]):
    """The last sign of each, and when this process first saw it.

    `ticks` is a clock in seconds that is never set. From one look to the next no more than `most`
    seconds count: who could not look, as while the API server is away, cannot know who was silent.
    """

    def __init__(self, ticks: Callable[[], float], most: float = math.inf) -> None:
        self._ticks, self._most, self._looked = ticks, most, ticks()
        self._seen: dict[K, tuple[str, float]] = {}

    def see(self, signs: Mapping[K, str]) -> dict[K, float]:
        """Seconds since each sign was new; what has none any more is forgotten."""
        now, known = self._ticks(), self._seen
        unseen, self._looked = max(0.0, now - self._looked - self._most), now
        self._seen = {
            who: (sign, known[who][1] + unseen)
            if who in known and known[who][0] == sign
            else (sign, now)
            for who, sign in signs.items()
        }
        return {who: now - since for who, (_, since) in self._seen.items()}

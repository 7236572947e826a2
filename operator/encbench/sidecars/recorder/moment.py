"""Moments by two clocks: Unix time for others, and a clock that nobody sets for lengths.

The second is CLOCK_BOOTTIME, which is what the first figure of `/proc/uptime` shows, so that the
wrapper's stamps and ours are of one clock.
"""

import time
from typing import NamedTuple

from encbench.wire import recorder as wire


class Moment(NamedTuple):
    """One moment."""

    unix: float
    monotonic: float

    def to_wire(self) -> wire.MomentStamp:
        """As the summary has it."""
        return wire.MomentStamp(unix=round(self.unix, 3), monotonic=round(self.monotonic, 3))


def monotonic() -> float:
    """Seconds by the clock that nobody sets."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def now() -> Moment:
    """This moment."""
    return Moment(time.time(), monotonic())


def at_unix(unix: float) -> Moment:
    """A moment of the last seconds, known by Unix time only, such as a file's modification."""
    here = now()
    return Moment(unix, here.monotonic - (here.unix - unix))

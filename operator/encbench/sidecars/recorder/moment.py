"""Moments by two clocks: Unix time for other machines, and a monotonic clock for durations.

The second is CLOCK_BOOTTIME, the first number in `/proc/uptime`, so the wrapper's stamps and ours
come from one clock.
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
    """Seconds by the monotonic clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def drift() -> float:
    """How far Unix time is ahead of the monotonic clock now, in seconds."""
    return time.time() - monotonic()


def at_unix(unix: float) -> Moment:
    """A recent moment that is known by Unix time only, such as a file's modification."""
    return Moment(unix, unix - drift())


def at_uptime(uptime: float) -> Moment:
    """A recent moment that is known by `/proc/uptime` only, to a hundredth of a second."""
    return Moment(uptime + drift(), uptime)

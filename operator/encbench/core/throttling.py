"""For which share of its running time the CPU limit of a client held it back.

Judgement and report go by the same share. A client that takes turns is throttled in its own slots
alone, so those are its running time.

Linux has two counters, each of which says too much. Throttled seconds are summed over CPUs: eight
of them can be throttled for eight seconds in one. Throttled periods (of 100 ms as a rule) are
whole, though the limit may have held the client back for the last moment of each. Neither share is
below that of the time, so the smaller one counts.
"""

from encbench.api.trial import Window
from encbench.core.records import ClientFacts
from encbench.core.slices import Slices


def running_seconds(window: Window | None, slices: Slices | None) -> float:
    """How long a trial's clients ran; 0 if they measured nothing."""
    if slices is not None:
        return slices.running_seconds
    return 0.0 if window is None else max(0.0, window.end - window.start)


def throttled_share(client: ClientFacts, running: float) -> float | None:
    """The share, at most 1, of that running time in seconds; None if it is not known."""
    if client.throttled_seconds is None or running <= 0:
        return None
    of_time = client.throttled_seconds / running
    if client.throttled_periods is None or not client.cpu_periods:
        return min(1.0, of_time)
    return min(1.0, of_time, client.throttled_periods / client.cpu_periods)

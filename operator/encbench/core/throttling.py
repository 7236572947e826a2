"""For which share of its running time the CPU limit of a client held it back.

Judgement and report go by the same share. A client that takes turns is throttled in its own slots
alone, so those are its running time; of the whole block it would be a part of it.
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
    return min(1.0, client.throttled_seconds / running)

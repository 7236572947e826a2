"""Latency that stops take away: what Little's law says beside the histogram.

A tool that is stopped at the end of each slice has no latency for the transactions that are then
under way. The server finishes them meanwhile, so they end as soon as the tool goes on, and one that
lasts longer than since its slice's begin is in no histogram whatever the number of slices. Short
transactions lose nothing, because what `settle` leaves out is what the stop cuts off.

How many are under way at a stop is a sample of how many are at any time. By Little's law (L = λW)
that number by the rate is the average latency, with those that are missing. It is a lower bound,
because a stop ends a stall early.
"""

import math

CHANCE = 3.0
"""Standard deviations of that sample by which the average may be off."""
FAR_BELOW = 0.25
"""Of the transactions beyond a percentile, the share that may be missing: a p99 is then at least
the 98.75th percentile of all."""


def whole_average_ms(interrupted: int, stops: int, seconds: float, transactions: int) -> float:
    """The average latency in ms by Little's law, of that many transactions in counted seconds."""
    return 1000 * interrupted / stops * seconds / max(1, transactions)


def too_low(seen_ms: float, whole_ms: float, interrupted: int, most: int) -> float:
    """Fraction by which an average of a histogram is too low, at least; 0 if chance explains it.

    `most` transactions can be under way at all stops together: the threads at each. Where all are,
    there is no chance in their number.
    """
    if not interrupted:
        return 0.0
    chance = CHANCE * math.sqrt(max(0.0, 1 - interrupted / most) / interrupted)
    whole = whole_ms * (1 - chance)
    return max(0.0, 1 - seen_ms / whole) if whole > 0 else 0.0


def missing(
    seen_ms: float, whole_ms: float, interrupted: int, transactions: int, settle_seconds: float
) -> float:
    """The share of transactions that a histogram lacks, at most.

    Each was under way for at least `settle` of counted time, and all of them for what the average
    lacks. They are never more than were interrupted.
    """
    transactions = max(1, transactions)
    share = interrupted / transactions
    if settle_seconds > 0:
        share = min(share, max(0.0, whole_ms - seen_ms) / (1000 * settle_seconds))
    return share


def is_known(percentile: float, share: float) -> bool:
    """Whether a histogram that lacks that share of transactions still has this percentile."""
    return share <= FAR_BELOW * (1 - percentile / 100)

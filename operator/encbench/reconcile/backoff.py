"""How often to look at what keeps us waiting: ever less often, because looking costs CPU."""

LONGEST = 15.0


def backoff(waited: float, shortest: float, longest: float = LONGEST) -> float:
    """Seconds until the next look at something that has not come for `waited` seconds."""
    return min(longest, max(shortest, waited / 10))

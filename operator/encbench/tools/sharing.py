"""Dividing a total between the replicas of a client."""

_MAX_SEED = 2**31 - 1


def shares(whole: int, parts: int) -> list[int]:
    """A number divided into parts that differ by at most one, the larger ones first."""
    each, rest = divmod(whole, parts)
    return [each + (index < rest) for index in range(parts)]


def seed_of(seed: int, index: int) -> int:
    """The distinct seed of one replica. Never 0, because sysbench would use the time instead."""
    return (seed + index - 1) % _MAX_SEED + 1

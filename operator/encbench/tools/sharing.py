"""How replicas of a client share what is meant for all of them."""

_MAX_SEED = 2**31 - 1


def shares(whole: int, parts: int) -> list[int]:
    """A number in parts as equal as whole numbers allow, the larger ones first."""
    each, rest = divmod(whole, parts)
    return [each + (index < rest) for index in range(parts)]


def seed_of(seed: int, index: int) -> int:
    """The seed of one replica, another for each. Never 0: sysbench would take the time instead."""
    return (seed + index - 1) % _MAX_SEED + 1

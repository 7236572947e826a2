"""How replicas of a client share what is meant for all of them."""


def shares(whole: int, parts: int) -> list[int]:
    """A number in parts as equal as whole numbers allow, the larger ones first."""
    each, rest = divmod(whole, parts)
    return [each + (index < rest) for index in range(parts)]

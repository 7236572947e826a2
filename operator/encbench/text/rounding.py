"""How many decimals keep the order of two numbers, so that a printed figure bears out its text."""

import math
from collections.abc import Iterable

_MOST = 6


def decimals(least: int, values: Iterable[float], limit: float) -> int:
    """The fewest, but `least`, by which each value prints on its own side of the limit.

    4.26 against 4 needs one. More than six are never given.
    """
    own = tuple(values)
    return next(
        (n for n in range(least, _MOST) if all(_keeps_side(v, limit, n) for v in own)), _MOST
    )


def beyond(value: float, limit: float, least: int = 0) -> str:
    """A value that is above its limit, with enough decimals to be read as above it."""
    return f"{value:.{decimals(least, [value], limit)}f}"


def apart(one: float, other: float, least: int = 1) -> tuple[str, str]:
    """Two numbers with as many decimals as show that they differ, if they do."""
    digits = next((n for n in range(least, _MOST) if f"{one:.{n}f}" != f"{other:.{n}f}"), least)
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def _keeps_side(value: float, limit: float, digits: int) -> bool:
    if math.isclose(value, limit, rel_tol=1e-9, abs_tol=1e-12):
        return True
    shown = round(value, digits)
    return shown > limit if value > limit else shown < limit

"""JSON and text that a program outside encbench's control may have written. Standard library only.

`json.loads` takes more than JSON has (NaN), numbers that no float holds, and raises RecursionError
where brackets are nested deeply. A tool's image can write all of it.
"""

import json
import math
from typing import Any

LONGEST = 1000
"""Letters of a sentence or a line that are kept."""
_DIGITS = 300
"""The most of a whole number, so that every number fits a float."""


def parsed(text: str | bytes) -> Any:
    """The value; ValueError for anything but JSON with finite numbers, moderately nested."""
    try:
        return json.loads(text, parse_constant=_constant, parse_float=_float, parse_int=_int)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def said(text: str, field: str) -> Any:
    """What an object in JSON has in that field; None without it, and for any other text."""
    try:
        return parsed(text)[field]
    except (ValueError, TypeError, KeyError):
        return None


def most_values(content: bytes) -> int:
    """At most so many values are in that JSON, which may have many more bytes once it is parsed.

    Each begins with a bracket or follows a comma, but for the first; strings may have more of them.
    """
    return sum(map(content.count, b"[{,"))


def printable(text: str, longest: int | None = LONGEST, keep: str = "") -> str:
    """The first letters, with a space for each that cannot be seen: it could command a terminal.

    Those of `keep` stay; without `longest`, all letters do.
    """
    seen = (one if one.isprintable() or one in keep else " " for one in text[:longest])
    return "".join(seen)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _int(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError("a number has too many digits")
    return int(text)

"""Counts and lists in a sentence."""

import re
from collections.abc import Iterable

_COMPARED = 1000
"""Letters; whoever keeps a text may cut it far beyond them."""


def plural(count: int, noun: str) -> str:
    """`1 block`, `2 blocks`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def steady(said: str, before: str) -> str:
    """`before` where only numbers differ, such as the ports and times in messages of others."""
    masked = (re.sub(r"[0-9]+", "0", one[:_COMPARED]) for one in (said, before))
    return before if len(set(masked)) == 1 else said


def capitalised(words: str) -> str:
    """`Loss of TPS`; changes the first letter only."""
    return words[:1].upper() + words[1:]

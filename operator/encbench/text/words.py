"""Counts and lists in a sentence."""

from collections.abc import Iterable


def plural(count: int, noun: str) -> str:
    """`1 block`, `2 blocks`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def capitalised(words: str) -> str:
    """`Loss of TPS`; changes the first letter only."""
    return words[:1].upper() + words[1:]

"""The key file of MariaDB's file_key_management: a line `<number>;<key in hex>` for each key."""

import re
from collections.abc import Callable

NUMBER = "1"
"""The key that tables and logs are encrypted with."""
_LINE = re.compile(r"([0-9]{1,10});([0-9a-fA-F]+)")
_DIGITS = (32, 48, 64)
_WRITE = "write a line of the form 1;<64 hex digits>"


def fresh(random_token: Callable[[int], str]) -> str:
    """One key of 256 bits."""
    return f"{NUMBER};{random_token(32)}\n"


def unfit(text: str) -> str | None:
    """Why a text is no key file, in words that do not repeat it; None for a key file."""
    lines = [line.strip() for line in text.splitlines()]
    found = [_LINE.fullmatch(line) for line in lines if line and not line.startswith("#")]
    keys = [key for key in found if key is not None]
    if not found or len(keys) < len(found):
        return f"is not a key file of MariaDB: {_WRITE}"
    if any(len(key[2]) not in _DIGITS for key in keys):
        return f"has a key that is not of 128, 192 or 256 bits: {_WRITE}"
    if NUMBER not in [key[1] for key in keys]:
        return f"has no key with the number {NUMBER}: {_WRITE}"
    return None

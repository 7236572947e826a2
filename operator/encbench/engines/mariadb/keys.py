"""The key file of MariaDB's file_key_management: a line `<number>;<key in hex>` for each key.

The server splits at line feeds alone, and its blanks are those of ASCII: a carriage return before a
line feed is one of them.
"""

import re
from collections.abc import Callable

NUMBER = "1"
"""The key that tables and logs are encrypted with."""
_LINE = re.compile(r"([0-9]{1,10});([0-9a-fA-F]+)")
_DIGITS = (32, 48, 64)
_NUMBERS = range(1, 2**32)
_BLANKS = " \t\r\v\f"
_WRITE = "write a line of the form 1;<64 hex digits>"


def fresh(random_token: Callable[[int], str]) -> str:
    """One key of 256 bits."""
    return f"{NUMBER};{random_token(32)}\n"


def unfit(text: str) -> str | None:
    """Why a text is no key file, in words that do not repeat it; None for a key file."""
    found = [_LINE.fullmatch(line) for line in _lines(text) if not line.startswith("#")]
    keys = [key for key in found if key is not None]
    # The server reads no further than a NUL, wherever it is.
    if not found or len(keys) < len(found) or "\0" in text:
        return f"is not a key file of MariaDB: {_WRITE}"
    if any(int(key[1]) not in _NUMBERS for key in keys):
        return f"has a key whose number is not from 1 to {_NUMBERS[-1]}: {_WRITE}"
    if any(len(key[2]) not in _DIGITS for key in keys):
        return f"has a key that is not of 128, 192 or 256 bits: {_WRITE}"
    if int(NUMBER) not in [int(key[1]) for key in keys]:
        return f"has no key with the number {NUMBER}: {_WRITE}"
    return None


def _lines(text: str) -> list[str]:
    """The lines without blanks around them; of blank ones only a last one that does not end.

    The server takes such an end for a key that it cannot read.
    """
    *whole, rest = text.split("\n")
    found = [line for line in (one.strip(_BLANKS) for one in whole) if line]
    return [*found, rest.strip(_BLANKS)] if rest else found

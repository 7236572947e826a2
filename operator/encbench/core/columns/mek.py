"""The master encryption key (MEK) as text: 32 hex digits, a line end after them allowed."""

import re

from encbench.core.columns.layout import MEK_DIGITS

_WELL_FORMED = re.compile(f"[0-9a-fA-F]{{{MEK_DIGITS}}}\\r?\\n?")


def key_of(text: str) -> bytes:
    """The 16 bytes of a key; ValueError for any other text, which it does not repeat."""
    if unfit(text) is not None:
        raise ValueError("the key is not 32 hex digits")
    return bytes.fromhex(text.strip())


def unfit(text: str) -> str | None:
    """Why a text is no key, in words that do not repeat it; None for a key."""
    if _WELL_FORMED.fullmatch(text):
        return None
    bare = text.removesuffix("\n").removesuffix("\r")
    if re.fullmatch("[0-9a-fA-F]*", bare):
        return f"has {len(bare)} hex digits: write {MEK_DIGITS}, which are 128 bits"
    return f"is not written in hex digits: write {MEK_DIGITS} of 0-9 and a-f, and nothing else"

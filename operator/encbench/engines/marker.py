"""The marker: a text that is known, and the name of the table that it is planted in.

The agent imports this module: the standard library only. Each engine knows how the text gets into
every kind of file that its server writes.
"""

import hashlib
import re

PREFIX = "encbench_marker_"
ROWS = 16
"""Rows that bear the marker, so that one is whole wherever a file is cut."""

Statement = tuple[str, tuple[object, ...]]

MARKER = re.compile(r"[A-Za-z0-9_-]{16,128}")
"""Long enough not to occur by chance, and the same bytes in every character set."""


def is_marker(text: str) -> bool:
    """Whether the text may be planted."""
    return MARKER.fullmatch(text) is not None


def table_name(marker: str) -> str:
    """Name of the marker's table. It does not contain the marker, which dictionaries would keep."""
    return PREFIX + hashlib.sha256(marker.encode()).hexdigest()[:16]


def like_table_name() -> str:
    """A pattern for LIKE that the name of every marker table fits."""
    return PREFIX.replace("_", r"\_") + "%"

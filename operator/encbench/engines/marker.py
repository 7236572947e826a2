"""The marker: a known text, and the name of the table that holds it.

The agent imports this module: the standard library only. Each engine knows how the text gets into
every kind of file that its server writes.
"""

import hashlib
import re

PREFIX = "encbench_marker_"
ROWS = 16
"""Rows with the marker, so that one is whole wherever a file is cut."""

Statement = tuple[str, tuple[object, ...]]
Step = tuple[str, tuple[Statement, ...]]
"""A name, and statements that belong together."""

MARKER = re.compile(r"[A-Za-z0-9_-]{16,128}")
"""Long enough not to occur by chance, and ASCII: the bytes that are searched for. A column's
character set may have others, such as utf16, so MySQL's and MariaDB's columns name `CHARSET`."""

CHARSET = "CHARACTER SET ascii"


def is_marker(text: str) -> bool:
    """Whether the text may be planted."""
    return MARKER.fullmatch(text) is not None


def table_name(marker: str) -> str:
    """Name of the marker's table: a hash, because a dictionary would keep the marker itself."""
    return PREFIX + hashlib.sha256(marker.encode()).hexdigest()[:16]


def like_table_name() -> str:
    """A pattern for LIKE that matches every marker table."""
    return PREFIX.replace("_", r"\_") + "%"

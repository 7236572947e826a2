"""The marker table: how a known text gets into every kind of file that the server writes.

The agent imports this module: the standard library only. A new table holds the marker, made with
the server's defaults, so that what the defaults do is what is seen. `FLUSH TABLES ... FOR EXPORT`
returns when the table's pages are in its file, and by the write-ahead rule what they say is in the
redo log before. Only the first row of a page is sure to stand whole in the redo log (later ones
may be written as a difference to their neighbour); several rows are there all the same, for the
table's own file.
"""

import hashlib
import re

from encbench.engines.mariadb.layout import DATABASE

PREFIX = "encbench_marker_"
ROWS = 16

Statement = tuple[str, tuple[object, ...]]

MARKER = re.compile(r"[A-Za-z0-9_-]{16,128}")
"""Long enough not to occur by chance, and the same bytes in every character set."""

LEFT_BEHIND: Statement = (
    "SELECT TABLE_NAME FROM information_schema.TABLES "
    "WHERE TABLE_SCHEMA = %s AND TABLE_NAME LIKE %s",
    (DATABASE, PREFIX.replace("_", r"\_") + "%"),
)
"""Names of marker tables that an interrupted proof left."""

FLUSH_BINARY_LOG: Statement = ("FLUSH BINARY LOGS", ())
UNLOCK: Statement = ("UNLOCK TABLES", ())


def table_name(marker: str) -> str:
    """Name of the marker's table. It does not contain the marker, which dictionaries would keep."""
    return PREFIX + hashlib.sha256(marker.encode()).hexdigest()[:16]


def table_file(table: str) -> str:
    """The table's own file, relative to the data directory."""
    return f"{DATABASE}/{table}.ibd"


def plant(table: str, marker: str) -> tuple[Statement, ...]:
    """Make the table and write the marker."""
    rows = ", ".join(["(%s)"] * ROWS)
    return (
        (
            f"CREATE TABLE {DATABASE}.{table} ("
            "id INT AUTO_INCREMENT PRIMARY KEY, marker VARCHAR(128) NOT NULL) ENGINE=InnoDB",
            (),
        ),
        # The text consists of constants alone; the marker is a parameter.
        (f"INSERT INTO {DATABASE}.{table} (marker) VALUES {rows}", (marker,) * ROWS),  # noqa: S608
        ("COMMIT", ()),
    )


def flush(table: str) -> Statement:
    """Wait until the table is in its file. It is locked until `UNLOCK`."""
    return (f"FLUSH TABLES {DATABASE}.{table} FOR EXPORT", ())


def drop(table: str) -> Statement:
    """Remove the table."""
    return (f"DROP TABLE IF EXISTS {DATABASE}.{table}", ())

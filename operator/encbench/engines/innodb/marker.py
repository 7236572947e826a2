"""The marker table: how a known text gets into every kind of file that the server writes.

The agent imports this module: the standard library only. A new table holds the marker. It is made
with the server's defaults, because the proof must show what the defaults do. Only its text has a
character set of its own, or the marker might not be the bytes that are searched for. `FLUSH TABLES
... FOR EXPORT` returns when the table's pages are in its file; by the write-ahead rule their
content is in the redo log by then. The redo log is sure to hold only the first row of a page whole,
because it may hold later rows as differences to their neighbour. The other rows are for the table's
own file.
"""

from encbench.core.connection import DATABASE
from encbench.engines.marker import CHARSET, ROWS, Statement, like_table_name

LEFT_BEHIND: Statement = (
    "SELECT TABLE_NAME FROM information_schema.TABLES "
    "WHERE TABLE_SCHEMA = %s AND TABLE_NAME LIKE %s",
    (DATABASE, like_table_name()),
)
"""Finds the names of marker tables that an interrupted proof left."""

FLUSH_BINARY_LOG: Statement = ("FLUSH BINARY LOGS", ())


def table_file(table: str) -> str:
    """The table's own file, relative to the data directory."""
    return f"{DATABASE}/{table}.ibd"


def plant(table: str, marker: str) -> tuple[Statement, ...]:
    """Make the table, write the marker, and wait until it is in the table's file."""
    rows = ", ".join(["(%s)"] * ROWS)
    return (
        (
            f"CREATE TABLE {DATABASE}.{table} ("
            f"id INT AUTO_INCREMENT PRIMARY KEY, marker VARCHAR(128) {CHARSET} NOT NULL) "
            "ENGINE=InnoDB",
            (),
        ),
        # The text consists of constants alone; the marker is a parameter.
        (f"INSERT INTO {DATABASE}.{table} (marker) VALUES {rows}", (marker,) * ROWS),  # noqa: S608
        ("COMMIT", ()),
        (f"FLUSH TABLES {DATABASE}.{table} FOR EXPORT", ()),
        ("UNLOCK TABLES", ()),
    )


def drop(table: str) -> Statement:
    """Remove the table."""
    return (f"DROP TABLE IF EXISTS {DATABASE}.{table}", ())

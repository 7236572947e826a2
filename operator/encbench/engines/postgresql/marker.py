"""The marker table: how a known text gets into every kind of file that the server writes.

The agent imports this module: the standard library only. A new table holds the marker. It is made
with the server's defaults, because the proof must show what the defaults do. The write-ahead log
gets each row whole, because the page is new. `VACUUM FULL` then rewrites the table past the shared
buffers and returns when its file and its log are on disk. So planting needs no checkpoint, wherever
a proof is made. The one before each proof of a trial is `settle`'s, which leaves no dirty page for
the window of another server.
"""

from encbench.engines.marker import ROWS, Statement, like_table_name

SCHEMA = "encbench_agent"
"""The agent's own schema, which keeps its tables apart from the benchmark's."""

LEFT_BEHIND: Statement = (
    "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace "
    "WHERE nspname = %s AND relkind = 'r' AND relname LIKE %s",
    (SCHEMA, like_table_name()),
)
"""Finds the names of marker tables that an interrupted proof left."""


def plant(table: str, marker: str) -> tuple[Statement, ...]:
    """Make the table, write the marker, and wait until it is in the table's file."""
    rows = ", ".join(["(%s)"] * ROWS)
    return (
        (f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}", ()),
        (f"CREATE TABLE {SCHEMA}.{table} (marker text NOT NULL)", ()),
        # The text consists of constants alone; the marker is a parameter.
        (f"INSERT INTO {SCHEMA}.{table} (marker) VALUES {rows}", (marker,) * ROWS),  # noqa: S608
        (f"VACUUM (FULL) {SCHEMA}.{table}", ()),
    )


def file_of(table: str) -> Statement:
    """Finds the table's own file, relative to the data directory; its name is a number."""
    return ("SELECT pg_relation_filepath(CAST(%s AS regclass))", (f"{SCHEMA}.{table}",))


def drop(table: str) -> Statement:
    """Remove the table."""
    return (f"DROP TABLE IF EXISTS {SCHEMA}.{table}", ())

"""How the marker gets into every kind of file that MySQL writes.

The agent imports this module: the standard library only. The table is that of `innodb.marker`, with
the marker in its rows: so it lies in the table's file, the doublewrite buffer, the redo log and the
binary log. Undo log and system tables are given its echo, which is another text: pages of all
tablespaces pass through the doublewrite buffer, and where only some of them are encrypted, the two
are told apart by it. The table's comment brings the echo into the data dictionary, an UPDATE that
overwrites it into the undo log.
"""

from encbench.core.connection import DATABASE
from encbench.engines.marker import ROWS, Statement


def echo(marker: str) -> str:
    """The text for undo log and dictionary: of the same bytes, and not the marker."""
    return marker[::-1]


def plant(table: str, marker: str) -> tuple[Statement, ...]:
    """Make the table, write marker and echo, and wait until they are in the table's file."""
    name, text = f"{DATABASE}.{table}", echo(marker)
    rows = ", ".join(["(%s, %s)"] * ROWS)
    # The statements consist of constants alone; marker and echo are parameters.
    return (
        (
            f"CREATE TABLE {name} (id INT AUTO_INCREMENT PRIMARY KEY, "
            "marker VARCHAR(128) NOT NULL, former VARCHAR(128) NOT NULL) "
            "ENGINE=InnoDB COMMENT=%s",
            (text,),
        ),
        (f"INSERT INTO {name} (marker, former) VALUES {rows}", (marker, text) * ROWS),  # noqa: S608
        (f"UPDATE {name} SET former = ''", ()),  # noqa: S608
        ("COMMIT", ()),
        (f"FLUSH TABLES {name} FOR EXPORT", ()),
        ("UNLOCK TABLES", ()),
    )

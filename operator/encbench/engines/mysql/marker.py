"""How the marker gets into every kind of file that MySQL writes.

The agent imports this module: the standard library only. The table is that of `innodb.marker`. The
marker in its rows reaches the table's file, the doublewrite buffer, the redo log and the binary
log. Undo log and system tables get another text, the marker's echo. Pages of all tablespaces pass
through the doublewrite buffer, so two texts are needed to distinguish them where only some are
encrypted. The table's comment brings the echo into the data dictionary; an UPDATE that overwrites
it brings it into the undo log.
"""

from encbench.core.connection import DATABASE
from encbench.engines.marker import CHARSET, ROWS, Statement


def echo(marker: str) -> str:
    """The text for undo log and dictionary: the marker's bytes in reverse order."""
    return marker[::-1]


def plant(table: str, marker: str) -> tuple[Statement, ...]:
    """Make the table, write marker and echo, and wait until they are in the table's file."""
    name, text = f"{DATABASE}.{table}", echo(marker)
    rows = ", ".join(["(%s, %s)"] * ROWS)
    # The statements consist of constants alone; marker and echo are parameters.
    return (
        (
            f"CREATE TABLE {name} (id INT AUTO_INCREMENT PRIMARY KEY, "
            f"marker VARCHAR(128) {CHARSET} NOT NULL, former VARCHAR(128) {CHARSET} NOT NULL) "
            "ENGINE=InnoDB COMMENT=%s",
            (text,),
        ),
        (f"INSERT INTO {name} (marker, former) VALUES {rows}", (marker, text) * ROWS),  # noqa: S608
        (f"UPDATE {name} SET former = ''", ()),  # noqa: S608
        ("COMMIT", ()),
        (f"FLUSH TABLES {name} FOR EXPORT", ()),
        ("UNLOCK TABLES", ()),
    )

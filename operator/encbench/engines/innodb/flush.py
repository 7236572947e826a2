"""Flushing InnoDB's dirty pages. The agent imports this module: the standard library only.

`FLUSH TABLES ... FOR EXPORT` writes every changed page of a table to its file and waits for it,
table by table, so that it can be left and taken up again; the pages stay in the pool. Undo logs and
system tables are left to the server: MySQL writes them as soon as it is idle, MariaDB when it must.
Rejected: the setting innodb_max_dirty_pages_pct, which an agent that dies in between would leave
behind, and which only the server's administrator may change.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from encbench.core.connection import DATABASE
from encbench.engines.marker import Statement

DIRTY = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'"
"""Its row ends with how many pages are changed and not written."""

_TABLES = (
    "SELECT TABLE_NAME FROM information_schema.TABLES "
    "WHERE TABLE_SCHEMA = %s AND TABLE_TYPE = 'BASE TABLE' AND ENGINE = 'InnoDB' "
    "ORDER BY TABLE_NAME"
)


class _Session(Protocol):
    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Sequence[Any]]:
        """Run a statement; its rows."""
        ...


def flush(session: _Session) -> Iterable[Statement]:
    """Statements that write what the benchmark's tables have changed."""
    for row in session.rows(_TABLES, (DATABASE,)):
        table = str(row[0]).replace("`", "``")
        yield f"FLUSH TABLES {DATABASE}.`{table}` FOR EXPORT", ()
        yield "UNLOCK TABLES", ()

"""What InnoDB has not written to its data files yet: how much there is, and how to write it.

The agent imports this module: the standard library only. `FLUSH TABLES ... FOR EXPORT` writes every
changed page of a table to its file and returns when that is done. It goes table by table, so a
flush can be interrupted and resumed; the pages stay in the pool. The server itself writes undo logs
and system tables: MySQL as soon as it is idle, MariaDB when it must. Rejected: the setting
innodb_max_dirty_pages_pct, which an agent that dies midway would leave behind, and which only the
server's administrator may change.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from encbench.core.connection import DATABASE
from encbench.engines.innodb.pool import InnodbSession
from encbench.engines.marker import Step

DIRTY = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'"
"""The last column of its row counts the pages that are changed and not written."""
DIRTY_BYTES = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_bytes_dirty'"
"""The same in bytes."""
STATUS = (
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_checkpoint_age', "
    "'Innodb_redo_log_current_lsn', 'Innodb_redo_log_checkpoint_lsn')"
)
"""MariaDB reports the checkpoint's age. MySQL reports both log positions since 8.0.30; older
servers report neither."""

_TABLES = (
    "SELECT TABLE_NAME FROM information_schema.TABLES "
    "WHERE TABLE_SCHEMA = %s AND TABLE_TYPE = 'BASE TABLE' AND ENGINE = 'InnoDB'"
)


def flush(session: InnodbSession, after: str) -> Iterable[Step]:
    """Steps that write the changed pages of the benchmark's tables, each named after its table."""
    for name in sorted(str(row[0]) for row in session.rows(_TABLES, (DATABASE,))):
        if name > after:
            table = name.replace("`", "``")
            flushing = (f"FLUSH TABLES {DATABASE}.`{table}` FOR EXPORT", ())
            yield name, (flushing, ("UNLOCK TABLES", ()))


def redo_bytes(rows: Iterable[Sequence[Any]]) -> int | None:
    """Bytes of redo log that a recovery would apply, from the rows of `STATUS`; None if unknown."""
    known = {str(name).lower(): int(value) for name, value in rows}
    age = known.get("innodb_checkpoint_age")
    if age is not None:
        return age
    current = known.get("innodb_redo_log_current_lsn")
    checkpoint = known.get("innodb_redo_log_checkpoint_lsn")
    return None if current is None or checkpoint is None else current - checkpoint

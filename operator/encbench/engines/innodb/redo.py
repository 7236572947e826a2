"""How much of the redo log the data files do not have yet: what a recovery would have to apply.

Text and functions over it, for the agent. MariaDB reports the checkpoint's age; MySQL reports both
log positions since 8.0.30; older servers report neither.
"""

from collections.abc import Iterable, Sequence
from typing import Any

STATUS = (
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_checkpoint_age', "
    "'Innodb_redo_log_current_lsn', 'Innodb_redo_log_checkpoint_lsn')"
)


def unwritten(rows: Iterable[Sequence[Any]]) -> int | None:
    """Bytes, from the rows of `STATUS`; None where the server does not say."""
    known = {str(name).lower(): int(value) for name, value in rows}
    age = known.get("innodb_checkpoint_age")
    if age is not None:
        return age
    current = known.get("innodb_redo_log_current_lsn")
    checkpoint = known.get("innodb_redo_log_checkpoint_lsn")
    return None if current is None or checkpoint is None else current - checkpoint

"""How much of the WAL came after the last checkpoint: what a recovery would have to apply.

Text and functions over it, for the agent.
"""

from collections.abc import Sequence
from typing import Any

SINCE_CHECKPOINT = (
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) FROM pg_control_checkpoint()"
)


def unwritten(rows: Sequence[Sequence[Any]]) -> int | None:
    """Bytes, from the rows of `SINCE_CHECKPOINT`."""
    return int(rows[0][0]) if rows else None

"""Whether a server still fills its buffer pool with the pages that it held when it stopped.

The agent imports this module: the standard library only. A template asks for that by
`innodb_buffer_pool_dump_at_shutdown` and `innodb_buffer_pool_load_at_startup`. The server reads the
pages in the background, after it has begun to answer, so a trial that does not wait measures a pool
that is half full.
"""

from collections.abc import Sequence
from typing import Any, Protocol

AT_STARTUP = "SHOW GLOBAL VARIABLES LIKE 'innodb_buffer_pool_load_at_startup'"
STATUS = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_load_status'"


class InnodbSession(Protocol):
    """What the questions about InnoDB need of an agent's session."""

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Sequence[Any]]:
        """Run a statement and return its rows."""
        ...


def is_loading(session: InnodbSession) -> bool:
    """Whether pages of the last run are still to come.

    Until its end the status is empty, `Loading of buffer pool not started`, `Loading buffer pool(s)
    from ...` or `Loaded 1/2 pages`. Afterwards it says that the load is complete or was aborted, or
    that there is no list of pages to open, as at the first start.
    """
    if _value(session, AT_STARTUP) != "ON":
        return False
    status = _value(session, STATUS)
    return status == "" or status.startswith("Load")


def _value(session: InnodbSession, statement: str) -> str:
    rows = session.rows(statement)
    return str(rows[0][1]) if rows else ""

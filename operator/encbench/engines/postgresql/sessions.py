"""Which sessions a login has on the server, and how each is ended.

The agent imports this module: the standard library only. It ends those whose clients are gone: a
node that is lost says nothing, so its sessions stay. Each may hold locks on rows, and keeps vacuum
from whatever is younger than its snapshot.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from encbench.engines.marker import Statement

PROCESSES = "SELECT pid FROM pg_stat_activity WHERE usename = %s"


class _Session(Protocol):
    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Sequence[Any]]: ...


def ending(session: _Session, user: str) -> Iterable[Statement]:
    """A statement for each session of that login. It does no harm once the session has gone."""
    for row in session.rows(PROCESSES, (user,)):
        yield f"SELECT pg_terminate_backend({int(row[0])})", ()

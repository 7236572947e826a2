"""Which sessions a login has on the server, and how each is ended.

The agent imports this module: the standard library only. It ends those whose clients are gone: a
node that is lost says nothing, so its sessions stay, and each may hold the locks of a transaction.
"""

from collections.abc import Iterable

from encbench.engines.innodb.pool import InnodbSession
from encbench.engines.marker import Statement

PROCESSES = "SHOW PROCESSLIST"
"""Its rows begin with number and user. MySQL has dropped no form of it, and it needs no performance
schema."""


def ending(session: InnodbSession, user: str) -> Iterable[Statement]:
    """A statement for each session of that login."""
    for row in session.rows(PROCESSES):
        if row[1] == user:
            yield f"KILL {int(row[0])}", ()

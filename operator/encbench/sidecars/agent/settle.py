"""Bringing a server to rest: it writes its changed pages before anything is measured.

Otherwise a server that has just been loaded, or that served the last trial, would write during the
next window: its own, or that of a neighbour on the same disk.
"""

import time
from collections.abc import Callable
from contextlib import closing

from encbench.sidecars.agent.probe import EngineProbe, OpenSession
from encbench.wire.agent import SettleAnswer

ROUND_SECONDS = 20.0
"""After this time no further statement starts. Callers ask again; written pages stay written."""
STATEMENT_SECONDS = 120.0
"""Limit for one table's changed pages or one checkpoint. The next round resumes a longer one."""


def settle(
    open_session: OpenSession,
    probe: EngineProbe,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    seconds: float = ROUND_SECONDS,
) -> SettleAnswer:
    """One round. Blocks; SqlError when the server fails a statement.

    `settled` says whether every statement was done. `dirtyPages` counts the pages still to be
    written, if the engine reports them.
    """
    began = time.monotonic()
    with closing(open_session()) as session:
        settled = True
        for statement in probe.settle(session):
            if cancelled() or time.monotonic() - began > seconds:
                settled = False
                break
            session.rows(*statement)
        rows = session.rows(probe.dirty) if probe.dirty else []
    return {
        "settled": settled,
        "dirtyPages": int(rows[0][-1]) if rows else None,
        "tookSeconds": round(time.monotonic() - began, 3),
        "clock": time.time(),
    }

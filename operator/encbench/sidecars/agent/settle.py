"""Bringing a server to rest: what it has changed in memory is written before anything is measured.

Otherwise a server that has just been loaded, or that served the trial before, would write in the
window of the next one: its own, or its neighbour's on the same disk.
"""

import time
from collections.abc import Callable

from encbench.sidecars.agent.probe import EngineProbe, OpenSession, SqlSession
from encbench.wire.agent import SettleAnswer

ROUND_SECONDS = 20.0
"""After which nothing further is begun; whoever wants more asks again, and what is written stays
written."""
STATEMENT_SECONDS = 120.0
"""For the changed pages of one table, or for a checkpoint. Longer ones are taken up again."""


def settle(
    open_session: OpenSession,
    probe: EngineProbe,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    seconds: float = ROUND_SECONDS,
) -> SettleAnswer:
    """One round of it. Blocks; SqlError when the server does not do what it is asked.

    `settled` is whether everything was asked for and done, `dirtyPages` how many pages are still
    to be written, where the engine can say.
    """
    began = time.monotonic()
    session = open_session()
    try:
        settled = True
        for statement in probe.settle(session):
            if cancelled() or time.monotonic() - began > seconds:
                settled = False
                break
            session.rows(*statement)
        dirty = _dirty(session, probe)
    finally:
        session.close()
    return {
        "settled": settled,
        "dirtyPages": dirty,
        "tookSeconds": round(time.monotonic() - began, 3),
        "clock": time.time(),
    }


def _dirty(session: SqlSession, probe: EngineProbe) -> int | None:
    if probe.dirty is None:
        return None
    rows = session.rows(probe.dirty)
    return int(rows[0][-1]) if rows else None

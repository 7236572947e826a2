"""The server as a whole: its facts, bringing it to rest."""

import re
import time
from collections.abc import Callable
from contextlib import closing

from encbench.sidecars.agent.probe import EngineProbe, OpenSession
from encbench.sidecars.agent.process import Reading
from encbench.wire.agent import MachineRows, ServerAnswer, SettleAnswer

_SECRET = re.compile(r"passw|secret|token|auth|filekey|(^|_)key$")
"""Names of settings whose values are withheld, because these facts go into a report."""
ROUND_SECONDS = 20.0
"""After this time no further statement starts. Callers ask again; written pages stay written."""
STATEMENT_SECONDS = 120.0
"""Limit for one table's changed pages or one checkpoint. The next round resumes a longer one."""


def describe(
    open_session: OpenSession, probe: EngineProbe, reading: Reading, machine: MachineRows
) -> ServerAnswer:
    """Facts of the server and its machine. Blocks; SqlError when the server does not answer."""
    with closing(open_session()) as session:
        version = str(session.rows(probe.says.VERSION)[0][0])
        known = {str(name): str(value) for name, value in session.rows(probe.says.SETTINGS)}
    return {
        "version": version,
        "startedAt": round(reading.started_at, 2),
        "processId": reading.process_id,
        "settings": {name: value for name, value in known.items() if not _SECRET.search(name)},
        **machine,
        "clock": time.time(),
    }


def settle(
    open_session: OpenSession, probe: EngineProbe, cancelled: Callable[[], bool]
) -> SettleAnswer:
    """One round in which the server writes its changed pages, before anything is measured.

    Otherwise a server that has just been loaded, or that served the last trial, would write during
    the next window: its own, or that of a neighbour on the same disk. Blocks; SqlError when the
    server fails a statement. `settled` says whether every statement was done and the pool is
    filled; `dirtyPages` counts the pages still to be written, if the engine reports them.
    """
    began = time.monotonic()
    with closing(open_session()) as session:
        settled = True
        for statement in probe.settle(session):
            if cancelled() or time.monotonic() - began > ROUND_SECONDS:
                settled = False
                break
            session.rows(*statement)
        rows = session.rows(probe.dirty) if probe.dirty else []
        loading = probe.loading(session)
    return {
        "settled": settled and not loading,
        "dirtyPages": int(rows[0][-1]) if rows else None,
        "loading": loading,
        "tookSeconds": round(time.monotonic() - began, 3),
        "clock": time.time(),
    }

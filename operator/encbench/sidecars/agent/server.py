"""Facts of the server: its own description, and whether it answers at all."""

import re
import threading
import time
from contextlib import closing

from encbench.adapters.sql import Session, SqlError
from encbench.sidecars.agent.probe import EngineProbe, OpenSession
from encbench.sidecars.agent.process import Reading
from encbench.wire.agent import MachineRows, ServerAnswer

_SECRET = re.compile(r"passw|secret|token|auth|filekey|(^|_)key$")
"""Names of settings whose values are withheld, because these facts go into a report."""


class Heart:
    """Checks that the server answers a query, in one session that stays open between checks."""

    def __init__(self, open_session: OpenSession) -> None:
        self._open = open_session
        self._session: Session | None = None
        self._lock = threading.Lock()

    def beats(self) -> str | None:
        """None when a query was answered, or else the reason. Blocks while the session waits."""
        with self._lock:
            try:
                if self._session is None:
                    self._session = self._open()
                self._session.rows("SELECT 1")
            except SqlError as error:
                self._session = None
                return str(error)
        return None


def describe(
    open_session: OpenSession, probe: EngineProbe, reading: Reading, machine: MachineRows
) -> ServerAnswer:
    """Facts of the server and its machine. Blocks; SqlError when the server does not answer."""
    with closing(open_session()) as session:
        version = str(session.rows(probe.version)[0][0])
        known = {str(name): str(value) for name, value in session.rows(probe.settings)}
    return {
        "version": version,
        "startedAt": round(reading.started_at, 2),
        "processId": reading.process_id,
        "settings": {name: value for name, value in known.items() if not _SECRET.search(name)},
        **machine,
        "clock": time.time(),
    }

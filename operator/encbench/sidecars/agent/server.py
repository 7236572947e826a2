"""Facts of the server: what it says of itself, and whether it answers at all."""

import re
import threading
import time

from encbench.adapters.sql import SqlError
from encbench.sidecars.agent.machine import Machine
from encbench.sidecars.agent.probe import EngineProbe, OpenSession, SqlSession
from encbench.sidecars.agent.process import Reading
from encbench.wire.agent import ServerAnswer

_SECRET = re.compile(r"passw|secret|token|auth|filekey|(^|_)key$")
"""Names of settings whose values are kept back, or could be one day: facts go into a report."""


class Heart:
    """Whether the server answers a query, over one session that is kept open between the checks."""

    def __init__(self, open_session: OpenSession) -> None:
        self._open = open_session
        self._session: SqlSession | None = None
        self._lock = threading.Lock()

    def beats(self) -> str | None:
        """None when a query was answered; else why not. Blocks for as long as the session waits."""
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
    open_session: OpenSession, probe: EngineProbe, reading: Reading, machine: Machine
) -> ServerAnswer:
    """Facts of the server and its machine. Blocks; SqlError when the server does not answer."""
    session = open_session()
    try:
        version = str(session.rows(probe.version)[0][0])
        known = {str(name): str(value) for name, value in session.rows(probe.settings)}
    finally:
        session.close()
    return {
        "version": version,
        "startedAt": round(reading.started_at, 2),
        "processId": reading.process_id,
        "settings": {name: value for name, value in known.items() if not _SECRET.search(name)},
        "kernel": machine.kernel,
        "cpuModel": machine.cpu_model,
        "cpuFlags": list(machine.cpu_flags),
        "hostname": machine.hostname,
        "clock": time.time(),
    }

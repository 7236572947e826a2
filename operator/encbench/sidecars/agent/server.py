"""The server as a whole: its facts, bringing it to rest."""

import os
import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from encbench.adapters.sql import Session, SqlError
from encbench.engines.marker import Statement
from encbench.engines.users import BENCHMARK_USER
from encbench.sidecars.agent.probe import EngineProbe, OpenSession
from encbench.sidecars.agent.process import Reading
from encbench.wire.agent import (
    MachineRows,
    RoomAnswer,
    ServerAnswer,
    SettleAnswer,
    SettleRequest,
    VolumeRoom,
)

_SECRET = re.compile(r"passw|secret|token|auth|filekey|(^|_)key$")
"""Names of settings whose values are withheld, because these facts go into a report."""
ROUND_SECONDS = 20.0
"""After this time no further step starts. Callers ask again, and the next round goes on."""
LARGEST = 2**62
"""No number of an answer may be larger, and some network file systems have no bound to tell."""
STATEMENT_SECONDS = 120.0
"""Limit for one table's changed pages or one checkpoint. The next round resumes a longer one."""
LEAVE_SECONDS = 3.0
"""How long a server has to notice by itself that a client has left."""
END_SECONDS = 10.0
"""How long sessions have to roll back once they are ended. The next round looks again."""
LOOK_SECONDS = 0.1


def describe(
    open_session: OpenSession,
    probe: EngineProbe,
    reading: Reading,
    machine: MachineRows,
    volume: Path,
) -> ServerAnswer:
    """Facts of the server and its machine. Blocks; SqlError when the server does not answer.

    `volume` is a folder of the disk with the server's files.
    """
    with closing(open_session()) as session:
        version = str(session.rows(probe.says.VERSION)[0][0])
        known = {str(name): str(value) for name, value in session.rows(probe.says.SETTINGS)}
    return {
        "version": version,
        "startedAt": round(reading.started_at, 2),
        "processId": reading.process_id,
        "settings": {name: value for name, value in known.items() if not _SECRET.search(name)},
        **machine,
        "room": volume_room(volume),
        "clock": time.time(),
    }


def describe_room(volume: Path) -> RoomAnswer:
    """The room on that folder's disk, without a session: a full disk may end the server."""
    return {"room": volume_room(volume), "clock": time.time()}


def volume_room(volume: Path) -> VolumeRoom | None:
    """How full the file system of that folder is; None if it does not say."""
    try:
        seen = os.statvfs(volume)
    except OSError:
        return None
    return {
        "bytes": min(seen.f_blocks * seen.f_frsize, LARGEST),
        "freeBytes": min(seen.f_bavail * seen.f_frsize, LARGEST),
        "files": min(seen.f_files, LARGEST),
        "freeFiles": min(seen.f_favail, LARGEST),
    }


class Settling:
    """Makes the server write its changed pages, in rounds, before anything is measured.

    Otherwise a server that has just been loaded, or that served the last trial, would write during
    the next window: its own, or that of a neighbour on the same disk. A round goes on where the one
    before ended, so that thousands of tables take several. No load runs between the rounds, because
    a trial waits for the last one. So sessions of the benchmark's login are those of clients that
    are gone, and a round ends them first: their locks would keep a flush waiting, and their number
    the next clients out.
    """

    def __init__(self, open_session: OpenSession, probe: EngineProbe) -> None:
        self._open, self._probe = open_session, probe
        self._after = ""
        """The last step that was done; empty where the next round begins with the first."""
        self._for: SettleRequest | None = None
        """What the last round was for."""
        self._found: int | None = None
        """Changed bytes that the first round of that found. They stay known once it is at rest: the
        operator may have ended before it has kept them."""
        self._rests = True
        """Whether that has ended with the server at rest."""
        self._left = 0
        """Changed bytes that the last settling left, because no step writes them: MariaDB's undo
        logs and system tables."""

    def go_on(
        self, cancelled: Callable[[], bool], asked: SettleRequest | None = None
    ) -> SettleAnswer:
        """One round. Blocks; SqlError when the server fails a statement.

        `settled` says whether every step was done and the pool is filled; `dirtyPages` counts the
        pages still to be written, and `dirtyBytes` the bytes that waited before the first round of
        this request, beyond those that waited when the server was last at rest, if the engine
        reports them. Nothing is written while there are `sessions`.
        """
        began, probe = time.monotonic(), self._probe
        with closing(self._open()) as session:
            if asked != self._for or (asked is None and self._rests):
                self._begin(session, asked)
            sessions = self._end_sessions(session, cancelled)
            settled = not sessions and self._write(
                session, lambda: cancelled() or time.monotonic() - began > ROUND_SECONDS
            )
            pages, loading = _count(session, probe.dirty), probe.loading(session)
            self._rests = settled and not loading
            if self._rests:
                self._left = _count(session, probe.dirty_bytes) or 0
        return {
            "settled": self._rests,
            "dirtyPages": pages,
            "dirtyBytes": self._found,
            "loading": loading,
            "sessions": sessions,
            "tookSeconds": round(time.monotonic() - began, 3),
            "clock": time.time(),
        }

    def _begin(self, session: Session, asked: SettleRequest | None) -> None:
        """Note what waits, unless an earlier process may have had some of it written already."""
        is_known = asked is None or not asked["ended"] or self._for == {**asked, "ended": False}
        waiting = _count(session, self._probe.dirty_bytes) if is_known else None
        self._found = None if waiting is None else max(0, waiting - self._left)
        self._for, self._rests = asked, False

    def _write(self, session: Session, is_over: Callable[[], bool]) -> bool:
        """Whether every step was done."""
        for name, statements in self._probe.settle(session, self._after):
            if is_over():
                return False
            for statement in statements:
                session.rows(*statement)
            self._after = name
        self._after = ""
        return True

    def _end_sessions(self, session: Session, cancelled: Callable[[], bool]) -> int:
        """End those of the benchmark's login; how many are still on their way out."""

        def left(seconds: float) -> list[Statement]:
            """Those that have not gone by themselves within that time."""
            deadline = time.monotonic() + seconds
            while here := list(self._probe.ending(session, BENCHMARK_USER)):
                if cancelled() or time.monotonic() > deadline:
                    break
                time.sleep(LOOK_SECONDS)
            return here

        here = left(LEAVE_SECONDS)
        if cancelled() or not here:
            return len(here)
        refused = [statement for statement in here if not self._ended(statement)]
        return len([one for one in left(END_SECONDS) if one not in refused])

    def _ended(self, statement: Statement) -> bool:
        """False where the server refuses it, which ends the session that asked.

        The other one has just gone, or this login has no right to end it, as in a testbed that an
        earlier version made. The flush waits for its locks then.
        """
        try:
            with closing(self._open()) as own:
                own.rows(*statement)
        except SqlError:
            return False
        return True


def _count(session: Session, statement: str | None) -> int | None:
    """The number that ends the statement's row; None without a statement or a row."""
    rows = session.rows(statement) if statement else []
    return int(rows[0][-1]) if rows else None

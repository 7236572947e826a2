"""Stopping the server on purpose, and how long it takes until it answers again.

A caller arms a run under a name. The run acts at its own time in a thread, so the caller may go
away; a second request with the same name only reads its state. The run signals processes, and the
kubelet restarts the container: the time in between belongs to no figure. What counts as the start
and as the first answer, and by which clock, stands in docs/design/0006-recovery.md, "How".

The agent has a twentieth of a core. A look costs 0.3 ms and a refused session up to 1 ms. The
pauses below leave room for the session that is answered.
"""

import os
import re
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field

from encbench.adapters.sql import Session, SqlError
from encbench.core.connection import DATABASE, SCHEMAS
from encbench.sidecars.agent.background import Background, BackgroundRun, OpenBounded
from encbench.sidecars.agent.probe import EngineProbe
from encbench.sidecars.agent.process import SeenProcess
from encbench.wire import agent as wire

LOOK = 0.02
"""Seconds between two looks for the process."""
TRY = 0.03
"""Seconds between two tries for a session, at least."""
TRY_SHARE = 0.01
"""Pause between tries as a share of the time since the start. A recovery of a minute is thus
known to half a second, and refusals do not keep a recovering server busy."""
READY_BEFORE = 1.0
"""Seconds before the stop at which the session for the last queries opens."""
ANSWER_SECONDS = 30.0
"""Limit for a connection that the server accepted and does not answer."""


class _GaveUp(Exception):
    """The run ends without a figure. The text says why."""


@dataclass(frozen=True)
class System:
    """What the agent may see and do in its pod; tests replace it."""

    everyone: Callable[[], list[SeenProcess]]
    """Living processes of the server's name, the oldest first."""
    started_at: Callable[[SeenProcess], float]
    """Unix time of its start, the same in all of the agent's answers."""
    kill: Callable[[int, int], None] = os.kill
    clock: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME)
    unix: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


@dataclass(kw_only=True)
class _Run(BackgroundRun):
    order: wire.StopRequest
    stop_time: float
    step: wire.RecoveryState = "armed"
    facts: wire.RecoverySteps = field(default_factory=wire.RecoverySteps)

    def describe(self) -> wire.RecoveryAnswer:
        return {
            "run": self.name,
            "state": self._state,
            "stop": self.order["stop"],
            "error": self.error,
            **self.facts,
        }

    @property
    def _state(self) -> wire.RecoveryState:
        if self.took is None or self.step == "disarmed":
            return self.step
        return "failed" if self.error else "done"


class RecoveryRuns:
    """Runs, one at a time; the last one is kept until another begins."""

    def __init__(self, open_session: OpenBounded, probe: EngineProbe, system: System) -> None:
        self._open = open_session
        self._probe = probe
        self._system = system
        self._lock = threading.Lock()
        busy = "the recovery of {} has not ended"
        self._runs = Background(self._work, _GaveUp, "the recovery", busy)

    def arm(self, order: wire.StopRequest) -> wire.RecoveryAnswer:
        """The state of the run of that name, which `Background` begins if there is none."""
        stop_time = self._system.clock() + max(0.0, order["afterSeconds"])
        run = _Run(name=order["run"], order=order, stop_time=stop_time)
        return self._runs.begun(run).describe()

    def look(self, name: str) -> wire.RecoveryAnswer:
        """The state of the run of that name; `unknown` where there is none."""
        run = self._runs.known(name)
        return run.describe() if run else wire.RecoveryAnswer(run=name, state="unknown")

    def disarm(self, name: str) -> wire.RecoveryAnswer:
        """Have the run of that name stop nothing any more; its state, whatever that is.

        One that has begun to stop its server goes on. A disarmed one stays so.
        """
        run = self._runs.known(name)
        if run is None:
            return wire.RecoveryAnswer(run=name, state="unknown")
        with self._lock:
            if run.step == "armed" and run.took is None:
                run.step = "disarmed"
        return run.describe()

    def _work(self, run: _Run) -> None:
        before, began = self._stop(run)
        run.step = "starting"
        run.facts |= self._await(run, before, began + run.order["seconds"])

    # -- down

    def _stop(self, run: _Run) -> tuple[set[SeenProcess], float]:
        """Stop the server; its former processes, and when the stop began."""
        system, order = self._system, run.order
        self._sleep_until(run.stop_time - READY_BEFORE)
        if run.step == "disarmed":
            raise _GaveUp(_DISARMED)
        try:
            with closing(self._open(ANSWER_SECONDS)) as session:
                statement = self._statement(session)
                rows = len(session.rows(statement))
                self._sleep_until(run.stop_time)
                redo = self._probe.redo(session)
        except SqlError as error:
            raise _GaveUp(f"the server failed a query before the stop: {error}") from error
        there = system.everyone()
        if not there:
            raise _GaveUp(f"no process {self._probe.facts.process} was there to stop")
        run.facts |= {
            "before": self._process_start(there[0]),
            "statement": statement,
            "rows": rows,
            "redoBytes": redo,
        }
        self._begin(run)
        number = signal.SIGKILL if order["stop"] == "Crash" else self._probe.shutdown
        began, unix = system.clock(), system.unix()
        # The main process first: it must not see its children die.
        self._kill(there[0], number)
        before = set(there)
        while left := [one for one in system.everyone() if self._is_old(one, before, began)]:
            if order["stop"] == "Crash":
                before.update(left)
                for one in left:
                    self._kill(one, number)
            if system.clock() - began > order["seconds"]:
                raise _GaveUp(
                    f"the server had not ended {order['seconds']:.0f} s after {order['stop']}"
                )
            system.sleep(LOOK)
        run.facts |= {
            "signal": signal.Signals(number).name,
            "stoppedAt": round(unix, 3),
            "late": round(began - run.stop_time, 3),
            "stopSeconds": round(system.clock() - began, 3),
        }
        return before, began

    def _begin(self, run: _Run) -> None:
        """From here on the server is stopped, unless the operator has called that off."""
        with self._lock:
            if run.step == "disarmed":
                raise _GaveUp(_DISARMED)
            run.step = "stopping"

    @staticmethod
    def _is_old(one: SeenProcess, before: set[SeenProcess], began: float) -> bool:
        """Whether it existed at the stop; a child that was forked meanwhile was not listed."""
        return one in before or one.since_boot < began - LOOK

    def _kill(self, one: SeenProcess, number: int) -> None:
        try:
            self._system.kill(one.process_id, number)
        except ProcessLookupError:
            return
        except OSError as error:
            raise _GaveUp(f"process {one.process_id} could not be signalled: {error}") from error

    def _statement(self, session: Session) -> str:
        """A query for one row of the benchmark's largest table."""
        rows = session.rows(_LARGEST[self._probe.facts.driver])
        if not rows:
            raise _GaveUp("the database has no table to read a row from")
        name = str(rows[0][0])
        if not _PLAIN.fullmatch(name):
            raise _GaveUp(f"the largest table's name has unusual characters: {name!r}")
        if self._probe.facts.driver == "mysql":
            return f"SELECT * FROM `{DATABASE}`.`{name}` LIMIT 1"  # noqa: S608 see above
        return f'SELECT * FROM {SCHEMAS["pgsql"]}."{name}" LIMIT 1'  # noqa: S608 see above

    # -- up

    def _await(self, run: _Run, before: set[SeenProcess], ends: float) -> wire.RecoverySteps:
        """The figures, once the server has returned a row. It has until `ends` for that."""
        system, order, statement = self._system, run.order, run.facts["statement"]
        gone = looked = system.clock()
        absent: dict[SeenProcess, float] = {}
        """By process, the last look that did not find it."""
        found: SeenProcess | None = None
        started = tried = 0.0
        tries, reason = 0, "no process appeared"
        while (here := system.clock()) < ends:
            new = [one for one in system.everyone() if one not in before]
            for one in new:
                absent.setdefault(one, looked)
            looked = here
            if not new:
                found = None
            elif new[0] != found:
                found, tried = new[0], 0.0
                started = max(found.since_boot, absent[found])
            pause = max(TRY, TRY_SHARE * (here - started))
            if found is None or (tried and here - tried < pause):
                system.sleep(LOOK if found is None else tried + pause - here)
                continue
            last, tried, tries = tried or started, here, tries + 1
            try:
                with closing(self._open(min(ANSWER_SECONDS, max(1.0, ends - here)))) as session:
                    rows = len(session.rows(statement))
            except SqlError as error:
                reason = str(error)
                continue
            answered = system.clock()
            if rows < run.facts["rows"]:
                raise _GaveUp(f"{statement!r} returned no row any more: the data has changed")
            return {
                "after": self._process_start(found),
                "answeredAt": round(system.unix(), 3),
                "restartSeconds": round(started - gone, 3),
                "recoverySeconds": round(answered - started, 3),
                "resolutionSeconds": round(max(0.0, here - last), 3),
                "tries": tries,
            }
        raise _GaveUp(f"the server did not answer within {order['seconds']:.0f} s: {reason}")

    def _process_start(self, one: SeenProcess) -> wire.ProcessStart:
        return {"processId": one.process_id, "startedAt": round(self._system.started_at(one), 2)}

    def _sleep_until(self, moment: float) -> None:
        while (left := moment - self._system.clock()) > 0:
            self._system.sleep(left)


_DISARMED = "it was disarmed"
_PLAIN = re.compile(r"[A-Za-z0-9_$-]{1,128}")
_LARGEST = {
    "mysql": "SELECT table_name FROM information_schema.tables "  # noqa: S608 of a constant
    f"WHERE table_schema = '{DATABASE}' AND table_type = 'BASE TABLE' "
    "ORDER BY data_length DESC, table_name LIMIT 1",
    "pgsql": "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace "
    "WHERE relkind = 'r' AND nspname = 'public' "
    "ORDER BY relpages DESC, relname LIMIT 1",
}

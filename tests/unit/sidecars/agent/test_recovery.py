"""Stopping a server and timing its way back, in a pod of simulated time."""

import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from encbench.adapters.sql import SqlError
from encbench.sidecars.agent.background import Busy
from encbench.sidecars.agent.probe import probe
from encbench.sidecars.agent.process import SeenProcess
from encbench.sidecars.agent.recovery import ANSWER_SECONDS, RecoveryRuns, System
from encbench.wire import agent as wire


def order(run: str, stop: wire.StopWay, after: float, seconds: float) -> wire.StopRequest:
    return wire.StopRequest(run=run, stop=stop, afterSeconds=after, seconds=seconds)


CRASH = order("trial-uid", "Crash", 20.0, 60.0)


@dataclass
class Pod:
    """A server with children that a signal ends, and that is started anew."""

    now: float = 1000.0
    stopping: float = 0.25
    """Seconds that a shutdown in order takes; SIGKILL takes none."""
    gap: float = 1.5
    """From the end to the fork of the new process."""
    exec_: float = 0.08
    """From the fork until it bears the server's name."""
    recovering: float = 3.0
    """From there until it answers."""
    children: int = 2
    rows_after: int = 1
    deaf: float = 0.0
    """Seconds for which an accepted session waits before its answer."""
    tables: tuple[str, ...] = ("sbtest2",)
    signals: list[tuple[int, int]] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    killed_at: float | None = None
    gone_at: float | None = None
    stays: bool = False
    """It does not come back."""
    refuses: bool = False
    """The kernel does not let us signal it."""

    @property
    def forked(self) -> float:
        return (self.gone_at or 0.0) + self.gap

    def everyone(self) -> list[SeenProcess]:
        self.now += 0.0003
        if self.gone_at is None or self.now < self.gone_at:
            return [SeenProcess(7 + n, 10.0 + n) for n in range(1 + self.children)]
        if self.stays or self.now < self.forked + self.exec_:
            return []
        return [SeenProcess(40 + n, round(self.forked + n, 2)) for n in range(1 + self.children)]

    def kill(self, process_id: int, number: int) -> None:
        if self.refuses:
            raise PermissionError(1, "Operation not permitted")
        self.signals.append((process_id, number))
        if self.killed_at is None:
            self.killed_at = self.now
            self.gone_at = self.now + (0.0 if number == signal.SIGKILL else self.stopping)
        elif self.now >= (self.gone_at or 0.0):
            raise ProcessLookupError

    def open(self, seconds: float) -> "Pod":
        self.opened.append(seconds)
        self.now += 0.001
        if self.gone_at is not None and self.now < self.forked + self.exec_ + self.recovering:
            raise SqlError("the database server did not do what was asked: no such socket")
        if self.gone_at is not None:
            self.now += self.deaf
        return self

    def rows(self, statement: str, _: Sequence[object] = ()) -> list[Sequence[object]]:
        self.statements.append(statement)
        if "information_schema" in statement or "pg_class" in statement:
            return [(name,) for name in self.tables]
        if "Innodb" in statement:
            return [("Innodb_checkpoint_age", "4096")]
        if "pg_control_checkpoint" in statement:
            return [("8192",)]
        return [(1, "row")] * (self.rows_after if self.gone_at is not None else 1)

    def close(self) -> None:
        pass

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def recovery(self, engine: str = "mariadb") -> RecoveryRuns:
        system = System(
            self.everyone,
            lambda one: 1_700_000_000 + one.since_boot,
            self.kill,
            lambda: self.now,
            lambda: 1_700_000_000 + self.now,
            self.sleep,
        )
        return RecoveryRuns(self.open, probe(engine), system)


def over(recovery: RecoveryRuns, order: wire.StopRequest = CRASH) -> Any:
    deadline = time.monotonic() + 5
    while (found := recovery.look(order["run"]))["state"] not in ("done", "failed"):
        assert time.monotonic() < deadline, found
        time.sleep(0.002)
    return found


def run(pod: Pod, order: wire.StopRequest = CRASH, engine: str = "mariadb") -> Any:
    recovery = pod.recovery(engine)
    recovery.arm(order)
    return over(recovery, order)


def test_a_crash_from_the_new_process_to_its_first_answer() -> None:
    pod = Pod()
    found = run(pod)
    assert found["state"] == "done"
    assert found["before"] == {"processId": 7, "startedAt": 1_700_000_010.0}
    assert found["after"]["processId"] == 40
    assert found["signal"] == "SIGKILL"
    assert found["redoBytes"] == 4096
    # It is the server from its exec on; the fork was earlier.
    assert found["recoverySeconds"] == pytest.approx(3.0, abs=0.06)
    assert found["restartSeconds"] == pytest.approx(1.58, abs=0.03)
    assert found["stopSeconds"] <= 0.02
    assert 0 < found["resolutionSeconds"] <= 0.05
    assert found["late"] == pytest.approx(0.0, abs=0.01)
    assert pod.killed_at == pytest.approx(1020.0, abs=0.01)


def test_the_main_process_is_killed_before_its_children() -> None:
    pod = Pod()
    run(pod)
    assert pod.signals[0] == (7, signal.SIGKILL)


@pytest.mark.parametrize(
    ("engine", "number"),
    [
        ("mariadb", signal.SIGTERM),
        ("mysql", signal.SIGTERM),
        ("percona", signal.SIGTERM),
        ("postgresql", signal.SIGINT),
    ],
)
def test_a_clean_stop_signals_the_main_process_alone_and_waits(engine: str, number: int) -> None:
    pod = Pod(stopping=4.0)
    found = run(pod, order("uid", "Clean", 1.0, 60.0), engine)
    assert pod.signals == [(7, number)]
    assert found["stopSeconds"] == pytest.approx(4.0, abs=0.03)
    assert found["recoverySeconds"] == pytest.approx(3.0, abs=0.06)
    assert found["signal"] == signal.Signals(number).name


def test_the_question_is_a_row_of_the_largest_table() -> None:
    mysql, postgres = Pod(), Pod()
    assert run(mysql)["statement"] == "SELECT * FROM `sbtest`.`sbtest2` LIMIT 1"
    asked = run(postgres, engine="postgresql")["statement"]
    assert asked == 'SELECT * FROM public."sbtest2" LIMIT 1'
    assert run(Pod())["rows"] == 1


def test_asked_again_it_is_the_same_run_and_the_server_is_stopped_once() -> None:
    pod = Pod(children=0)
    recovery = pod.recovery()
    recovery.arm(CRASH)
    first = over(recovery)
    assert recovery.arm(CRASH) == first
    assert recovery.arm(order("trial-uid", "Clean", 0.0, 1.0)) == first
    assert pod.signals == [(7, signal.SIGKILL)]


def test_looking_never_arms() -> None:
    pod = Pod()
    recovery = pod.recovery()
    assert recovery.look("trial-uid") == {"run": "trial-uid", "state": "unknown"}
    assert not pod.signals
    assert not pod.opened


def test_another_run_waits_for_this_one() -> None:
    pod, hold = Pod(), threading.Event()

    def sleep(seconds: float) -> None:
        hold.wait(5)
        pod.now += seconds

    pod.sleep = sleep  # type: ignore[method-assign]
    recovery = pod.recovery()
    assert recovery.arm(CRASH)["state"] == "armed"
    with pytest.raises(Busy, match="trial-uid has not ended"):
        recovery.arm(order("another", "Crash", 0.0, 60.0))
    hold.set()
    over(recovery)
    assert recovery.arm(order("another", "Crash", 9e9, 60.0))["run"] == "another"


def test_a_server_that_stays_away() -> None:
    found = run(Pod(stays=True))
    assert found["state"] == "failed"
    assert found["error"] == "the server did not answer within 60 s: no process appeared"
    assert "recoverySeconds" not in found


def test_a_server_that_does_not_end() -> None:
    found = run(Pod(stopping=100.0), order("uid", "Clean", 0.0, 5.0))
    assert found["error"] == "the server had not ended 5 s after Clean"


def test_end_and_start_share_the_time_for_both() -> None:
    found = run(Pod(stopping=40.0, recovering=30.0), order("uid", "Clean", 0.0, 60.0))
    assert found["error"].startswith("the server did not answer within 60 s: ")


def test_a_signal_that_is_not_allowed() -> None:
    found = run(Pod(refuses=True))
    assert found["state"] == "failed"
    assert "process 7 could not be signalled" in found["error"]


def test_data_that_is_gone() -> None:
    found = run(Pod(rows_after=0))
    assert found["state"] == "failed"
    assert "returned no row any more" in found["error"]


def test_no_table_to_ask_for() -> None:
    pod = Pod(tables=())
    assert run(pod)["error"] == "the database has no table to read a row from"
    assert not pod.signals


def test_a_long_recovery_is_asked_about_ever_less_often() -> None:
    pod = Pod(recovering=50.0)
    found = run(pod)
    assert found["recoverySeconds"] == pytest.approx(50.0, rel=0.02)
    assert found["resolutionSeconds"] < 0.6
    # At the shortest pause it were two thousand.
    assert found["tries"] < 600


def test_a_session_that_the_server_lets_wait_is_waited_for() -> None:
    pod = Pod(deaf=12.0)
    found = run(pod)
    assert found["recoverySeconds"] == pytest.approx(15.0, abs=0.06)
    assert max(pod.opened) == ANSWER_SECONDS


def test_a_start_that_fails_is_not_the_one_that_is_timed() -> None:
    """As a server that finds its old shared memory in use; the kubelet tries again later."""

    @dataclass
    class Twice(Pod):
        def everyone(self) -> list[SeenProcess]:
            first = (self.gone_at or 0.0) + 0.5
            if self.gone_at is not None and first <= self.now < first + 0.3:
                self.now += 0.0003
                return [SeenProcess(30, round(first, 2))]
            return super().everyone()

    found = run(Twice(gap=10.0))
    assert found["after"]["processId"] == 40
    assert found["recoverySeconds"] == pytest.approx(3.0, abs=0.06)
    assert found["restartSeconds"] == pytest.approx(10.08, abs=0.03)


@dataclass
class Patient(Pod):
    """A pod in which time stands still at a sleep until the test lets it go on."""

    on: threading.Event = field(default_factory=threading.Event)

    def sleep(self, seconds: float) -> None:
        assert self.on.wait(5)
        super().sleep(seconds)


def test_a_disarmed_stop_never_comes() -> None:
    pod = Patient()
    recovery = pod.recovery()
    assert recovery.arm(CRASH)["state"] == "armed"
    assert recovery.disarm("another") == {"run": "another", "state": "unknown"}
    for _ in range(2):
        assert recovery.disarm(CRASH["run"])["state"] == "disarmed"
    pod.on.set()
    deadline = time.monotonic() + 5
    while recovery.look(CRASH["run"])["error"] is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    assert recovery.arm(CRASH)["state"] == "disarmed", "it is not armed anew"
    assert not pod.signals
    assert not pod.opened


def test_a_stop_is_disarmed_at_the_last_moment() -> None:
    """While the session for the last queries is open."""
    recovery: RecoveryRuns

    @dataclass
    class Last(Pod):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if self.opened:
                recovery.disarm(CRASH["run"])

    pod = Last()
    recovery = pod.recovery()
    recovery.arm(CRASH)
    deadline = time.monotonic() + 5
    while recovery.look(CRASH["run"])["error"] is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    assert recovery.look(CRASH["run"])["state"] == "disarmed"
    assert not pod.signals


def test_a_stop_that_has_begun_goes_on() -> None:
    pod = Pod()
    recovery = pod.recovery()
    recovery.arm(CRASH)
    found = over(recovery)
    assert recovery.disarm(CRASH["run"]) == found
    assert found["state"] == "done"

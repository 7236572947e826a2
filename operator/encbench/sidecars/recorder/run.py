"""The run's state: the main thread and releases write it, and all threads may read it.

`waiting -> released -> running -> finished -> uploaded`. There is no state before `waiting`: the
wrapper is not at the barrier yet, and callers have to try again.
"""

import threading
import time
from collections.abc import Callable

from encbench.sidecars.recorder import moment
from encbench.sidecars.recorder.process import Usage
from encbench.tools.progress import Sample
from encbench.wire.files import FILES, SLICES
from encbench.wire.recorder import ClockOffset, RunStateName, StateAnswer
from encbench.wire.slices import OwnSlots

_SLICE = 0.25


class NotReady(Exception):
    """The tool does not wait at the barrier yet."""


class Run:
    """Shared by all threads."""

    def __init__(self, authority: str | None = None) -> None:
        self._lock = threading.Lock()
        self.state: RunStateName | None = None
        self.start_at: float | None = None
        """When the tool starts, once that is known, in Unix time by the clock of then."""
        self.drift = 0.0
        """How far Unix time was ahead of the monotonic clock when that became known."""
        self.slots: OwnSlots | None = None
        """Its turns, once the start is known, in an interleaved block."""
        self.clock: ClockOffset | None = None
        """What the operator measured of our clock, once the start is known."""
        self.authority = authority
        """PEM of the CA that certifies the store by now; None where everyone trusts it."""
        self.uploads: dict[str, str] = {}
        """The latest URLs by file. A new release is a new dict."""
        self._exit_code: int | None = None
        self._digests: dict[str, str] = {}
        self.error: str | None = None
        """Why the store refused the artefacts."""
        self.away: str | None = None
        """Why the last try to store them did not reach it."""
        self.last: Sample | None = None
        """The latest periodic report."""
        self.usage: Callable[[], Usage | None] = lambda: None
        """Reads what the tool has used until now, if that is visible."""
        self._wake = threading.Event()
        self.stop_at: float | None = None
        """The deadline by time.monotonic() once a signal has stopped the recorder."""
        self.seen = False
        """Whether a caller knows that everything is stored."""

    def stop(self, grace: float) -> None:
        """End within that many seconds.

        For signal handlers: it takes no lock, not even the event's own, because the interrupted
        thread may hold it.
        """
        self.stop_at = time.monotonic() + grace

    def sleep(self, seconds: float) -> None:
        """Wait until a release, an answer that ends the run, or `stop`, at most that long.

        After a stop little time is left, so waits are short.
        """
        stop_at = self.stop_at
        until = time.monotonic() + (seconds if stop_at is None else min(seconds, 1.0))
        while self.stop_at == stop_at and (left := until - time.monotonic()) > 0:
            if self._wake.wait(min(left, _SLICE)):
                break
        self._wake.clear()

    def wait(self) -> None:
        """The tool waits at the barrier."""
        with self._lock:
            self.state = "waiting"

    def release(
        self,
        start_at: float,
        uploads: dict[str, str],
        slots: OwnSlots | None = None,
        clock: ClockOffset | None = None,
        authority: str | None = None,
    ) -> None:
        """Let the tool start. A second release changes only URLs and CA. NotReady at first."""
        with self._lock:
            if self.state is None:
                raise NotReady
            self.authority = authority  # before the URLs, which an upload takes first
            self.uploads, self.error, self.away = dict(uploads), None, None
            if self.state == "waiting":
                self.drift, self.slots, self.clock = moment.drift(), slots, clock
                self.state, self.start_at = "released", start_at
        self._wake.set()

    def start(self, usage: Callable[[], Usage | None]) -> None:
        """The tool runs; `usage` reads its process."""
        with self._lock:
            self.state, self.usage = "running", usage

    def finish(self, exit_code: int | None, digests: dict[str, str]) -> None:
        """The tool has ended, and its files are complete."""
        with self._lock:
            self.state, self._exit_code = "finished", exit_code
            self._digests = dict(digests)

    def fail(self, error: str, uploads: dict[str, str]) -> None:
        """The store refused these URLs: uploads pause until other URLs arrive."""
        with self._lock:
            if self.uploads is uploads:
                self.error, self.away = error, None

    def note_away(self, why: str | None, uploads: dict[str, str]) -> None:
        """How the last try with these URLs ended: why the store took nothing, or that it did."""
        with self._lock:
            if self.uploads is uploads:
                self.away = why

    def uploaded(self) -> None:
        """Everything is stored."""
        with self._lock:
            self.state, self.error, self.away = "uploaded", None, None

    def answered(self, state: RunStateName) -> None:
        """A caller has received this state."""
        if state == "uploaded":
            self.seen = True
            self._wake.set()

    @property
    def files(self) -> tuple[str, ...]:
        """What is to be stored."""
        return FILES if self.slots is None else (*FILES, SLICES)

    @property
    def must_stop(self) -> bool:
        """Whether no time is left."""
        return self.stop_at is not None and time.monotonic() >= self.stop_at

    def snapshot(self) -> StateAnswer:
        """The progress of the run. NotReady at first."""
        with self._lock:
            if self.state is None:
                raise NotReady
            return {
                "state": self.state,
                "startAt": self.start_at,
                "exitCode": self._exit_code,
                "lastTps": self.last.tps if self.last else None,
                "digests": self._digests,
                "clock": time.time(),
                "error": self.error,
                "away": self.away,
                "window": None,
            }

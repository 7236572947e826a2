"""The run's state: written by the main thread and by releases, read by whoever asks.

`waiting -> released -> running -> finished -> uploaded`. Before `waiting` there is no state to
tell: the wrapper is not at the barrier yet, and callers are told to come again.
"""

import threading
import time
from collections.abc import Callable

from encbench.sidecars.recorder.observation import ObservedWindow
from encbench.sidecars.recorder.process import Usage
from encbench.tools.progress import Sample
from encbench.wire.recorder import RunStateName, StateAnswer

_SLICE = 0.25


class NotReady(Exception):
    """The tool does not wait at the barrier yet."""


class Run:
    """Shared by all threads."""

    def __init__(self) -> None:
        """Not at the barrier yet."""
        self._lock = threading.Lock()
        self._state: RunStateName | None = None
        self._start_at: float | None = None
        self._uploads: dict[str, str] = {}
        self._window: ObservedWindow | None = None
        self._exit_code: int | None = None
        self._digests: dict[str, str] = {}
        self._error: str | None = None
        self._last: Sample | None = None
        self._usage: Callable[[], Usage | None] = lambda: None
        self._wake = threading.Event()
        self.stop_at: float | None = None
        """By when everything has to be over, by time.monotonic(); None while nobody stops us."""
        self._seen = False

    def stop(self, grace: float) -> None:
        """End within that many seconds.

        For signal handlers: it takes no lock, not even the event's own, for the interrupted thread
        may hold it.
        """
        self.stop_at = time.monotonic() + grace

    def sleep(self, seconds: float) -> None:
        """Wait, but not beyond a release, an answer that ends the run, or the moment of `stop`.

        Once stopped there is little time left, so that waits are short.
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
            self._state = "waiting"

    def release(self, start_at: float, uploads: dict[str, str]) -> None:
        """Let the tool start. A second release changes nothing but the URLs. NotReady at first."""
        with self._lock:
            if self._state is None:
                raise NotReady
            self._uploads, self._error = dict(uploads), None
            if self._state == "waiting":
                self._state, self._start_at = "released", start_at
        self._wake.set()

    def start(self, usage: Callable[[], Usage | None]) -> None:
        """The tool runs; `usage` reads its process."""
        with self._lock:
            self._state, self._usage = "running", usage

    def see(self, sample: Sample) -> None:
        """The tool's latest periodic report."""
        with self._lock:
            self._last = sample

    def finish(
        self, exit_code: int | None, window: ObservedWindow | None, digests: dict[str, str]
    ) -> None:
        """The tool has ended, and its files are complete."""
        with self._lock:
            self._state, self._exit_code = "finished", exit_code
            self._window, self._digests = window, dict(digests)

    def fail(self, error: str, uploads: dict[str, str]) -> None:
        """These URLs are refused: nothing more is stored until others come, if they have not."""
        with self._lock:
            if self._uploads is uploads:
                self._error = error

    def uploaded(self) -> None:
        """Everything is stored."""
        with self._lock:
            self._state, self._error = "uploaded", None

    def told(self, state: RunStateName) -> None:
        """A caller has received this state."""
        if state == "uploaded":
            self._seen = True
            self._wake.set()

    @property
    def seen(self) -> bool:
        """Whether a caller knows that everything is stored."""
        return self._seen

    @property
    def must_stop(self) -> bool:
        """Whether no time is left."""
        return self.stop_at is not None and time.monotonic() >= self.stop_at

    @property
    def state(self) -> RunStateName | None:
        """The state by its name."""
        return self._state

    @property
    def start_at(self) -> float | None:
        """When the tool starts, once that is known."""
        return self._start_at

    @property
    def uploads(self) -> dict[str, str]:
        """The latest URLs by file. A new release is a new dict."""
        return self._uploads

    @property
    def error(self) -> str | None:
        """What keeps the artefacts from being stored."""
        return self._error

    @property
    def last(self) -> Sample | None:
        """The latest periodic report."""
        return self._last

    def usage(self) -> Usage | None:
        """What the tool has used until now, if it can be seen."""
        return self._usage()

    def snapshot(self) -> StateAnswer:
        """How far the run is. NotReady at first."""
        with self._lock:
            if self._state is None:
                raise NotReady
            window = self._window
            return {
                "state": self._state,
                "startAt": self._start_at,
                "window": {"start": window.start.unix, "end": window.end.unix} if window else None,
                "exitCode": self._exit_code,
                "lastTps": self._last.tps if self._last else None,
                "digests": self._digests,
                "clock": time.time(),
                "error": self._error,
            }

"""Progress lines with elapsed seconds, and the one kind of error that a person is meant to read."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class ClusterError(Exception):
    """A failure with a one-sentence reason and, where there is one, the log that tells more."""

    def __init__(self, reason: str, log: Path | None = None) -> None:
        super().__init__(reason if log is None else f"{reason} (log: {log})")


class Console:
    """Writes progress to standard error; standard output is kept for results such as paths."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._lock = threading.Lock()

    def say(self, text: str) -> None:
        """Print one line, stamped with the seconds since the command began."""
        elapsed = time.monotonic() - self._began
        with self._lock:
            print(f"[{elapsed:6.1f} s] {text}", file=sys.stderr, flush=True)

    @contextmanager
    def step(self, name: str, detail: str = "") -> Iterator[None]:
        """Announce a step that takes a while and say how long it took."""
        self.say(f"{name}: {detail or 'starting'}")
        began = time.monotonic()
        yield
        self.say(f"{name}: done in {time.monotonic() - began:.1f} s")


def wait_until(
    what: str, ready: Callable[[], bool], timeout: float, log: Path | None = None
) -> None:
    """Poll ``ready`` until it says yes, and fail with a sentence after ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    while not ready():
        if time.monotonic() > deadline:
            raise ClusterError(f"{what} did not become ready within {timeout:.0f} s", log)
        time.sleep(0.2)

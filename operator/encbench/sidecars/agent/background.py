"""Work that outlasts a request: one run at a time, in a thread, known by a name.

A request for the same name gets the state of the same run, so a restarted operator does not
repeat it. The last run is kept until another begins.
"""

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from encbench.adapters.sql import Session

OpenBounded = Callable[[float], Session]
"""Opens a session; connecting and each statement may take that many seconds."""


class Busy(Exception):
    """Another run has not ended."""


class NamedRun(Protocol):
    """The name and the end of a run."""

    @property
    def name(self) -> str:
        """The name that the caller gave it."""

    @property
    def ended(self) -> bool:
        """Whether another run may begin."""


R = TypeVar("R", bound=NamedRun)


class Background(Generic[R]):
    """Runs of one kind."""

    def __init__(self, work: Callable[[R], None], busy: str) -> None:
        """`work` does a run; `busy` is the text of Busy, with {} for the run's name."""
        self._work = work
        self._busy = busy
        self._run: R | None = None
        self._lock = threading.Lock()

    def begun(self, name: str, begin: Callable[[], R]) -> R:
        """The run of that name, begun if there is none. Does not wait.

        Busy while another run is in progress.
        """
        with self._lock:
            run = self._run
            if run is not None and run.name == name:
                return run
            if run is not None and not run.ended:
                raise Busy(self._busy.format(run.name))
            self._run = run = begin()
        threading.Thread(target=self._work, args=(run,), daemon=True).start()
        return run

    def known(self, name: str) -> R | None:
        """The run of that name; this never begins one."""
        with self._lock:
            run = self._run
        return run if run is not None and run.name == name else None

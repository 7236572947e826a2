"""Work that outlasts a request: one run at a time, in a thread, known by a name.

A request for the same name gets the state of the same run, so a restarted operator does not
repeat it. The last run is kept until another begins.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from encbench.adapters.sql import Session

OpenBounded = Callable[[float], Session]
"""Opens a session; connecting and each statement may take that many seconds."""


class Busy(Exception):
    """Another run has not ended."""


@dataclass(kw_only=True)
class BackgroundRun:
    """One run, under the name that the caller gave it."""

    name: str
    began: float = field(default_factory=time.monotonic)
    error: str | None = None
    """Why it failed."""
    took: float | None = None
    """Seconds; None until it has ended."""


R = TypeVar("R", bound=BackgroundRun)


class Background(Generic[R]):
    """Runs of one kind."""

    def __init__(
        self, work: Callable[[R], None], expected: type[Exception], what: str, busy: str
    ) -> None:
        """`work` does a run; it fails for a reason that an `expected` error names.

        `what` begins the text of any other error, and `busy` is that of Busy, with {} for the name.
        """
        self._work, self._expected = work, expected
        self._what, self._busy = what, busy
        self._run: R | None = None
        self._lock = threading.Lock()

    def begun(self, new: R) -> R:
        """The run of that name: this one, begun, if there is none. Does not wait.

        Busy while another run is in progress.
        """
        with self._lock:
            run = self._run
            if run is not None and run.name == new.name:
                return run
            if run is not None and run.took is None:
                raise Busy(self._busy.format(run.name))
            self._run = new
        threading.Thread(target=self._do, args=(new,), daemon=True).start()
        return new

    def known(self, name: str) -> R | None:
        """The run of that name; this never begins one."""
        run = self._run
        return run if run is not None and run.name == name else None

    def _do(self, run: R) -> None:
        try:
            self._work(run)
        except self._expected as error:
            run.error = str(error)
        except Exception as error:
            run.error = f"{self._what} ended with {error!r}"
            raise
        finally:
            run.took = round(time.monotonic() - run.began, 3)

"""Work that outlasts a request: one run at a time, in a thread, known by a name.

Who asks for the same name gets the same run's state, so that an operator that was killed has
nothing done twice. The last run is kept until another begins.
"""

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from encbench.sidecars.agent.probe import SqlSession

OpenBounded = Callable[[float], SqlSession]
"""Opens a session whose connecting and statements may take that many seconds each."""


class Busy(Exception):
    """Another run has not ended."""


class NamedRun(Protocol):
    """What is known of a run."""

    @property
    def name(self) -> str:
        """As whoever asked for it calls it."""

    @property
    def ended(self) -> bool:
        """Whether another may begin."""


R = TypeVar("R", bound=NamedRun)


class Background(Generic[R]):
    """Runs of one kind."""

    def __init__(self, work: Callable[[R], None], busy: str) -> None:
        """`work` does a run; `busy` says with the name of a run in braces that it has not ended."""
        self._work = work
        self._busy = busy
        self._run: R | None = None
        self._lock = threading.Lock()

    def begun(self, name: str, begin: Callable[[], R]) -> R:
        """The run of that name, begun if there is none. Does not wait.

        Busy while another one is under way.
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
        """The run of that name, which is never begun by this."""
        with self._lock:
            run = self._run
        return run if run is not None and run.name == name else None

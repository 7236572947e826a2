"""Whether the object store and Prometheus answer, so that campaigns say so before they need them.

A trial needs them at its end only, which may be hours away. By then a person could have mended what
is wrong.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from encbench.ports import Metrics, NoBucket, Rejected, Store, Unavailable

PERIOD, LIMIT = 5.0, 8.0
"""Seconds from an answer to the next question, and how long an answer may take. With the time until
a campaign's next pass they come to less than half a minute."""
SOON = 1.0
"""The former while something is away, because campaigns wait for it."""
NOTHING = ".encbench-check/nothing"

log = logging.getLogger(__name__)

Question = Callable[[], Awaitable[Any]]


class Health(Protocol):
    """What is known of the services."""

    @property
    def problem(self) -> str:
        """What is away, in a sentence; empty if nothing is."""


class Services:
    """Asks each of them all the time, and knows what is wrong."""

    def __init__(self, questions: Mapping[str, Question] | None = None) -> None:
        self._questions = dict(questions or {})
        self._asked: dict[str, asyncio.Future[Any]] = {}
        self._problems: dict[str, str] = {}
        self._known = set[str]()
        """Those that have been asked."""
        self._faults = set[str]()
        """Those that could not be asked by a fault of ours, which the log has."""

    @property
    def problem(self) -> str:
        """What is away, in a sentence; empty if nothing is."""
        return "; ".join(self._problems[name] for name in sorted(self._problems))

    @property
    def up(self) -> dict[str, bool]:
        """Whether each of them can be used, once it is known."""
        return {name.removeprefix("the "): name not in self._problems for name in self._known}

    async def watch(self) -> None:
        """Ask until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(SOON if self._problems else PERIOD)

    async def look(self, limit: float = LIMIT) -> None:
        """Ask once. One that has not answered yet is not asked again."""
        for name, question in self._questions.items():
            if name not in self._asked:
                self._asked[name] = asyncio.ensure_future(question())
        if self._asked:
            await asyncio.wait(self._asked.values(), timeout=limit)
        for name, asked in list(self._asked.items()):
            self._known.add(name)
            if not asked.done():
                self._note(name, f"{name} has not answered for {limit:.0f} s")
                continue
            del self._asked[name]
            error = asked.exception()
            if error is None:
                self._faults.discard(name)
                if self._problems.pop(name, None) is not None:
                    log.info("%s can be used again", name)
            else:
                # What refuses even this question will refuse a trial's too.
                self._keep(name, error)

    def _keep(self, name: str, error: BaseException) -> None:
        if isinstance(error, (Unavailable, Rejected)):
            self._note(name, str(error))
            return
        if name not in self._faults:
            # Once, and not at every question.
            log.error("%s could not be asked", name, exc_info=error)
            self._faults.add(name)
        # Its text may hold what no object should show.
        self._problems[name] = (
            f"{name} could not be asked: a fault of the operator's own, {type(error).__name__}. "
            "Its log has the details; please report them"
        )

    def _note(self, name: str, problem: str) -> None:
        """Log it once, and not at every question."""
        if name not in self._problems:
            log.warning("%s cannot be used: %s", name, problem)
        self._problems[name] = problem


class _Bucket:
    """The object store; whoever asks first makes its bucket, so that it is missed in no request.

    One that is lost later is not replaced: an empty one would hide what has happened.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._was_there = False

    async def ask(self) -> None:
        """Ask for something that is not there. Unavailable or Rejected without an answer.

        Also when clients could be given no URL, which they need as a trial is released.
        """
        refusal: Exception | None = None
        if not self._was_there:
            try:
                await self._store.ensure_bucket()
                self._was_there = True
            except (Unavailable, Rejected) as error:
                # Keys that may not look for a bucket can still be good for what is in it.
                refusal = error
        try:
            await self._store.get(NOTHING)
        except NoBucket as error:
            if refusal is None:
                raise
            raise NoBucket(f"{error}; it could not be created: {refusal}") from error
        await self._store.presign_put(NOTHING, 60)


def services(store: Store, metrics: Metrics) -> Services:
    """Those of an installation, each asked for something that is not there."""
    return Services({"the object store": _Bucket(store).ask, "Prometheus": metrics.check})

"""The fakes with an eye on them: what changed, what was created, and how often."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from encbench.api.kinds import Kind
from encbench.api.lifecycle import LIVES
from encbench.ports import Body, Series
from tests.support.fake_cluster import FakeCluster
from tests.support.fake_metrics import FakeMetrics
from tests.support.fake_store import FakeStore

LIFE = {life.kind: life for life in LIVES if life.phases}
SCRAPE_DELAY = 0.5
"""Seconds until a sample can be read from the simulated Prometheus."""


class Change(NamedTuple):
    """One object after a change, or as it was before it went."""

    kind: Kind
    body: Body
    gone: bool = False


class WatchedCluster(FakeCluster):
    """A fake API server whose changes can be taken as a watch would send them."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(now=now)
        self.changes: list[Change] = []
        """What has changed and was not taken yet."""
        self.created: Counter[tuple[str, str]] = Counter()
        """Kind and name of everything that was ever put, and how often."""
        self.strange: list[str] = []
        """Phases and outcomes that the tables of `api.lifecycle` do not know."""

    def _insert(self, key: tuple[Kind, str, str], body: Body) -> Body:
        self.created[key[0].kind, key[2]] += 1
        return super()._insert(key, body)

    def _store(self, key: tuple[Kind, str, str], body: Body) -> None:
        self._compare(key, self._objects.get(key) or body, body)
        super()._store(key, body)
        self.changes.append(Change(key[0], body))

    def _compare(self, key: tuple[Kind, str, str], old: Body, new: Body) -> None:
        life = LIFE.get(key[0])
        if life is None:
            return
        before, after = old.get("status") or {}, new.get("status") or {}
        step = before.get("phase", life.order[0]), after.get("phase", life.order[0])
        if step[0] != step[1] and step not in life.transitions:
            self.strange.append(f"{key[0].kind} {key[2]}: {' -> '.join(step)}")
        outcome, reason = after.get("outcome"), after.get("reason")
        if reason is not None and reason not in life.outcomes.get(outcome or "", {}):
            self.strange.append(f"{key[0].kind} {key[2]}: {outcome} by {reason}")

    def _vanish(self, key: tuple[Kind, str, str]) -> None:
        self.changes.append(Change(key[0], self._objects[key], gone=True))
        super()._vanish(key)


@dataclass
class CountingStore(FakeStore):
    """A fake store that counts how often each key was written."""

    written: Counter[str] = field(default_factory=Counter)

    def _store(self, key: str, content: bytes, content_type: str) -> None:
        self.written[key] += 1
        super()._store(key, content, content_type)


@dataclass
class TimedMetrics(FakeMetrics):
    """A fake Prometheus that does not know the future."""

    now: Callable[[], float] = lambda: float("inf")

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        return await super().raw(selector, start, max(start, min(end, self.now() - SCRAPE_DELAY)))

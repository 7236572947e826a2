"""The loop: keys from watches, deadlines and the sweep, worked off by the reconcilers.

Watches only say *that* something changed. Every pass reads what it needs afresh, so an event that
is lost or repeated does no harm; the sweep finds what no event reported.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL, Kind
from encbench.kube import labels
from encbench.ports import Body, Cluster, Conflict, Rejected, Unavailable
from encbench.reconcile.effects.cluster import NotOurs
from encbench.reconcile.queue import WorkQueue

WORKERS = 4
SWEEP_SECONDS = 120.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Key:
    """One object to look at."""

    kind: Kind
    namespace: str
    name: str


class Reconciler(Protocol):
    """Drives one kind."""

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        ...


class Loop:
    """Dispatches keys to reconcilers."""

    def __init__(self, cluster: Cluster, reconcilers: Mapping[Kind, Reconciler]) -> None:
        self._cluster = cluster
        self._reconcilers = reconcilers
        self._queue: WorkQueue[Key] = WorkQueue(self._work, on_error=self._failed)

    def changed(self, kind: Kind, body: Body) -> None:
        """An object changed: have it, or the one of ours that owns it, looked at.

        The owner is woken as well when the object is itself one of ours.
        """
        for key in concerned(kind, body):
            if key.kind in self._reconcilers:
                self._queue.add(key)

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._queue.run(WORKERS))
            group.create_task(self._sweep())

    async def _sweep(self) -> None:
        while True:
            try:
                await self.sweep_once()
            except Unavailable as error:
                log.warning("the sweep could not read the API server: %s", error)
            await asyncio.sleep(SWEEP_SECONDS)

    async def sweep_once(self) -> None:
        """Enqueue everything that has work left."""
        active = {TRIAL: {labels.ACTIVE: "true"}}
        for kind in self._reconcilers:
            for body in await self._cluster.list(kind, None, active.get(kind)):
                meta = body["metadata"]
                self._queue.add(Key(kind, meta["namespace"], meta["name"]))

    async def _work(self, key: Key) -> float | None:
        return await self._reconcilers[key.kind].reconcile(key.namespace, key.name)

    def _failed(self, key: Key, error: Exception, delay: float) -> None:
        where = f"{key.kind.kind} {key.namespace}/{key.name}"
        if isinstance(error, (Unavailable, Conflict)):
            log.info("%s: again in %.1f s: %s", where, delay, error)
        elif isinstance(error, (Rejected, NotOurs)):
            log.error("%s: again in %.1f s: %s", where, delay, error)
        else:
            log.error("%s: again in %.1f s", where, delay, exc_info=error)


def concerned(kind: Kind, body: Body) -> list[Key]:
    """The keys that a changed object concerns: its own, its controller's and its campaign's."""
    meta = body["metadata"]
    space = meta.get("namespace", "")
    keys = [Key(kind, space, meta["name"])]
    own = {k.kind: k for k in (CAMPAIGN, TESTBED, TRIAL)}
    for owner in meta.get("ownerReferences") or []:
        if owner.get("controller") and owner["kind"] in own:
            keys.append(Key(own[owner["kind"]], space, owner["name"]))
    marks = meta.get("labels") or {}
    for label, target in ((labels.TRIAL, TRIAL), (labels.TESTBED, TESTBED)):
        if marks.get(label):
            keys.append(Key(target, space, marks[label]))
    return list(dict.fromkeys(keys))

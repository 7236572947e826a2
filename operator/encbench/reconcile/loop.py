"""The loop: keys from watches, deadlines and the sweep, worked off by the reconcilers.

Watches only say *that* something changed. Every pass reads all that it needs, most of it from what
watches have brought (`adapters.watchcache`); nothing of that is believed for longer than a minute.
So an event that is lost or repeated does no harm; the sweep finds what no event reported. What is
judged once and for good is read from the API server itself.
"""

import asyncio
import itertools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from encbench.api.conditions import parse_time
from encbench.api.kinds import CAMPAIGN, POD, TESTBED, TRIAL, Kind
from encbench.api.lifecycle import CLEARED
from encbench.kube import labels
from encbench.kube.shards import Shard
from encbench.logs import about, named
from encbench.ports import (
    Body,
    Clock,
    Cluster,
    Conflict,
    Meter,
    PassEnd,
    Rejected,
    Unavailable,
    WebhookFailed,
)
from encbench.reconcile.campaign.cleanup import FINALIZER
from encbench.reconcile.effects.cluster import NotOurs
from encbench.reconcile.failures import Failures
from encbench.reconcile.namespaces import is_ending
from encbench.reconcile.objects import holds, is_over
from encbench.reconcile.queue import WorkQueue

WORKERS = 4
"""Passes at once, over trials and over everything else."""
SWEEP_SECONDS = 120.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Key:
    """One object to look at."""

    kind: Kind
    namespace: str
    name: str

    def __str__(self) -> str:
        return named(self.kind, self.namespace, self.name)

    @property
    def about(self) -> Mapping[str, object]:
        """The `extra` of a record about it."""
        return about(self.kind, self.namespace, self.name)


class Reconciler(Protocol):
    """Drives one kind."""

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        ...


class Loop:
    """Dispatches keys to reconcilers."""

    def __init__(
        self,
        cluster: Cluster,
        reconcilers: Mapping[Kind, Reconciler],
        namespaces: Sequence[str],
        clock: Clock,
        meter: Meter | None = None,
        shard: Shard | None = None,
    ) -> None:
        self._cluster = cluster
        self._meter = meter or Meter()
        self._failures = Failures(cluster)
        self._reconcilers = reconcilers
        self._namespaces = namespaces
        self._clock = clock
        self._shard = shard or Shard()
        self._queue: WorkQueue[Key] = WorkQueue(self._work, on_error=self._failed)
        self._trials: WorkQueue[Key] = WorkQueue(self._work, on_error=self._failed)
        """A lane of their own: clients have to be released within two seconds."""

    def changed(self, kind: Kind, body: Body) -> None:
        """An object changed: have it, or the one of ours that owns it, looked at.

        The owner is woken as well when the object is itself one of ours. What is another shard's
        wakes none.
        """
        if not self._shard.has(kind, body):
            return
        for key in concerned(kind, body):
            if key.kind in self._reconcilers:
                self.wake(key)

    def wake(self, key: Key) -> None:
        """Have an object looked at."""
        (self._trials if key.kind == TRIAL else self._queue).add(key)

    def lanes(self) -> dict[str, tuple[int, int]]:
        """Keys that wait and keys that are worked on, by lane."""
        lanes = {"trials": self._trials, "others": self._queue}
        return {name: (queue.waiting, queue.working) for name, queue in lanes.items()}

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._queue.run(WORKERS))
            group.create_task(self._trials.run(WORKERS))
            group.create_task(self._sweep())

    async def _sweep(self) -> None:
        while True:
            await self.sweep_once()
            await asyncio.sleep(SWEEP_SECONDS)

    async def sweep_once(self) -> None:
        """Enqueue everything that has work left. What cannot be read is left to the next sweep."""
        active = {TRIAL: {labels.ACTIVE: "true"}}
        for namespace, kind in itertools.product(self._namespaces, self._reconcilers):
            try:
                found = await self._cluster.list(kind, namespace, active.get(kind))
            except (Unavailable, Rejected) as error:
                log.warning("the sweep of %s in %s failed: %s", kind.plural, namespace, error)
            except Exception:
                # Whatever it is, it must not end the work on other kinds and namespaces.
                log.exception("the sweep of %s in %s failed", kind.plural, namespace)
            else:
                own = [body for body in found if self._shard.has(kind, body)]
                if kind == CAMPAIGN:
                    self._meter.only(namespace, [body["metadata"]["name"] for body in own])
                    own = [body for body in own if not is_at_rest(body, self._clock.now())]
                for body in own:
                    self.wake(Key(kind, namespace, body["metadata"]["name"]))

    async def _work(self, key: Key) -> float | None:
        end: PassEnd = "done"
        clock = asyncio.get_running_loop().time
        began = clock()
        subject = key.kind, key.namespace, key.name
        try:
            delay = await self._pass(key)
        except Exception as error:
            end = _end(error)
            await self._failures.failed(subject, error)
            raise
        else:
            self._failures.passed(subject)
            return delay
        finally:
            self._meter.passed(key.kind, clock() - began, end)

    async def _pass(self, key: Key) -> float | None:
        try:
            return await self._reconcilers[key.kind].reconcile(key.namespace, key.name)
        except Rejected as error:
            if not await is_ending(self._cluster, key.namespace):
                raise
            # Roles go first. There is nothing left to do but what the sweep still finds.
            log.info("%s: its namespace is being deleted: %s", key, error, extra=key.about)
            return None

    def _failed(self, key: Key, error: Exception, delay: float) -> None:
        if isinstance(error, WebhookFailed):
            # A person may have to mend it.
            log.warning("%s: again in %.1f s: %s", key, delay, error, extra=key.about)
        elif isinstance(error, (Unavailable, Conflict)):
            log.info("%s: again in %.1f s: %s", key, delay, error, extra=key.about)
        elif isinstance(error, (Rejected, NotOurs)):
            log.error("%s: again in %.1f s: %s", key, delay, error, extra=key.about)
        else:
            log.error("%s: again in %.1f s", key, delay, exc_info=error, extra=key.about)


def _end(error: Exception) -> PassEnd:
    ends: dict[type[Exception], PassEnd] = {
        WebhookFailed: "webhook",  # Unavailable as well, so it comes first.
        Unavailable: "unavailable",
        Conflict: "conflict",
        Rejected: "rejected",
        NotOurs: "rejected",
    }
    return next((end for kind, end in ends.items() if isinstance(error, kind)), "failed")


def is_at_rest(body: Body, now: datetime) -> bool:
    """Whether a campaign is over and no pass over it would do anything now.

    Watches begin with a list of all objects, so a new process looks at each of them once.
    """
    meta, status = body["metadata"], body.get("status") or {}
    return (
        is_over(body)
        and meta.get("deletionTimestamp") is None
        and FINALIZER not in (meta.get("finalizers") or ())
        and status.get("observedGeneration") == meta.get("generation")
        and not _has_trials_to_go(body, now)
    )


def _has_trials_to_go(body: Body, now: datetime) -> bool:
    """Whether the time to live of a campaign that is over has passed, and it is not cleared.

    As `left_to_live` has it of one that is parsed.
    """
    status = body["status"]
    ttl, ended = body["spec"].get("ttlSecondsAfterFinished"), status.get("completionTime")
    if ttl is None or ended is None or status.get("reportRef") is None:
        return False
    try:
        is_due = ttl <= (now - parse_time(ended)).total_seconds()
    except (TypeError, ValueError):
        return True  # A pass says what is wrong with it.
    return is_due and not holds(body, CLEARED)


def concerned(kind: Kind, body: Body) -> list[Key]:
    """The keys that a changed object concerns: its own, its controller's and its campaign's.

    A trial may concern its testbed. What belongs to the trial does not: its Job and its clients
    change a dozen times, and no testbed looks at them.
    """
    meta = body["metadata"]
    space = meta.get("namespace", "")
    keys = [Key(kind, space, meta["name"])]
    own = {k.kind: k for k in (CAMPAIGN, TESTBED, TRIAL)}
    for owner in meta.get("ownerReferences") or []:
        if owner.get("controller") and owner["kind"] in own:
            keys.append(Key(own[owner["kind"]], space, owner["name"]))
    marks = meta.get("labels") or {}
    if marks.get(labels.TRIAL):
        keys.append(Key(TRIAL, space, marks[labels.TRIAL]))
    elif marks.get(labels.TESTBED):
        keys.append(Key(TESTBED, space, marks[labels.TESTBED]))
    ends = kind == POD and meta.get("deletionTimestamp") is not None
    if ends and marks.get(labels.COMPONENT) == "database" and marks.get(labels.CAMPAIGN):
        # It may be waited for, and its testbed is gone by now.
        keys.append(Key(CAMPAIGN, space, marks[labels.CAMPAIGN]))
    return list(dict.fromkeys(keys))

"""kopf's side: watch, remember what comes, and have the loop look at it.

Only `on.event` handlers: they cost no write per object and leave no annotation and no finalizer.
The loop's sweep finds whatever they miss. What no pass needs, such as finished trials, the API
server leaves out.
"""

import asyncio
import itertools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import kopf

from encbench.adapters.kubeclient import around_us
from encbench.adapters.kubernetes import cleaned
from encbench.adapters.watchcache import WATCHED, WatchCache
from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL, Kind
from encbench.kube import labels
from encbench.ports import NotServed, Reader, Rejected, Unavailable
from encbench.reconcile.loop import Loop

LOOK_AGAIN = 5.0
"""Seconds between looks for kinds that are not there."""
LOG_IN_AGAIN = 5.0
"""Seconds until credentials that the API server has refused are tried again."""
SILENCE = 70.0
"""Seconds without a word from the API server after which a watch begins anew."""

log = logging.getLogger(__name__)


async def watch(
    loop: Loop, cache: WatchCache, namespaces: Sequence[str], started: Callable[[], None]
) -> None:
    """Watch until cancelled. `started` is called once kopf has taken the process' signals."""
    await kinds_served(cache.cluster, namespaces)
    registry = kopf.OperatorRegistry()
    register(registry, loop, cache)
    others = asyncio.all_tasks()
    tasks = await kopf.spawn_tasks(
        registry=registry,
        settings=kopf_settings(),
        namespaces=namespaces,
        # Without it kopf looks up a user name that an image may lack.
        identity=cast(Any, "encbench"),
    )
    started()
    await kopf.run_tasks(tasks, ignored=others)


async def kinds_served(cluster: Reader, namespaces: Sequence[str]) -> None:
    """Return once the API server answers and has our kinds, whose CRDs may come after the chart.

    kopf looks for them once, at its start, and would never watch what it did not find then.
    """
    told = ""
    while missing := await _not_served(cluster, namespaces):
        if missing != told:
            log.warning("nothing is watched yet: %s", missing)
            told = missing
        await asyncio.sleep(LOOK_AGAIN)
    if told:
        # Discovery, by which kopf looks, hears of a kind a little later than it is served.
        await asyncio.sleep(LOOK_AGAIN)


async def _not_served(cluster: Reader, namespaces: Sequence[str]) -> str:
    for kind, namespace in itertools.product((CAMPAIGN, TESTBED, TRIAL), namespaces):
        try:
            # No object has this label, so the answer is short.
            await cluster.list(kind, namespace, {labels.ACTIVE: "never"})
        except (NotServed, Unavailable) as error:
            return str(error)
        except Rejected:
            # Without the Role in this namespace the API server does not say whether the kind is
            # there. kopf tries again by itself, in each.
            continue
    return ""


def register(registry: kopf.OperatorRegistry, loop: Loop, cache: WatchCache) -> None:
    """Watch our kinds, and the workloads that bear our label."""
    kopf.on.login(registry=registry)(_log_in)
    for kind in WATCHED:
        kopf.on.event(*_resource(kind), registry=registry)(_handler(kind, loop, cache))


class NothingHandled(kopf.DiffBaseStorage):
    """What kopf last handled of an object: nothing.

    kopf's own storages copy each object of each event four times to see what has changed in it,
    for handlers of changes. There are none here, and it was a third of the operator's CPU.
    """

    def build(self, **_: Any) -> kopf.BodyEssence:
        """The part of an object that matters to handlers of changes."""
        return kopf.BodyEssence()

    def fetch(self, **_: Any) -> kopf.BodyEssence | None:
        """That of the last time."""
        return None

    def store(self, **_: Any) -> None:
        """Keep it: not called without such handlers."""


class EndlessBackoffs:
    """Seconds between kopf's attempts at a request, without an end.

    kopf ends when a list or a watch is refused more often than there are entries here, and takes
    the watches of all namespaces along. Only one of them may be forbidden: its Role goes first when
    a namespace is deleted.
    """

    def __iter__(self) -> Iterator[float]:
        """The seconds, anew for each request."""
        yield from (1, 2, 3, 5, 8, 13, 20)
        yield from itertools.repeat(30)


def kopf_settings() -> kopf.OperatorSettings:
    """Settings of a mere listener: no scanning, no peering, no events, no annotations."""
    settings = kopf.OperatorSettings()
    settings.watching.chunk_size = 500
    settings.watching.connect_timeout = 10
    settings.watching.server_timeout = 600
    settings.watching.inactivity_timeout = SILENCE
    settings.networking.request_timeout = 30
    settings.networking.error_backoffs = EndlessBackoffs()
    settings.networking.enforce_retry_after = True
    settings.queueing.error_delays = (1, 2, 5, 10, 20, 40, 60)
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.peering.standalone = True
    settings.persistence.finalizer = f"{labels.CAMPAIGN.split('/')[0]}/kopf"
    settings.persistence.diffbase_storage = NothingHandled()
    for kind, wanted in WATCHED.items():
        if wanted:
            settings.watching.label_selectors[_resource(kind)] = labels.selector(wanted)
    return settings


async def _log_in(memo: kopf.Memo, **context: Any) -> kopf.ConnectionInfo | None:
    """As the pod's service account; outside a cluster by the kubeconfig.

    A token that has come in the refused one's place is tried at once, because no watch goes on
    meanwhile. kopf ends where a login gives credentials like those that were refused, and an API
    server that restarts refuses good ones. So each login's differ by their priority, which nothing
    else is for.
    """
    memo.logins = memo.get("logins", 0) + 1
    found = _credentials(context)
    if found is not None and found == memo.get("refused"):
        await asyncio.sleep(LOG_IN_AGAIN)
        found = _credentials(context)
    memo.refused = found
    return found and replace(found, priority=memo.logins)


def _credentials(context: Mapping[str, Any]) -> kopf.ConnectionInfo | None:
    """For the address that all other requests go to, where kopf asks for a name by itself."""
    found = kopf.login_with_service_account(**context)
    if found is None:
        return kopf.login_with_kubeconfig(**context)
    return replace(found, server=around_us() or found.server)


def _resource(kind: Kind) -> tuple[str, str, str]:
    group, _, version = kind.api_version.rpartition("/")
    return group, version, kind.plural


def _handler(kind: Kind, loop: Loop, cache: WatchCache) -> Any:
    async def changed(event: kopf.RawEvent, **_: Any) -> None:
        body = cleaned(kind, dict(event["object"]))
        cache.changed(kind, body, gone=event["type"] == "DELETED")
        loop.changed(kind, body)

    changed.__name__ = f"{kind.plural}_changed"
    return changed

"""kopf's side: watch, remember what comes, and have the loop look at it.

Only `on.event` handlers: they cost no write per object and leave no annotation and no finalizer.
The loop's sweep finds whatever they miss. What no pass needs, such as finished trials, the API
server leaves out.
"""

from typing import Any

import kopf

from encbench.adapters.kubernetes import cleaned
from encbench.adapters.watchcache import WATCHED, WatchCache
from encbench.api.kinds import Kind
from encbench.kube.labels import selector
from encbench.reconcile.loop import Loop


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


def select(settings: kopf.OperatorSettings) -> None:
    """Have the API server leave out what no pass needs, and kopf what no handler asks for."""
    settings.persistence.diffbase_storage = NothingHandled()
    for kind, labels in WATCHED.items():
        if labels:
            settings.watching.label_selectors[_resource(kind)] = selector(labels)


def _log_in(**context: Any) -> kopf.ConnectionInfo | None:
    """As the pod's service account; outside a cluster by the kubeconfig."""
    return kopf.login_with_service_account(**context) or kopf.login_with_kubeconfig(**context)


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

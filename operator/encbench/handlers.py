"""kopf's side: watch, and pass every event on to the loop.

Only `on.event` handlers: they cost no write per object and leave no annotation and no finalizer.
The loop's sweep finds whatever they miss.
"""

from typing import Any

import kopf

from encbench.api import kinds
from encbench.api.kinds import Kind
from encbench.kube import labels
from encbench.reconcile.loop import Loop

OWN = (kinds.CAMPAIGN, kinds.TESTBED, kinds.TRIAL)
CHILDREN = (kinds.JOB, kinds.STATEFUL_SET, kinds.POD)


def register(registry: kopf.OperatorRegistry, loop: Loop) -> None:
    """Watch our kinds, and the workloads that bear our label."""
    kopf.on.login(registry=registry)(_log_in)
    for kind in OWN:
        kopf.on.event(*_resource(kind), registry=registry)(_handler(kind, loop))
    ours: dict[str, Any] = {labels.MANAGED_BY: labels.MANAGER}
    for kind in CHILDREN:
        kopf.on.event(*_resource(kind), labels=ours, registry=registry)(_handler(kind, loop))


def _log_in(**context: Any) -> kopf.ConnectionInfo | None:
    """As the pod's service account; outside a cluster by the kubeconfig."""
    return kopf.login_with_service_account(**context) or kopf.login_with_kubeconfig(**context)


def _resource(kind: Kind) -> tuple[str, str, str]:
    group, _, version = kind.api_version.rpartition("/")
    return group, version, kind.plural


def _handler(kind: Kind, loop: Loop) -> Any:
    async def changed(body: kopf.Body, **_: Any) -> None:
        loop.changed(kind, dict(body))

    changed.__name__ = f"{kind.plural}_changed"
    return changed

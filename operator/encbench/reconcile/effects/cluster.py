"""Effects on the API server: adopting what is ours, and never what is not."""

import logging
from typing import Any

from encbench.api.kinds import Kind
from encbench.kube import labels
from encbench.logs import about, named
from encbench.ports import Body, Cluster, Conflict
from encbench.reconcile.effects import effect as do
from encbench.reconcile.objects import Object, belongs_to
from encbench.wire.foreign import printable

log = logging.getLogger(__name__)


class NotOurs(Exception):
    """An object of the name that we need belongs to another owner, or to our predecessor."""


async def perform(cluster: Cluster, subject: Object[Any, Any], *effects: do.ObjectEffect) -> bool:
    """Do them in order; none finds anything. `subject` is the object that is reconciled."""
    space, name = subject.namespace, subject.name
    for effect in effects:
        match effect:
            case do.Create(kind, body):
                try:
                    await cluster.create(kind, body)
                except Conflict:
                    if not await _is_there(cluster, kind, body, subject.uid):
                        raise
            case do.Apply(kind, body):
                await _is_there(cluster, kind, body, subject.uid)
                await cluster.apply(kind, body)
            case do.Delete():
                await cluster.delete(effect.kind, effect.namespace, effect.name, effect.uid)
            case do.Announce(reason, note, warning):
                _log(subject, effect)
                await cluster.event(subject.kind, subject.body, reason, note, warning=warning)
            case do.Retire():
                await cluster.patch_metadata(
                    subject.kind, space, name, labels={labels.ACTIVE: None}
                )
            case do.SetFinalizers(names, marks):
                version = subject.body["metadata"]["resourceVersion"]
                await cluster.patch_metadata(
                    subject.kind,
                    space,
                    name,
                    labels=marks or None,
                    finalizers=names,
                    resource_version=version,
                )
    return False


def _log(subject: Object[Any, Any], news: do.Announce) -> None:
    """Events are gone after an hour; the log is kept for longer."""
    place = subject.kind, subject.namespace, subject.name
    level = logging.WARNING if news.warning else logging.INFO
    note = printable(news.note, 1024)
    log.log(level, "%s: %s: %s", named(*place), news.reason, note, extra=about(*place))


async def _is_there(cluster: Cluster, kind: Kind, body: Body, owner_uid: str) -> bool:
    """Whether there is such an object, which is then ours; NotOurs when it has another owner."""
    name = body["metadata"]["name"]
    there = await cluster.get(kind, body["metadata"]["namespace"], name)
    if there is not None and not belongs_to(there, owner_uid):
        raise NotOurs(
            f"{kind.kind} {name} already exists and has another owner: if an earlier campaign owns "
            "it, wait until it is deleted; otherwise rename or delete it"
        )
    return there is not None

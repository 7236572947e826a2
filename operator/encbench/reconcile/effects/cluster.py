"""Effects on the API server: adopting what is ours, and never what is not."""

from typing import Any

from encbench.kube import labels
from encbench.ports import Body, Cluster, Conflict
from encbench.reconcile.effects import effect as do
from encbench.reconcile.objects import Object, belongs_to


class NotOurs(Exception):
    """An object of the name that we need belongs to another owner, or to our predecessor."""


async def perform(cluster: Cluster, subject: Object[Any, Any], *effects: do.ObjectEffect) -> bool:
    """Do them in order; none finds anything. `subject` is the object that is reconciled."""
    space, name = subject.namespace, subject.name
    for effect in effects:
        match effect:
            case do.Create():
                await _create(cluster, effect, subject.uid)
            case do.Apply():
                await _apply(cluster, effect, subject.uid)
            case do.Delete():
                await cluster.delete(effect.kind, effect.namespace, effect.name, effect.uid)
            case do.Announce(reason, note, warning):
                await cluster.event(subject.kind, subject.body, reason, note, warning=warning)
            case do.Retire():
                await cluster.patch_metadata(
                    subject.kind, space, name, labels={labels.ACTIVE: None}
                )
            case do.SetFinalizers(names):
                version = subject.body["metadata"]["resourceVersion"]
                await cluster.patch_metadata(
                    subject.kind, space, name, finalizers=names, resource_version=version
                )
    return False


async def _create(cluster: Cluster, effect: do.Create, owner_uid: str) -> None:
    """POST; a name that is taken is adopted when it is ours, else NotOurs."""
    try:
        await cluster.create(effect.kind, effect.body)
    except Conflict:
        there = await _found(cluster, effect)
        if there is None:
            raise
        _check_owner(effect, there, owner_uid)


async def _apply(cluster: Cluster, effect: do.Apply, owner_uid: str) -> None:
    """Server-side apply; NotOurs when it would take over another owner's object."""
    there = await _found(cluster, effect)
    if there is not None:
        _check_owner(effect, there, owner_uid)
    await cluster.apply(effect.kind, effect.body)


async def _found(cluster: Cluster, effect: do.Create | do.Apply) -> Body | None:
    meta = effect.body["metadata"]
    return await cluster.get(effect.kind, meta["namespace"], meta["name"])


def _check_owner(effect: do.Create | do.Apply, there: Body, owner_uid: str) -> None:
    if not belongs_to(there, owner_uid):
        name = there["metadata"]["name"]
        raise NotOurs(
            f"{effect.kind.kind} {name} already exists and has another owner: if an earlier "
            "campaign owns it, wait until it is deleted; otherwise rename or delete it"
        )

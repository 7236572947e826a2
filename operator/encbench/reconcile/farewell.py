"""Leaving for good: no campaign may wait for an operator that does not come back.

`helm uninstall` has it done first, and an operator whose own namespace is being deleted does it
last. Whatever the campaigns have left unfinished in the bucket stays there.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence

from encbench.api.conditions import parse_time
from encbench.api.kinds import CAMPAIGN
from encbench.kube import labels
from encbench.kube.shards import Shard
from encbench.ports import Body, Clock, Cluster, Conflict, Rejected, Unavailable
from encbench.reconcile.campaign.cleanup import FINALIZER, GIVE_UP, without_ours

ATTEMPTS = 10
"""Times that a campaign may be changed by another writer meanwhile."""
AGAIN_SECONDS = 120.0
"""Between looks at the campaigns of namespaces that are not watched."""

log = logging.getLogger(__name__)


async def let_go(cluster: Cluster, namespaces: Sequence[str], installation: str) -> None:
    """Remove the operator's finalizer from all campaigns. Unavailable without an API server.

    From all of these namespaces, and from those that the installation claimed in others, which it
    watched once.
    """
    for namespace in namespaces:
        await _let_all_go(cluster, namespace, {})
    if installation:
        await _let_all_go(cluster, None, {labels.OPERATOR: installation})


async def _let_all_go(cluster: Cluster, namespace: str | None, wanted: Mapping[str, str]) -> None:
    try:
        found = await cluster.list(CAMPAIGN, namespace, wanted)
    except Rejected as error:
        # The CRDs or the operator's rights are gone, so there is nothing left to do here.
        log.warning("campaigns in %s: %s", namespace or "other namespaces", error)
    else:
        for body in found:
            await _let_go(cluster, body["metadata"]["namespace"], body)


async def _let_go(cluster: Cluster, namespace: str, body: Body | None) -> None:
    for _ in range(ATTEMPTS):
        meta = body["metadata"] if body is not None else {}
        finalizers = meta.get("finalizers") or ()
        if FINALIZER not in finalizers:
            return
        kept, name = without_ours(finalizers), meta["name"]
        try:
            await cluster.patch_metadata(
                CAMPAIGN, namespace, name, finalizers=kept, resource_version=meta["resourceVersion"]
            )
        except Conflict:
            body = await cluster.get(CAMPAIGN, namespace, name)
        else:
            log.info("campaign %s/%s can be deleted without an operator", namespace, name)
            return
    log.warning("a campaign in %s changed too often to take the finalizer off", namespace)


async def claim(
    cluster: Cluster, namespaces: Sequence[str], shard: Shard, installation: str
) -> None:
    """Mark the shard's campaigns that another installation claimed, or an operator without marks.

    Once at the start: a namespace comes to be watched only by another start. Else whoever claimed
    them would let them go as it is uninstalled.
    """
    left = list(namespaces) if installation else []
    while left:
        left = [one for one in left if not await _claimed(cluster, one, shard, installation)]
        if left:
            await asyncio.sleep(AGAIN_SECONDS)


async def _claimed(cluster: Cluster, namespace: str, shard: Shard, installation: str) -> bool:
    try:
        for body in await cluster.list(CAMPAIGN, namespace):
            meta = body["metadata"]
            marked = (meta.get("labels") or {}).get(labels.OPERATOR) == installation
            held = FINALIZER in (meta.get("finalizers") or ())
            if held and not marked and shard.has(CAMPAIGN, body):
                await cluster.patch_metadata(
                    CAMPAIGN, namespace, meta["name"], labels={labels.OPERATOR: installation}
                )
    except (Unavailable, Rejected, Conflict) as error:
        log.warning("whose campaigns those in %s are: %s", namespace, error)
        return False
    return True


async def let_forgotten_go(
    cluster: Cluster, clock: Clock, watched: Sequence[str], shard: Shard
) -> None:
    """Until cancelled: let go of the shard's deleted campaigns that were left behind.

    Such as one in a namespace that is no longer watched. Another release may watch it, so it gets
    the time after which that one's operator would have let it go as well.
    """
    while True:
        try:
            for body in await cluster.list(CAMPAIGN, None):
                meta = body["metadata"]
                deleted = meta.get("deletionTimestamp")
                if meta["namespace"] in watched or deleted is None:
                    continue
                if not shard.has(CAMPAIGN, body):
                    continue
                if (clock.now() - parse_time(deleted)).total_seconds() > GIVE_UP:
                    await _let_go(cluster, meta["namespace"], body)
        except (Unavailable, Rejected) as error:
            log.warning("campaigns in namespaces that are not watched: %s", error)
        await asyncio.sleep(AGAIN_SECONDS)

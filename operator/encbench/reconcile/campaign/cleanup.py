"""What a deleted campaign leaves in the bucket: finished trials, and nothing half-done.

Everything in the cluster goes by owner references. The bucket has no garbage collector, which is
why a campaign carries a finalizer from its acceptance on.
"""

from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import parse_time
from encbench.core.naming import storage_prefix
from encbench.kube import labels
from encbench.ports import Store
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.draft import Decision
from encbench.reconcile.effects import effect as do
from encbench.reconcile.objects import Campaign, Testbed, Trial

GIVE_UP = 300.0
"""Seconds after which a deleted campaign no longer waits for a store that is away."""
FINALIZER = f"{labels.CAMPAIGN.split('/')[0]}/unfinished-artefacts"


def decide(campaign: Campaign, seen: CampaignSeen) -> Decision[CampaignStatus, do.CampaignEffect]:
    """Of a deleted campaign: its children go, then what is half-done, then the finalizer; pure."""
    if FINALIZER not in campaign.finalizers:
        return Decision(campaign.status)
    children: list[Testbed | Trial] = [*seen.testbeds.values(), *seen.trials.values()]
    gone = tuple(do.Delete.of(child) for child in children if not child.deleting)
    if seen.has_clients:
        return Decision(campaign.status, gone, requeue=1.0)
    deleted = parse_time(campaign.body["metadata"]["deletionTimestamp"])
    late = (seen.now - deleted).total_seconds() >= GIVE_UP
    rest = tuple(name for name in campaign.finalizers if name != FINALIZER)
    unfinished = do.RemoveUnfinished(best_effort=late)
    return Decision(campaign.status, (*gone, unfinished, do.SetFinalizers(rest)))


async def remove_unfinished(store: Store, campaign: Campaign) -> None:
    """Remove the folders of trials without a record, and uploads that were never completed."""
    prefix = storage_prefix(campaign.namespace, campaign.name, campaign.uid)
    keys = await store.list(f"{prefix}/trials/")
    folders: dict[str, list[str]] = {}
    for key in keys:
        trial = key.removeprefix(f"{prefix}/trials/").split("/")[0]
        folders.setdefault(trial, []).append(key)
    for trial, content in folders.items():
        if f"{prefix}/trials/{trial}/trial.json" not in content:
            await store.delete(content)
    await store.abort_uploads(f"{prefix}/")

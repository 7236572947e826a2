"""What a deleted campaign leaves in the bucket: finished trials, and nothing half-done.

Everything in the cluster goes by owner references. The bucket has no garbage collector, which is
why a campaign carries a finalizer from its acceptance on.
"""

from encbench.api.kinds import POD
from encbench.core.naming import storage_prefix
from encbench.kube import labels
from encbench.ports import Cluster, Store
from encbench.reconcile.objects import Campaign

FINALIZER = f"{labels.CAMPAIGN.split('/')[0]}/unfinished-artefacts"


async def clients_are_gone(cluster: Cluster, campaign: Campaign) -> bool:
    """Whether no pod of the campaign is left that could still upload."""
    own = {labels.CAMPAIGN: campaign.name, labels.COMPONENT: "client"}
    return not await cluster.list(POD, campaign.namespace, own)


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

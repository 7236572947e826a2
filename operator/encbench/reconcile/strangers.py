"""Testbeds and Trials that no campaign has planned.

The operator makes pods for a Testbed, and stores results for a Trial. Whoever may create these
objects could have it work on any image, and store below another campaign's prefix. The chart's
policy `records` reserves them for the operator. Where that is not in force, the operator looks
itself whose they are.
"""

from encbench.api.kinds import CAMPAIGN
from encbench.core.naming import storage_prefix
from encbench.kube.parsing import Malformed
from encbench.ports import Reader
from encbench.reconcile.objects import Testbed, Trial, belongs_to


async def has_campaign(cluster: Reader, child: Testbed | Trial) -> bool:
    """Whether its campaign is there; it goes with it. Malformed for one that never had any."""
    ref, where = child.spec.campaign_ref, f"{child.kind.kind} {child.name}"
    if not belongs_to(child.body, ref.uid):
        raise Malformed(
            f"{where}: spec.campaignRef names Campaign {ref.name}, which does not own it: only the "
            "operator creates such objects, so delete this one"
        )
    body = await cluster.get(CAMPAIGN, child.namespace, ref.name)
    return body is not None and bool(body["metadata"]["uid"] == ref.uid)


async def has_planned(cluster: Reader, trial: Trial) -> bool:
    """The same for a trial, which also has to store where its campaign does."""
    if stores_elsewhere(trial):
        raise Malformed(
            f"Trial {trial.name}: spec.storagePrefix is not that of Campaign "
            f"{trial.spec.campaign_ref.name}: only the operator creates such objects, so delete "
            "this one"
        )
    return await has_campaign(cluster, trial)


def stores_elsewhere(trial: Trial) -> bool:
    """Whether its results would not lie with those of its campaign; it is not one of its trials."""
    ref = trial.spec.campaign_ref
    return trial.spec.storage_prefix != storage_prefix(trial.namespace, ref.name, ref.uid)

"""What a deleted campaign leaves in the bucket: everything but what is half-done.

Everything in the cluster goes by owner references. The bucket has no garbage collector, which is
why a campaign carries a finalizer from its acceptance to its end. In a namespace that is being
deleted the finalizer comes first and the bucket second, because nothing may hold the namespace. The
same holds once the campaign has waited for long enough, whatever is away: the store, a node, the
operator's Role, or the CRDs of its children.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import parse_time
from encbench.core.naming import storage_prefix
from encbench.kube import labels
from encbench.ports import Store
from encbench.reconcile.absences import Absences
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.draft import Decision
from encbench.reconcile.effects import effect as do
from encbench.reconcile.objects import Campaign, Testbed, Trial
from encbench.tools.pod import GRACE_SECONDS
from encbench.wire.foreign import printable

GIVE_UP = 300.0
"""Seconds after which a deleted campaign waits for nothing any more."""
STORE_RETRY = 5.0
CLIENT_GRACE = GRACE_SECONDS + 5.0
"""Seconds after which no client of a deleted namespace uploads any more."""
FINALIZER = f"{labels.CAMPAIGN.split('/')[0]}/unfinished-artefacts"


def decide(campaign: Campaign, seen: CampaignSeen) -> Decision[CampaignStatus, do.CampaignEffect]:
    """Of a deleted campaign: its children go, then what is half-done, then the finalizer; pure."""
    if FINALIZER not in campaign.finalizers:
        return Decision(campaign.status)
    if seen.is_blind or is_late(campaign, seen.now, seen.absences):
        # A client's pod keeps its namespace for as long, so waiting for its last upload costs none.
        age = _waited(campaign, seen.now, seen.absences)
        wait = CLIENT_GRACE - age if campaign.status.progress.active else 0.0
        if wait > 0:
            return Decision(campaign.status, requeue=wait)
        return Decision(campaign.status, (let_go(campaign), do.RemoveIfThere()))
    children: list[Testbed | Trial] = [*seen.testbeds.values(), *seen.trials.values()]
    gone = tuple(do.Delete.of(child) for child in children if not child.deleting)
    gone += tuple(
        do.Delete(one.kind, campaign.namespace, one.name, one.uid) for one in seen.misfits
    )
    if seen.at_work:
        names = ", ".join(seen.at_work)
        step = f"deleted; waiting at most {GIVE_UP:.0f} s for the end of {names}"
        status = campaign.status.model_copy(update={"step": step[:512]})
        return Decision(status, gone, requeue=1.0)
    if not seen.found.is_clean:
        why = seen.away or seen.found.problem
        step = f"deleted; waiting at most {GIVE_UP:.0f} s for the store, to remove what is "
        step += f"unfinished: {why}" if why else "unfinished"
        status = campaign.status.model_copy(update={"step": printable(step, 512)})
        return Decision(status, (*gone, do.RemoveUnfinished()), requeue=STORE_RETRY)
    return Decision(campaign.status, (*gone, let_go(campaign)))


def is_late(campaign: Campaign, now: datetime, absences: Absences) -> bool:
    """Whether a deleted campaign has waited for long enough."""
    return _waited(campaign, now, absences) >= GIVE_UP


def _waited(campaign: Campaign, now: datetime, absences: Absences) -> float:
    """Seconds since it was deleted, in which the operator could do something."""
    return absences.waited(parse_time(campaign.body["metadata"]["deletionTimestamp"]), now)


def let_go(campaign: Campaign) -> do.SetFinalizers:
    """Have the API server delete the campaign without asking the operator."""
    return do.SetFinalizers(tuple(without_ours(campaign.finalizers)))


def without_ours(finalizers: Iterable[str]) -> list[str]:
    """The finalizers of others."""
    return [name for name in finalizers if name != FINALIZER]


async def remove_unfinished(store: Store, campaign: Campaign, kept: Collection[str] = ()) -> None:
    """Remove the folders of trials without a record, but for trials with these UIDs."""
    prefix = storage_prefix(campaign.namespace, campaign.name, campaign.uid)
    keys = await store.list(f"{prefix}/trials/")
    folders: dict[str, list[str]] = {}
    for key in keys:
        trial = key.removeprefix(f"{prefix}/trials/").split("/")[0]
        folders.setdefault(trial, []).append(key)
    for trial, content in folders.items():
        if trial not in kept and f"{prefix}/trials/{trial}/trial.json" not in content:
            await store.delete(content)

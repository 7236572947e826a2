"""The effects of a campaign's decisions: its CA, its report, and what it leaves in the bucket."""

from encbench.api.kinds import SECRET
from encbench.core.artefact import RecordError
from encbench.ports import Unavailable
from encbench.reconcile.campaign.children import authority
from encbench.reconcile.campaign.cleanup import remove_unfinished
from encbench.reconcile.campaign.publish import publish
from encbench.reconcile.deps import Deps
from encbench.reconcile.effects import cluster
from encbench.reconcile.effects.effect import (
    CampaignEffect,
    Create,
    IssueAuthority,
    Publish,
    RemoveUnfinished,
)
from encbench.reconcile.kept import Kept
from encbench.reconcile.objects import Campaign


class CampaignEffects:
    """Does them, and keeps why the last rendering failed."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self.kept = Kept("")

    async def perform(self, campaign: Campaign, effect: CampaignEffect) -> bool:
        """Do one; whether there is something new for the next pass."""
        match effect:
            case IssueAuthority():
                now = self._deps.clock.now()
                made = self._deps.certificates.authority(campaign.name, now)
                create = Create(SECRET, authority(campaign, made))
                return await cluster.perform(self._deps.cluster, campaign, create)
            case Publish():
                return await self._publish(campaign, effect)
            case RemoveUnfinished(best_effort):
                try:
                    await remove_unfinished(self._deps.store, campaign)
                except Unavailable:
                    if not best_effort:
                        raise
                return False
            case _:
                return await cluster.perform(self._deps.cluster, campaign, effect)

    async def _publish(self, campaign: Campaign, effect: Publish) -> bool:
        try:
            await publish(self._deps, campaign, effect.status, effect.seen)
        except (Unavailable, RecordError) as error:
            self.kept.keep(campaign, str(error))
            return False
        self.kept.forget(campaign.namespace, campaign.name)
        return True

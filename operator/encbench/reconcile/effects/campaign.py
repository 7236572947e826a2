"""The effects of a campaign's decisions: its CA, its report, and what it leaves in the bucket."""

from encbench.api.kinds import SECRET
from encbench.core.artefact import RecordError
from encbench.ports import Conflict, Rejected, Unavailable
from encbench.reconcile.campaign.children import authority
from encbench.reconcile.campaign.cleanup import remove_unfinished
from encbench.reconcile.campaign.publish import publish
from encbench.reconcile.effects import effect as do
from encbench.reconcile.effects.base import Effects
from encbench.reconcile.objects import Campaign


class CampaignEffects(Effects[Campaign, do.CampaignEffect, str]):
    """Does them, and keeps why the last rendering failed."""

    nothing = ""

    async def perform(self, campaign: Campaign, effect: do.CampaignEffect) -> bool:
        """Do one; whether there is something new for the next pass."""
        match effect:
            case do.IssueAuthority():
                made = self._deps.certificates.authority(campaign.name, self._deps.clock.now())
                return await self._on_cluster(
                    campaign, do.Create(SECRET, authority(campaign, made))
                )
            case do.Publish():
                try:
                    await publish(self._deps, campaign, effect.status, effect.seen)
                except (Unavailable, Rejected, Conflict, RecordError, LookupError) as error:
                    self.keep(campaign, str(error))
                    return False
                self.forget(campaign.namespace, campaign.name)
                return True
            case do.RemoveUnfinished(best_effort):
                try:
                    await remove_unfinished(self._deps.store, campaign)
                except Unavailable:
                    if not best_effort:
                        raise
                return False
            case _:
                return await self._on_cluster(campaign, effect)

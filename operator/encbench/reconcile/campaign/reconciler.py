"""One pass over a campaign: observe, decide, write the status once, act."""

from functools import partial

from encbench.api.kinds import CAMPAIGN
from encbench.reconcile import objects
from encbench.reconcile.campaign.decide import decide
from encbench.reconcile.campaign.observe import observe
from encbench.reconcile.decision import carry_out
from encbench.reconcile.deps import Deps
from encbench.reconcile.effects.campaign import CampaignEffects


class CampaignReconciler:
    """Drives campaigns; its only state is why the last rendering failed."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._effects = CampaignEffects(deps)

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        kept = self._effects.kept
        body = await self._deps.cluster.get(CAMPAIGN, namespace, name)
        if body is None:
            kept.forget(namespace, name)
            return None
        campaign = objects.campaign(body)
        seen = await observe(self._deps.read, campaign, kept.of(campaign))
        decision = decide(campaign, seen)
        perform = partial(self._effects.perform, campaign)
        return await carry_out(self._deps.cluster, campaign, decision, perform)

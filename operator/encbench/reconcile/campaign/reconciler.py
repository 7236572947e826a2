"""One pass over a campaign: observe, decide, write the status once, act."""

from dataclasses import replace

from encbench.api.kinds import CAMPAIGN, SECRET
from encbench.core.artefact import RecordError
from encbench.ports import Unavailable
from encbench.reconcile import objects
from encbench.reconcile.campaign.children import authority
from encbench.reconcile.campaign.cleanup import FINALIZER, clients_are_gone, remove_unfinished
from encbench.reconcile.campaign.decide import Decision, decide
from encbench.reconcile.campaign.facts import Seen
from encbench.reconcile.campaign.observe import observe
from encbench.reconcile.campaign.publish import publish
from encbench.reconcile.deps import Deps
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects import Create, Delete, Effect, perform
from encbench.reconcile.objects import Campaign, Testbed, Trial

RETRY = 5.0
GIVE_UP_CLEANING = 300.0
"""Seconds after which a deleted campaign no longer waits for a store that is away."""


class CampaignReconciler:
    """Drives campaigns; keeps no state but why the last rendering failed."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._report_problems: dict[str, str] = {}

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        body = await self._deps.cluster.get(CAMPAIGN, namespace, name)
        if body is None:
            return None
        campaign = objects.campaign(body)
        if campaign.deleting:
            return await self._clean_up(campaign)
        if FINALIZER not in campaign.finalizers:
            await self._set_finalizers(campaign, (*campaign.finalizers, FINALIZER))
            return 0.0
        seen = replace(
            await observe(self._deps, campaign),
            report_problem=self._report_problems.get(campaign.uid, ""),
        )
        decision = decide(campaign, seen)
        if decision.status != campaign.status:
            await self._deps.cluster.apply_status(CAMPAIGN, campaign.with_status(decision.status))
        effects = [*self._authority(campaign, seen, decision), *decision.effects]
        await perform(self._deps.cluster, CAMPAIGN, campaign.body, effects)
        if decision.publish:
            return await self._publish(campaign, seen, decision)
        return decision.requeue

    def _authority(self, campaign: Campaign, seen: Seen, decision: Decision) -> list[Effect]:
        """The first CA that is created counts: testbeds are certified by what the Secret holds."""
        if not decision.create_authority:
            return []
        made = self._deps.certificates.authority(campaign.name, seen.now)
        return [Create(SECRET, authority(campaign, made))]

    async def _publish(self, campaign: Campaign, seen: Seen, decision: Decision) -> float:
        try:
            await publish(self._deps, campaign, decision.status, seen)
        except (Unavailable, RecordError) as error:
            self._report_problems[campaign.uid] = str(error)
            return RETRY
        self._report_problems.pop(campaign.uid, None)
        return 0.0

    async def _clean_up(self, campaign: Campaign) -> float | None:
        """Children first, then what is half-done in the bucket, then the finalizer."""
        if FINALIZER not in campaign.finalizers:
            return None
        cluster, now = self._deps.cluster, self._deps.clock.now()
        seen = await observe(self._deps, campaign)
        children: list[Testbed | Trial] = [*seen.testbeds.values(), *seen.trials.values()]
        gone = [Delete.of(child) for child in children if not child.deleting]
        await perform(cluster, CAMPAIGN, campaign.body, gone)
        if not await clients_are_gone(cluster, campaign):
            return 1.0
        try:
            await remove_unfinished(self._deps.store, campaign)
        except Unavailable:
            draft = Draft(campaign.status, now=now, generation=campaign.generation)
            if draft.age(campaign.body["metadata"]["deletionTimestamp"]) < GIVE_UP_CLEANING:
                return RETRY
        rest = tuple(name for name in campaign.finalizers if name != FINALIZER)
        await self._set_finalizers(campaign, rest)
        return None

    async def _set_finalizers(self, campaign: Campaign, finalizers: tuple[str, ...]) -> None:
        await self._deps.cluster.patch_metadata(
            CAMPAIGN,
            campaign.namespace,
            campaign.name,
            finalizers=finalizers,
            resource_version=campaign.body["metadata"]["resourceVersion"],
        )

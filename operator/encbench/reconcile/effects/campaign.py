"""The effects of a campaign's decisions: its CA, its report, and what it leaves in the bucket."""

import asyncio
from contextlib import suppress
from dataclasses import replace

from encbench.api.conditions import find
from encbench.api.kinds import SECRET, TESTBED, TRIAL
from encbench.api.lifecycle import FAULT, NOT_STORED, RECORD_LOST, REPORT_REFUSED, REPORTED
from encbench.core.artefact import RecordError
from encbench.kube import labels
from encbench.kube.parsing import Malformed
from encbench.ports import Conflict, Rejected, Unavailable, WebhookFailed
from encbench.reconcile.campaign.children import authority
from encbench.reconcile.campaign.cleanup import remove_unfinished
from encbench.reconcile.campaign.facts import CampaignFound
from encbench.reconcile.campaign.ledger import Ledger
from encbench.reconcile.campaign.publish import publish
from encbench.reconcile.deps import Deps
from encbench.reconcile.draft import Fault
from encbench.reconcile.effects import effect as do
from encbench.reconcile.effects.base import Effects
from encbench.reconcile.effects.cluster import NotOurs
from encbench.reconcile.objects import Campaign, belongs_to, has_ended

NOT_PUBLISHED = (Unavailable, Rejected, Conflict, NotOurs, Malformed, RecordError)
"""What a report may fail by, in words that a status can show."""
AT_LAST = 10.0
"""Seconds for a store from which a campaign that goes anyway removes what is half-done."""


class CampaignEffects(Effects[Campaign, do.CampaignEffect, CampaignFound]):
    """Does them, and keeps why the last rendering failed, and the ledgers."""

    nothing = CampaignFound()

    def __init__(self, deps: Deps) -> None:
        super().__init__(deps)
        self._ledgers: dict[tuple[str, str], tuple[str, Ledger]] = {}

    def found(self, campaign: Campaign) -> CampaignFound:
        """What is known of it, with its ledger."""
        return replace(super().found(campaign), ledger=self._ledger(campaign))

    def look_after(self, campaign: Campaign) -> None:
        """One that is over needs no ledger any more. What was refused is tried again.

        Why an earlier report was not rendered says nothing of one that is announced later.
        """
        found = self.found(campaign)
        is_announced = find(campaign.status.conditions, REPORTED) is not None
        if found.problem and not is_announced and not campaign.deleting:
            found = replace(found, problem="", reason=NOT_STORED)
            self.keep(campaign, found)
        if found.refused:
            self.keep(campaign, replace(found, refused=""))
        elif found.failing_since is not None:
            self.keep(campaign, replace(found, failing_since=None))
        if has_ended(campaign):
            self._ledgers.pop((campaign.namespace, campaign.name), None)

    def bury(self, namespace: str, name: str) -> None:
        """Its ledger goes with it."""
        super().bury(namespace, name)
        self._ledgers.pop((namespace, name), None)

    async def _on_cluster(self, one: Campaign, *effects: do.ObjectEffect) -> bool:
        """The pass fails, and the next one says why."""
        try:
            return await super()._on_cluster(one, *effects)
        except (NotOurs, Rejected, WebhookFailed) as error:
            since = None
            if isinstance(error, WebhookFailed):
                since = self.found(one).failing_since or self._deps.clock.now()
            self.keep(one, replace(self.found(one), refused=str(error), failing_since=since))
            raise

    async def _there(self, campaign: Campaign) -> set[str]:
        """Names of its testbeds, by the API server itself: pages are never taken from memory."""
        own = {labels.CAMPAIGN: campaign.name}
        found = set[str]()
        async for page in self._deps.cluster.pages(TESTBED, campaign.namespace, own):
            found |= {b["metadata"]["name"] for b in page if belongs_to(b, campaign.uid)}
        return found

    def _ledger(self, campaign: Campaign) -> Ledger:
        place = (campaign.namespace, campaign.name)
        known = self._ledgers.get(place)
        if known is None or known[0] != campaign.uid:
            # Of none, or of an earlier campaign of that name.
            known = self._ledgers[place] = (campaign.uid, Ledger())
        return known[1]

    def begin(self, campaign: Campaign, effect: do.CampaignEffect) -> None:
        """A report that another process announced, and this one has not begun, ended with that."""
        if isinstance(effect, do.Publish):
            self.keep(campaign, replace(super().found(campaign), has_begun=True))

    def blame(self, campaign: Campaign, _: do.CampaignEffect, problem: str) -> None:
        """Of a report that is not there; nothing waits for the reason of anything else."""
        reason = FAULT if isinstance(problem, Fault) else REPORT_REFUSED
        self._not_published(campaign, problem, reason)

    def _not_published(self, campaign: Campaign, problem: str, reason: str) -> None:
        gone = super().found(campaign).gone
        self.keep(campaign, CampaignFound(problem=problem, reason=reason, gone=gone))

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
                    # Of trials that were deleted: once it has ended, nothing looks for it any more.
                    # A store from which nothing may be deleted gets its report all the same.
                    with suppress(Rejected, Unavailable):
                        known = {one.uid for one in effect.lines}
                        await remove_unfinished(self._deps.store, campaign, known)
                    await publish(self._deps, campaign, effect)
                except NOT_PUBLISHED as error:
                    self._not_published(campaign, str(error), _reason(error))
                    return False
                # A cell that was given up for a deleted testbed would open again without it.
                gone = super().found(campaign).gone
                self.keep(campaign, CampaignFound(has_begun=True, gone=gone))
                return True
            case do.Create(kind, body) if kind == TRIAL:
                self._ledger(campaign).awaited.add(body["metadata"]["name"])
                return await self._on_cluster(campaign, effect)
            case do.LookForTestbeds(names):
                # What was gone before counts on: a cell may rest on it that was given up.
                known_gone = super().found(campaign).gone | frozenset(names)
                gone = known_gone - await self._there(campaign)
                self.keep(campaign, replace(super().found(campaign), gone=gone))
                return not gone.isdisjoint(names)
            case do.RemoveUnfinished():
                await remove_unfinished(self._deps.store, campaign)
                self.keep(campaign, CampaignFound(is_clean=True))
                return True
            case do.RemoveIfThere():
                with suppress(Unavailable, TimeoutError):
                    async with asyncio.timeout(AT_LAST):
                        await remove_unfinished(self._deps.store, campaign)
                return False
            case _:
                return await self._on_cluster(campaign, effect)


def _reason(error: Exception) -> str:
    """What kept a report from being written, as a reason of `Hindered`."""
    match error:
        case Unavailable():
            return NOT_STORED
        case RecordError():
            return RECORD_LOST
        case _:
            return REPORT_REFUSED

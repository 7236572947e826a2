"""The draft of a pass over a campaign, and what is said of it as a whole."""

from encbench.api import lifecycle as life
from encbench.api.campaign import CampaignSpec, CampaignStatus
from encbench.api.conditions import find
from encbench.api.refusal import MAY_ARRIVE, Reason
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.campaign.hindrance import Hindrance, hindrance
from encbench.reconcile.draft import Decision, Draft
from encbench.reconcile.effects import effect as do
from encbench.wire.foreign import printable

ARRIVES_WITHIN = 60.0
"""Seconds for which a part may be missing until the campaign is said to stand still: tools that use
kstatus give up at once then, though it goes on when the part arrives."""

CampaignDecision = Decision[CampaignStatus, do.CampaignEffect]


class CampaignDraft(Draft[CampaignSpec, CampaignStatus, CampaignSeen]):
    """The draft that each step of a campaign goes on with."""

    @property
    def misfit(self) -> str:
        """Of the first child that is not understood."""
        return self.seen.misfits[0].why if self.seen.misfits else ""

    def decide(
        self, *effects: do.CampaignEffect, step: str | None = None, requeue: float | None = None
    ) -> CampaignDecision:
        """What was decided; `step` says in words what is being done, and what is in its way."""
        found = hindrance(self.seen)
        runs = self.status.resolved is not None and not self.is_true(life.SUSPENDED)
        is_fault = isinstance(found, Hindrance) and found.is_fault
        # What this pass knows of a report that could not be made is nearer.
        if self.seen.away and runs and not is_fault and self._hindrance is None:
            self.hinder(life.NOT_STORED, self.seen.away)
        elif isinstance(found, Hindrance):
            self.hinder(found.reason, found.message)
        if isinstance(found, float) and requeue is not None:
            requeue = min(requeue, found)
        if self.seen.is_refused:
            self.hinder(life.NOT_CREATED, self.steady(life.HINDERED, self.seen.found.refused))
        if self.misfit:
            # It waits for a person, whatever else is in the way.
            self.hinder(life.MALFORMED, self.misfit)
        self.note_hindrance(over=self.is_true(life.COMPLETE) or self.is_true(life.FAILED))
        self._sum_up()
        fact = self.fact(life.HINDERED)
        if fact is not None and fact.status == "True":
            step = None if step is None else f"{step}; {fact.message}"
            before = find(self.subject.status.conditions, life.HINDERED)
            if before is None or (before.status, before.reason) != (fact.status, fact.reason):
                effects += (do.Announce(fact.reason, fact.message[:1000], warning=True),)
        if step is not None:
            # The API takes no more; names of full length may add up to it.
            self.set(step=printable(step, 512))
        self.set(phase=life.CAMPAIGN_LIFE.phase(self.conditions))
        return Decision(self.status, effects, requeue)

    def note_suspension(self) -> None:
        """Say whether `spec.suspend` holds it, whatever its step: each pass restamps all facts."""
        if self.spec.suspend and self.status.resolved is not None:
            self.condition(life.SUSPENDED, True, "Suspended", "spec.suspend is true")
        elif self.is_true(life.SUSPENDED):
            self.set(suspended_seconds=int(self.suspended))
            self.condition(life.SUSPENDED, False, "Resumed", "spec.suspend is false")

    @property
    def suspended(self) -> float:
        """Seconds by the clock for which it has been suspended since its acceptance."""
        before, fact = self.status.suspended_seconds or 0, self.fact(life.SUSPENDED)
        if fact is None or fact.status != "True":
            return before
        return before + max(0.0, self.elapsed(fact.last_transition_time))

    def _sum_up(self) -> None:
        """Say all of it in the two conditions that kstatus knows."""
        basis, reason = "", life.PROGRESSING
        if self.is_true(life.COMPLETE):
            basis = reason = life.COMPLETE
        elif self.is_true(life.FAILED):
            basis = reason = life.FAILED
        elif self.misfit:
            basis, reason = life.UNDERSTOOD, life.MALFORMED
        elif self.is_false(life.ACCEPTED):
            basis, reason = life.ACCEPTED, life.REFUSED
        elif self.is_true(life.SUSPENDED):
            reason = life.SUSPENDED
        found = self.fact(basis)
        message = found.message if found is not None else ""
        self.condition(life.READY, reason == life.COMPLETE, reason, message)
        if reason == life.FAILED or (reason == life.REFUSED and self.refusal_stands):
            self.condition(life.STALLED, True, reason, message)
        elif self.is_true(life.STALLED):
            self.condition(life.STALLED, False, life.PROGRESSING)

    @property
    def refusal_stands(self) -> bool:
        """Whether it takes a person to have the campaign accepted, as far as one can tell."""
        refused = self.fact(life.ACCEPTED)
        may_arrive = refused is not None and refused.reason in MAY_ARRIVE
        late = not may_arrive or self.since(life.ACCEPTED) >= ARRIVES_WITHIN
        return late and not self.waits_for_room

    @property
    def waits_for_room(self) -> bool:
        """Whether nothing is wrong with it, and only other campaigns keep it from beginning."""
        refused = self.fact(life.ACCEPTED)
        return refused is not None and refused.reason == Reason.NAMESPACE_FULL

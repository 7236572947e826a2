"""One pass over an object: observe, decide, write the status once, act.

The status is written before any effect, so that every effect is announced; a crash in between
leaves the effect to the next pass, and each may be done twice. Only what announces nothing may wait
for the next write (`reconcile.pacing`).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from encbench.api.base import Model
from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import find, is_true
from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL, Kind
from encbench.api.lifecycle import ARCHIVED, FAILED, REPORTED
from encbench.api.testbed import TestbedStatus
from encbench.api.trial import TrialStatus
from encbench.kube.parsing import Malformed
from encbench.ports import Reader
from encbench.reconcile import misfits, objects, strangers
from encbench.reconcile.background import Errand, Errands
from encbench.reconcile.campaign.decide import decide as decide_campaign
from encbench.reconcile.campaign.observe import observe as observe_campaign
from encbench.reconcile.deps import Deps, Reads
from encbench.reconcile.draft import Decision
from encbench.reconcile.effects.base import Effects
from encbench.reconcile.effects.campaign import CampaignEffects
from encbench.reconcile.effects.effect import SLOW
from encbench.reconcile.effects.testbed import TestbedEffects
from encbench.reconcile.effects.trial import TrialEffects
from encbench.reconcile.failures import said
from encbench.reconcile.gauges import CampaignGauge, Gauge, TrialGauge, Windows
from encbench.reconcile.loop import Reconciler
from encbench.reconcile.nodes import NodeLeases
from encbench.reconcile.objects import Object, OwnKind
from encbench.reconcile.pacing import CampaignPacing
from encbench.reconcile.testbed.decide import decide as decide_testbed
from encbench.reconcile.testbed.observe import observe as observe_testbed
from encbench.reconcile.trial.decide import decide as decide_trial
from encbench.reconcile.trial.observe import observe as observe_trial

MEANWHILE = 1.0
"""Seconds between passes while a slow effect is under way, whose end causes one anyway."""

S = TypeVar("S", bound=Model)
T = TypeVar("T", bound=Model)
V = TypeVar("V")
E = TypeVar("E")
R = TypeVar("R")


@dataclass(frozen=True)
class KindReconciler(Generic[S, T, V, E, R]):
    """Drives one kind; its only state is what effects have found and no status says yet."""

    deps: Deps
    parse: OwnKind[S, T]
    observe: Callable[[Reads, Object[S, T], R], Awaitable[V]]
    decide: Callable[[Object[S, T], V], Decision[T, E]]
    effects: Effects[Object[S, T], E, R]
    slowly: Errands
    gauge: Gauge[Object[S, T], V, T]
    is_over: Callable[[T], bool] = lambda _: False
    """Whether nothing that was found is needed any more."""
    takes_back: Callable[[T, T], bool] = lambda *_: False
    """Whether a new status takes back what the one before it has announced."""
    sees_deletion: bool = False
    is_wanted: Callable[[Reader, Object[S, T]], Awaitable[bool]] | None = None
    """Whether anything is to be done for it; Malformed for one that is none of ours."""
    delay: Callable[[Object[S, T], T, datetime], float] = lambda *_: 0.0
    """Seconds for which a new status may wait for more to be written with it."""

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        cluster, kind = self.deps.cluster, self.parse.kind
        body = await cluster.get(kind, namespace, name)
        if body is not None and not self.deps.shard.has(kind, body):
            return None  # Another process's, whatever it was that woke this one.
        try:
            subject = None if body is None else self.parse(body)
            if subject is None or (subject.deleting and not self.sees_deletion):
                self.effects.bury(namespace, name)
                self.slowly.drop(kind, namespace, name)
                self.gauge.gone(namespace, name)
                return None
            if self.is_wanted is not None and not await self.is_wanted(cluster, subject):
                return None
            doing = self.slowly.doing(kind, namespace, name)
            # It reads others too, without which this one cannot go on either.
            seen = await self.observe(self.deps, subject, self.effects.found(subject))
        except Malformed as error:
            assert body is not None  # noqa: S101 - it was parsed
            self.gauge.stopped(body)
            return await misfits.handle(cluster, self.deps.clock, kind, body, error)
        self.effects.look_after(subject)
        decision, wait = self.decide(subject, seen), 0.0
        if decision.status != subject.status:
            wait = self.delay(subject, decision.status, self.deps.clock.now())
            if not wait:
                await cluster.apply_status(kind, subject.with_status(decision.status))
        if self.takes_back(subject.status, decision.status):
            self.slowly.drop(kind, namespace, name)
        self.gauge.passed(subject, seen, decision.status)
        found = [await self._perform(subject, effect, doing) for effect in decision.effects]
        if self.is_over(decision.status):
            self.effects.forget(namespace, name)
            self.slowly.drop(kind, namespace, name)
        if any(found):
            return 0.0  # What an effect has found is for the next pass.
        requeue = decision.requeue
        if None in found and requeue is not None:
            requeue = max(MEANWHILE, requeue)
        if wait:
            requeue = wait if requeue is None else min(wait, requeue)
        return requeue

    async def _perform(
        self, subject: Object[S, T], effect: E, doing: frozenset[Errand]
    ) -> bool | None:
        """Do it or have it done; `doing` was under way when the pass began."""
        lane = SLOW.get(type(effect))
        if lane is None:
            return await self.effects.perform(subject, effect)
        errand = Errand(
            *(subject.kind, subject.namespace, subject.name, subject.uid),
            what=type(effect).__name__,
            lane=lane,
        )
        if errand in doing - self.slowly.doing(*errand.place):
            return True  # It has ended since: this pass has not seen what it found.
        self.effects.begin(subject, effect)
        return await self.slowly.do(errand, lambda: self._slow(subject, effect))

    async def _slow(self, subject: Object[S, T], effect: E) -> bool:
        """Whatever goes wrong is known to the next pass: its step has a deadline."""
        try:
            return await self.effects.perform(subject, effect)
        except Exception as error:
            self.effects.blame(subject, effect, said(error))
            raise


def reconcilers(deps: Deps, slowly: Errands, nodes: NodeLeases) -> dict[Kind, Reconciler]:
    """One for each kind, as a new process begins with them."""

    def is_settled(status: TestbedStatus) -> bool:
        return status.proof_digest is not None or is_true(status.conditions, FAILED)

    def is_archived(status: TrialStatus) -> bool:
        return is_true(status.conditions, ARCHIVED)

    def takes_report_back(before: CampaignStatus, after: CampaignStatus) -> bool:
        was, remains = (find(one.conditions, REPORTED) for one in (before, after))
        return was is not None and remains is None

    windows = Windows()
    return {
        CAMPAIGN: KindReconciler(
            deps,
            objects.campaign,
            observe_campaign,
            decide_campaign,
            CampaignEffects(deps),
            slowly,
            CampaignGauge(deps.meter, windows),
            takes_back=takes_report_back,
            sees_deletion=True,
            delay=CampaignPacing().delay,
        ),
        TESTBED: KindReconciler(
            deps,
            objects.testbed,
            observe_testbed,
            decide_testbed,
            TestbedEffects(deps, nodes),
            slowly,
            Gauge(deps.meter),
            is_settled,
            is_wanted=strangers.has_campaign,
        ),
        TRIAL: KindReconciler(
            deps,
            objects.trial,
            observe_trial,
            decide_trial,
            TrialEffects(deps, nodes),
            slowly,
            TrialGauge(deps.meter, windows),
            is_archived,
            is_wanted=strangers.has_planned,
        ),
    }

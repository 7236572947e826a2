"""What passes come to, as figures for the operator's own metrics.

A gauge only looks at what a pass has seen and written anyway. It asks nothing, it decides nothing,
and its own failure is logged instead of ending the pass.
"""

import logging
from typing import Any, Generic, TypeVar

from encbench.api.campaign import CampaignStatus
from encbench.api.conditions import find, is_true
from encbench.api.lifecycle import COMPLETE, FAILED, HINDERED, MALFORMED
from encbench.api.trial import TrialStatus
from encbench.logs import about, named
from encbench.ports import Body, CampaignFigures, Meter
from encbench.reconcile.campaign.facts import CampaignSeen
from encbench.reconcile.objects import Campaign, Object, Trial, is_over
from encbench.reconcile.trial.facts import TrialSeen

log = logging.getLogger(__name__)

O = TypeVar("O", bound=Object[Any, Any])  # noqa: E741 - as its fellows
V = TypeVar("V")
T = TypeVar("T")


class Gauge(Generic[O, V, T]):
    """The figures of one kind of object; this base shows none."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def passed(self, subject: O, seen: V, status: T) -> None:
        """A pass has written this status, or found it unchanged."""
        try:
            self._show(subject, seen, status)
        except Exception:
            place = subject.kind, subject.namespace, subject.name
            log.exception("metrics of %s", named(*place), extra=about(*place))

    def _show(self, subject: O, seen: V, status: T) -> None:
        pass

    def stopped(self, body: Body) -> None:
        """A pass has found that this version does not understand the object, or what it needs."""

    def gone(self, namespace: str, name: str) -> None:
        """The object is no more."""


class Windows:
    """The end of the last measured window of each campaign's cells, in Unix seconds."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, str], dict[str, float]] = {}

    def add(
        self, namespace: str, campaign: str, cell: str, start: float, end: float
    ) -> float | None:
        """Seconds from the last window to this one; None for the first, and within a block."""
        ends = self._ends.setdefault((namespace, campaign), {})
        last = ends.get(cell)
        ends[cell] = end if last is None else max(last, end)
        return None if last is None or start < last else start - last

    def forget(self, namespace: str, campaign: str) -> None:
        """It is no more."""
        self._ends.pop((namespace, campaign), None)


class CampaignGauge(Gauge[Campaign, CampaignSeen, CampaignStatus]):
    """Progress, what hinders it, and how it ends."""

    def __init__(self, meter: Meter, windows: Windows) -> None:
        super().__init__(meter)
        self._windows = windows

    def _show(self, subject: Campaign, _: CampaignSeen, status: CampaignStatus) -> None:
        hindered = find(status.conditions, HINDERED)
        why = hindered.reason if hindered and is_true(status.conditions, HINDERED) else ""
        progress = status.progress.to_dict()
        states = ("planned", "active", "succeeded", "invalid", "failed")
        trials = {state: int(progress.get(state, 0)) for state in states}
        ended = status.completion_time or ""
        end = _end(status) if ended else None
        self._meter.campaign(
            CampaignFigures(subject.namespace, subject.name, status.phase, trials, ended, why, end)
        )
        if end is not None and not subject.status.completion_time:
            self._meter.finished(subject.namespace, *end)

    def stopped(self, body: Body) -> None:
        """See `Gauge`. How many trials it has may be what is not understood."""
        meta, status = body["metadata"], body.get("status") or {}
        phase, ended = str(status.get("phase", "Pending")), str(status.get("completionTime") or "")
        why = "" if is_over(body) else MALFORMED
        self._meter.campaign(
            CampaignFigures(meta["namespace"], meta["name"], phase, {}, ended, why)
        )

    def gone(self, namespace: str, name: str) -> None:
        """See `Gauge`."""
        self._windows.forget(namespace, name)
        self._meter.gone(namespace, name)


def _end(status: CampaignStatus) -> tuple[str, str] | None:
    """Outcome and reason of a campaign that is over."""
    facts = [find(status.conditions, outcome) for outcome in (COMPLETE, FAILED)]
    return next(((one.type, one.reason) for one in facts if one and one.status == "True"), None)


class TrialGauge(Gauge[Trial, TrialSeen, TrialStatus]):
    """Live TPS, outcomes, and the time in which nothing is measured."""

    def __init__(self, meter: Meter, windows: Windows) -> None:
        super().__init__(meter)
        self._windows = windows
        self._running: dict[tuple[str, str], tuple[str, str]] = {}
        """Campaign and arm of each trial whose TPS is shown."""

    def _show(self, subject: Trial, seen: TrialSeen, status: TrialStatus) -> None:
        campaign, arm = subject.spec.campaign_ref.name, subject.spec.arm.name
        known = [one.run.tps for one in seen.clients_in("running") if one.run is not None]
        rates = [tps for tps in known if tps is not None]
        if rates and status.outcome is None:
            self._running[subject.namespace, subject.name] = (campaign, arm)
            self._meter.running(subject.namespace, campaign, arm, subject.name, sum(rates))
        else:
            self.gone(subject.namespace, subject.name)
        if status.window is not None and subject.status.window is None:
            window = status.window
            place = (subject.namespace, campaign, subject.spec.cell)
            gap = self._windows.add(*place, window.start, window.end)
            if gap is not None:
                self._meter.idle(max(0.0, gap - subject.spec.workload.load.warmup_seconds))
        if status.outcome is not None and subject.status.outcome is None:
            self._meter.ended(subject.namespace, status.outcome, status.reason or "")

    def gone(self, namespace: str, name: str) -> None:
        """See `Gauge`."""
        shown = self._running.pop((namespace, name), None)
        if shown is not None:
            self._meter.running(namespace, *shown, name, None)

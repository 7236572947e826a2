"""`ports.Meter` for Prometheus: the operator's own metrics.

Labels have few values by construction: kinds, verbs, plurals, outcomes and reasons are enumerated,
and series of single campaigns exist for `MOST` of them only. Those series are made at the scrape
from what is known of campaigns that exist, so that they vanish with their campaign.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from encbench.adapters.kubernetes_http import HttpAnswer, Query, Transport, resource
from encbench.api.conditions import parse_time
from encbench.api.kinds import Kind
from encbench.api.lifecycle import CAMPAIGN_LIFE, COMPLETE, FAILED, TRIAL_LIFE
from encbench.ports import Body, CampaignFigures, Meter, PassEnd

MOST = 200
"""How many campaigns have series of their own: those that are not over, then the last that ended.
As many have the time of their end, whatever else runs.

In the order in which campaigns became known, last night's would lose its series as it ends."""
_BRIEF = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_LONG = (0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 900)

Lanes = Callable[[], Mapping[str, tuple[int, int]]]


class PrometheusMeter(Meter):
    """Counts in memory; `exposition` shows it."""

    def __init__(self, version: str) -> None:
        # Each counter would have a second series, which nothing uses.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        own: dict[str, Any] = {"registry": registry}
        self._passes = Counter(
            "encbench_reconcile",
            "Passes over objects by kind, and how they ended; slow effects only with failed.",
            ["kind", "end"],
            **own,
        )
        self._pass_seconds = Histogram(
            "encbench_reconcile_seconds", "Length of a pass.", ["kind"], buckets=_BRIEF, **own
        )
        self._requests = Counter(
            "encbench_api_requests",
            "Requests to the API server by status; 0 is one without an answer.",
            ["method", "resource", "status"],
            **own,
        )
        self._request_seconds = Histogram(
            "encbench_api_request_seconds",
            "Time to the API server's answer.",
            ["method"],
            buckets=_BRIEF,
            **own,
        )
        self._trials = Counter(
            "encbench_trials",
            "Trials that ended, by outcome and reason.",
            ["namespace", "outcome", "reason"],
            **own,
        )
        self._finished = Counter(
            "encbench_ended_campaigns",
            "Campaigns that ended, by outcome and reason.",
            ["namespace", "outcome", "reason"],
            **own,
        )
        self._idle = Histogram(
            "encbench_dead_time_seconds",
            "Time between two measured windows of a campaign, less the declared warm-up.",
            buckets=_LONG,
            **own,
        )
        self._seen: set[str] = set()
        """Namespaces whose ends of trials and of campaigns have series."""
        self._now = _Now(version)
        registry.register(self._now)
        ProcessCollector(registry=registry)

    def watch(self, lanes: Lanes, errands: Callable[[], int]) -> None:
        """Ask the queue and the slow effects at each scrape as well."""
        self._now.lanes, self._now.errands = lanes, errands

    def follow(self, standing: Callable[[], Mapping[int, bool]]) -> None:
        """Ask at each scrape which shards this process leads."""
        self._now.standing = standing

    def depend(self, services: Callable[[], Mapping[str, bool]]) -> None:
        """Ask at each scrape which services that campaigns need can be used."""
        self._now.services = services

    def exposition(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def passed(self, kind: Kind, seconds: float, end: PassEnd) -> None:
        """See `ports.Meter`."""
        self._passes.labels(kind.kind, end).inc()
        self._pass_seconds.labels(kind.kind).observe(seconds)

    def failed(self, kind: Kind) -> None:
        """See `ports.Meter`."""
        self._passes.labels(kind.kind, "failed").inc()

    def asked(self, method: str, resource: str, status: int, seconds: float) -> None:
        """See `ports.Meter`."""
        self._requests.labels(method, resource, str(status)).inc()
        self._request_seconds.labels(method).observe(seconds)

    def campaign(self, figures: CampaignFigures) -> None:
        """See `ports.Meter`."""
        self._now.campaigns[figures.namespace, figures.name] = figures
        if figures.namespace not in self._seen:
            self._seen.add(figures.namespace)
            # Prometheus sees no increase in a series that begins with 1.
            self._trials.labels(figures.namespace, "Succeeded", "")
            for outcome, reasons in TRIAL_LIFE.outcomes.items():
                for reason in reasons:
                    self._trials.labels(figures.namespace, outcome, reason)
            for one in CAMPAIGN_LIFE.conditions:
                for reason in one.true if one.name in (COMPLETE, FAILED) else ():
                    self._finished.labels(figures.namespace, one.name, reason)

    def only(self, namespace: str, names: Sequence[str]) -> None:
        """See `ports.Meter`."""
        kept = set(names)
        for space, name in list(self._now.campaigns):
            if space == namespace and name not in kept:
                self.gone(space, name)

    def gone(self, namespace: str, name: str) -> None:
        """See `ports.Meter`."""
        self._now.campaigns.pop((namespace, name), None)
        for key in [key for key in self._now.tps if key[:2] == (namespace, name)]:
            del self._now.tps[key]

    def running(
        self, namespace: str, campaign: str, arm: str, trial: str, tps: float | None
    ) -> None:
        """See `ports.Meter`."""
        key = (namespace, campaign, arm)
        trials = self._now.tps.setdefault(key, {})
        if tps is None:
            trials.pop(trial, None)
        else:
            trials[trial] = tps
        if not trials:
            del self._now.tps[key]

    def ended(self, namespace: str, outcome: str, reason: str) -> None:
        """See `ports.Meter`."""
        self._trials.labels(namespace, outcome, reason).inc()

    def finished(self, namespace: str, outcome: str, reason: str) -> None:
        """See `ports.Meter`."""
        self._finished.labels(namespace, outcome, reason).inc()

    def idle(self, seconds: float) -> None:
        """See `ports.Meter`."""
        self._idle.observe(seconds)


class MeteredTransport:
    """A way to the API server whose requests are counted."""

    def __init__(self, transport: Transport, meter: Meter) -> None:
        self._transport = transport
        self._meter = meter

    async def exchange(
        self, method: str, where: str, query: Query, body: Body | None, content_type: str
    ) -> HttpAnswer:
        """See `kubernetes_http.Transport`."""
        began, status = time.monotonic(), 0
        try:
            answer = await self._transport.exchange(method, where, query, body, content_type)
            status = answer.status
        finally:
            self._meter.asked(method, resource(where), status, time.monotonic() - began)
        return answer


class _Now(Collector):
    """The state at the moment of the scrape."""

    def __init__(self, version: str) -> None:
        self._version = version
        self.campaigns: dict[tuple[str, str], CampaignFigures] = {}
        self.tps: dict[tuple[str, str, str], dict[str, float]] = {}
        """TPS of each running trial, by namespace, campaign and arm."""
        self.lanes: Lanes = dict
        self.errands: Callable[[], int] = int
        self.standing: Callable[[], Mapping[int, bool]] = dict
        self.services: Callable[[], Mapping[str, bool]] = dict

    def collect(self) -> Iterator[Metric]:
        """See `Collector`."""
        yield InfoMetricFamily("encbench_build", "The operator.", {"version": self._version})
        leader = _gauge("encbench_leader", "Whether this process leads the shard.", "shard")
        for shard, leads in self.standing().items():
            leader.add_metric([str(shard)], float(leads))
        yield leader
        text = "Whether a service that campaigns need can be used."
        services = _gauge("encbench_service_up", text, "service")
        for service, up in self.services().items():
            services.add_metric([service], float(up))
        yield services
        waiting = _gauge("encbench_queue_waiting", "Objects that are due for a pass.", "lane")
        working = _gauge("encbench_queue_working", "Passes that are under way.", "lane")
        for lane, (due, busy) in self.lanes().items():
            waiting.add_metric([lane], due)
            working.add_metric([lane], busy)
        text = "Proofs, archivings and other slow effects that are under way."
        yield from (
            waiting,
            working,
            GaugeMetricFamily("encbench_slow_effects", text, self.errands()),
        )
        yield from self._phases()
        yield from self._campaigns()

    def _phases(self) -> Iterator[Metric]:
        counted: dict[tuple[str, str], int] = {}
        for one in self.campaigns.values():
            counted[one.namespace, one.phase] = counted.get((one.namespace, one.phase), 0) + 1
        campaigns = _gauge("encbench_campaigns", "Campaigns by phase.", "namespace", "phase")
        for place, number in counted.items():
            campaigns.add_metric(list(place), number)
        yield campaigns

    def _campaigns(self) -> Iterator[Metric]:
        text = "Trials of a campaign by state; planned ones include all others."
        trials = _gauge("encbench_campaign_trials", text, "namespace", "campaign", "state")
        text = "Whether a campaign does not go on, with the reason."
        hindered = _gauge("encbench_campaign_hindered", text, "namespace", "campaign", "reason")
        text = "TPS of a campaign's clients in the last second that the operator saw."
        tps = _gauge("encbench_campaign_tps", text, "namespace", "campaign", "arm")
        shown = sorted(self.campaigns.values(), key=_rank, reverse=True)[:MOST]
        for one in shown:
            for state, number in one.trials.items():
                trials.add_metric([one.namespace, one.name, state], number)
            if one.hindered:
                hindered.add_metric([one.namespace, one.name, one.hindered], 1)
        names = {(one.namespace, one.name) for one in shown}
        for (namespace, name, arm), running in self.tps.items():
            if (namespace, name) in names:
                tps.add_metric([namespace, name, arm], sum(running.values()))
        yield from (trials, hindered, tps, self._ends())

    def _ends(self) -> Metric:
        """Also of an end before this process began, unlike a counter, which then begins with it."""
        text = "When a campaign ended, in Unix time, by outcome and reason."
        names = ("namespace", "campaign", "outcome", "reason")
        ends = _gauge("encbench_campaign_end_timestamp_seconds", text, *names)
        over = [(one.ended, one, one.end) for one in self.campaigns.values() if one.end]
        for ended, one, end in sorted(over, key=itemgetter(0), reverse=True)[:MOST]:
            ends.add_metric([one.namespace, one.name, *end], parse_time(ended).timestamp())
        return ends


def _rank(one: CampaignFigures) -> tuple[bool, str]:
    """Of a campaign among those with series of their own, the first of them highest."""
    return not one.ended, one.ended


def _gauge(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, labels=labels)

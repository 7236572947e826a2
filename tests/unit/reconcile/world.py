"""A simulated world around the reconcilers: every port faked, every other controller played.

Nothing waits: time is a number that moves to whatever happens next. The operator is the real one
but for its queue; a test may kill it, start another, cut off its events, or take a port away.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from encbench.adapters.certificates import EllipticCertificates
from encbench.admission.gather import Installed
from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    JOB,
    NAMESPACE,
    POD,
    STATEFUL_SET,
    TESTBED,
    TRIAL,
    WORKLOAD,
    Kind,
)
from encbench.core.naming import digest
from encbench.core.tls import expected
from encbench.kube.pods import Image, Programs
from encbench.ports import Body, Meter
from encbench.reconcile.absences import NEVER, Absences
from encbench.reconcile.deps import Deps, Settings
from encbench.reconcile.objects import Campaign, Testbed, Trial, campaign, testbed, trial
from encbench.tools.turns import load_seconds
from tests.support import manifests
from tests.support.fake_agent import FakeAgent
from tests.support.testbeds import counting_tokens
from tests.unit.reconcile.clients import Plan, Recorders
from tests.unit.reconcile.controllers import Controllers
from tests.unit.reconcile.driver import Hesitant, Hesitation, Killed, Operator, Switch
from tests.unit.reconcile.pods import DATABASE_NODE
from tests.unit.reconcile.timeline import START, SimClock, Timeline
from tests.unit.reconcile.watched import Change, CountingStore, TimedMetrics, WatchedCluster

SPACE, NAME = "bench", "study"
INSTALLATION = "encbench-bench"
WARMUP, DURATION = 2, 6
RESTART = 3.0
"""Seconds for which a killed operator is away."""
WATCHED = (JOB, STATEFUL_SET, POD)
LOSS = 0.1
"""What TDE costs in this world."""
Until = Callable[[], bool]


class World:
    """Everything, with one operator running."""

    def __init__(
        self,
        *,
        events: bool = True,
        volume_image: str = "",
        proxy_image: str = "proxy:test",
        settings: Callable[[Settings], Settings] = lambda usual: usual,
        meter: Meter | None = None,
    ) -> None:
        self.clock = SimClock()
        self.timeline = Timeline(self.clock)
        self.cluster = WatchedCluster(self.clock.now)
        self.cluster.add(NAMESPACE, {"metadata": {"name": SPACE}})
        self.store = CountingStore(now=self.clock.unix)
        self.metrics = TimedMetrics(now=self.clock.unix)
        self.agent = FakeAgent(clock=self.clock.unix)
        self.recorder = Recorders(clock=self.clock.unix)
        self.plan: Callable[[Trial, Plan], Plan] = lambda _, usual: usual
        """A test's say in how a trial's clients run."""
        self.runs = 0
        """Runs that Prometheus has seen."""
        self._counters: dict[tuple[str, ...], tuple[int, float]] = {}
        """Last sample of each counter."""
        self.foreign: Callable[[int], float] = lambda _: 0.1
        """A test's say in what else uses the database's node, in cores, by the run's number."""
        self.proxied = True
        """Prometheus scrapes the confidential proxies."""
        self.proxying = 0.2
        """What the one of the measured database uses, in cores."""
        self.idling: Callable[[int], float] = lambda _: 0.001
        """The same of what each of the other databases uses."""
        self.controllers = Controllers(
            self.cluster,
            self.store,
            self.agent,
            self.recorder,
            self.timeline,
            self._plan,
            self._samples,
        )
        self.api: Any = Switch(self.cluster)
        """The way from the operator to the API server."""
        self._absences = NEVER
        self.deps = Deps(
            cluster=self.api,
            direct=self.api,
            store=self.store,
            metrics=self.metrics,
            agent=self.agent,
            recorder=self.recorder,
            certificates=EllipticCertificates(),
            clock=self.clock,
            meter=meter or Meter(),
            presence=self,
            settings=settings(
                Settings(
                    Programs(
                        Image("encbench:test"),
                        volume=Image(volume_image),
                        proxy=Image(proxy_image),
                        turnstile=Image("turnstile:test"),
                    ),
                    Installed(proxy=bool(proxy_image), fuse=bool(volume_image), turnstile=True),
                    "0.1.0",
                    counting_tokens(),
                    "http://store.invalid/encbench",
                    installation=INSTALLATION,
                )
            ),
        )
        self.events = events
        self.delivered: list[Change] = []
        """What watchers were told of last."""
        self._latest: dict[tuple[str, str], Body] = {}
        self._resuming: list[Operator] = []
        self.operators = [Operator(self.deps, self.clock, [SPACE], events=events)]
        self.deaths = 0

    # -- driving

    def add_hesitant_operator(
        self,
        hesitation: Hesitation,
        *,
        first: bool = False,
        leads: Callable[[], bool] = lambda: True,
    ) -> None:
        """One more operator, held up before requests; the `first` of those that act at once.

        Its store takes nothing of it while it does not lead.
        """

        async def pause(request: str, args: tuple[Any, ...]) -> None:
            seconds = hesitation(request, args)
            if seconds:
                self.timeline.after(seconds, lambda: self._resuming.append(operator))
                await operator.stall()

        ports = ("cluster", "store", "agent", "recorder", "metrics")
        own = replace(self.deps, store=replace(self.store, may_write=leads))
        slow: dict[str, Any] = {name: Hesitant(getattr(own, name), pause) for name in ports}
        deps = replace(own, **slow)
        operator = Operator(deps, self.clock, [SPACE], events=self.events, hesitant=True)
        self.operators.insert(0 if first else len(self.operators), operator)

    def restart(self, place: int = 0, away: float = RESTART) -> None:
        """Kill an operator; a new process takes its place after that many seconds."""
        self.deaths += 1
        self.operators[place] = operator = Operator(
            self.deps, self.clock, [SPACE], events=self.events
        )
        operator.next_sweep = self.clock.time + away

    async def run(self, until: Until, *, limit: int = 5000, seconds: float = 7200) -> None:
        """Let everything happen until the condition holds; AssertionError when it never does."""
        end = self.clock.time + seconds
        for _ in range(limit):
            self._deliver()
            if until():
                return
            while self._resuming:
                await self._resuming.pop().resume()
                self._deliver()
            operator = min(self.operators, key=lambda one: one.next)
            if min(operator.next, self.timeline.next) > end:
                break
            if self.timeline.next <= operator.next:
                self.timeline.step()
                continue
            try:
                await operator.step()
            except Killed:
                self._deliver()
                self.restart(self.operators.index(operator))
        raise AssertionError(f"it never came to that: {self.describe()}")

    async def settle(self, seconds: float = 60.0) -> None:
        """Let that much time pass."""
        end = self.clock.time + seconds
        self.timeline.at(end, lambda: None)
        await self.run(lambda: self.clock.time >= end)

    async def cut_off(self, seconds: float, *, known: bool = False) -> None:
        """Have the API server away for that long; the election may know of it afterwards."""
        began = self.clock.now()
        self.api.away = True
        await self.settle(seconds)
        self.api.away = False
        if known:
            self._absences = self._absences.and_one(began, self.clock.now())

    def absences(self) -> Absences:
        """What the election knows, as a `Presence`."""
        return self._absences

    def _deliver(self) -> None:
        """Tell watchers of what has changed; their own changes come after."""
        self.delivered = []
        while self.cluster.changes:
            changes, self.cluster.changes = self.cluster.changes, []
            self.delivered += changes
            for change in changes:
                self._note(change)
                self.controllers.see(change)
                if change.kind in WATCHED or change.body["apiVersion"].startswith("encbench.io"):
                    for operator in self.operators:
                        operator.see(change)

    def _note(self, change: Change) -> None:
        place = (change.kind.kind, change.body["metadata"]["name"])
        if change.gone:
            self._latest.pop(place, None)
        else:
            self._latest[place] = change.body

    def latest(self, kind: str, ending: str) -> list[Body]:
        """Objects of a kind whose name ends so, not to be changed; cheap enough to look often."""
        return [
            body for (k, name), body in self._latest.items() if k == kind and name.endswith(ending)
        ]

    def describe(self) -> str:
        """For a failed assertion."""
        lines = [f"t={self.clock.time - START:.1f}"]
        for body in self.cluster.all(CAMPAIGN):
            lines.append(f"{body['metadata']['name']}: {body.get('status', {}).get('step')}")
        for one in self.trials():
            said = one.status
            lines.append(f"{one.name}: {said.phase} {said.outcome} {said.reason} {said.message}")
        for operator in self.operators:
            lines += [f"{key.kind.kind} {key.name}: {error!r}" for key, error in operator.errors]
        return "\n".join(lines)

    # -- what there is

    def campaign(self, name: str = NAME) -> Campaign:
        return campaign(self.cluster.one(CAMPAIGN, SPACE, name))

    def trials(self) -> list[Trial]:
        return [trial(body) for body in self.cluster.all(TRIAL, SPACE)]

    def ended(self) -> bool:
        """Whether the campaign is over, one way or the other."""
        return any(
            fact["type"] in ("Complete", "Failed") and fact["status"] == "True"
            for body in self.latest("Campaign", NAME)
            for fact in body.get("status", {}).get("conditions", ())
        )

    def gone(self) -> bool:
        """Whether the campaign does not exist any more."""
        return not self.latest("Campaign", NAME)

    def running(self, count: int = 1) -> Until:
        """Condition: the clients of the trial of that number are running."""

        def check() -> bool:
            states = [client.status for client in self.recorder.clients.values()]
            return len(self.latest(TRIAL.kind, "")) == count and "running" in states

        return check

    # -- what a user does

    def apply(self, *bodies: Body) -> None:
        for body in bodies:
            self.cluster.add(_kind(body), body)

    def _plan(self, body: Body) -> Plan:
        found = trial(body)
        load = found.spec.workload.load
        noise = int(digest([found.name])[:4], 16) / 0xFFFF - 0.5
        cost = 1 - LOSS if found.spec.arm.role == "treatment" else 1.0
        usual = Plan(
            warmup=round(load.warmup_seconds),
            duration=round(load_seconds(found.spec) - load.warmup_seconds),
            tps=round(1000 * cost * (1 + 0.004 * noise)) / found.spec.workload.client.replicas,
            threads=max(1, found.spec.concurrency // found.spec.workload.client.replicas),
            session=expected(self._testbed(found).spec.mode.in_transit),
            margin=0 if found.spec.workload.recovery is None else 60,
            tool="sysbench" if found.spec.workload.tpcc is None else "tpcc",
        )
        return self.plan(found, usual)

    def _testbed(self, of: Trial) -> Testbed:
        return testbed(self.cluster.one(TESTBED, SPACE, of.spec.testbed_ref.name))

    def _samples(self, testbed: str, client_node: str, began: float) -> None:
        """What Prometheus scrapes around a run on that testbed, of its cell and their nodes."""
        self.runs += 1
        own_run = range(int(began), int(began) + WARMUP + DURATION + 2)

        def add(metric: str, busy: float, resting: float, **own: str) -> None:
            """A counter goes on where it was; what was scraped is never another afterwards."""
            key = (metric, *own.values())
            time, value = self._counters.get(key, (own_run.start - 10, 0.0))
            samples = []
            for second in range(time + 1, own_run.stop + 2):
                value += busy if second in own_run else resting
                samples.append((float(second), value))
            self.metrics.add(metric, own, samples)
            self._counters[key] = (own_run.stop + 1, value)

        idling = self.idling(self.runs)
        busy = {client_node: 0.3}
        found = {body["metadata"]["name"]: body for body in self.latest("Testbed", "")}
        cell = found[testbed]["spec"]["cell"] if testbed in found else None
        if testbed in found:
            campaign = found[testbed]["spec"]["campaignRef"]["name"]
            client = {"testbed": testbed, "campaign": campaign, "node": client_node}
            add("encbench_client_cpu_seconds_total", 0.25, 0.0, namespace=SPACE, **client)
        for name, body in found.items():
            spec = body["spec"]
            if "external" in spec["instance"] or spec["cell"] != cell:
                continue
            own = {"namespace": SPACE, "testbed": name, "campaign": spec["campaignRef"]["name"]}
            place = body.get("status", {}).get("machine") or {}
            own["node"] = node = place.get("node", DATABASE_NODE)
            cores = 0.3 if name == testbed else idling
            add("encbench_database_cpu_seconds_total", cores, 0.001, **own)
            add("encbench_agent_cpu_seconds_total", 0.002, 0.002, **own)
            used = cores + 0.002
            if "gocryptfs" in spec["mode"].get("atRest", {}).get("volume", {}):
                # Part of the database's.
                add("encbench_volume_cpu_seconds_total", cores / 3, 0.0, **own)
            method = spec["mode"].get("columns", {}).get("method")
            if method == "confidential" and self.proxied:
                proxy = self.proxying if name == testbed else 0.0
                add("encbench_proxy_cpu_seconds_total", proxy, 0.0, **own)
                add("encbench_proxy_resident_bytes", 0.0, 0.0, **own)
                used += proxy
            busy[node] = busy.get(node, self.foreign(self.runs)) + used
        for node, cores in busy.items():
            for cpu in ("0", "1"):
                idle = max(0.0, 1 - cores / 2)
                add("node_cpu_seconds_total", idle, 0.9, mode="idle", node=node, cpu=cpu)
                add("node_cpu_seconds_total", 0.0, 0.0, mode="iowait", node=node, cpu=cpu)
                add("node_cpu_seconds_total", 0.0, 0.0, mode="steal", node=node, cpu=cpu)


def _kind(body: Body) -> Kind:
    kinds = (INSTANCE_TEMPLATE, ENCRYPTION_MODE, WORKLOAD, CAMPAIGN, CONFIG_MAP)
    return next(kind for kind in kinds if kind.kind == body["kind"])


TDE = {"atRest": {"method": "engine"}}


def parts(**workload: Any) -> list[Body]:
    """What the campaigns of these tests name; `workload` replaces fields of the Workload."""
    load = {"concurrency": [2], "warmup": f"{WARMUP}s", "duration": f"{DURATION}s"}
    return [
        manifests.body(INSTANCE_TEMPLATE, "small", SPACE),
        manifests.body(ENCRYPTION_MODE, "plain", SPACE),
        manifests.body(ENCRYPTION_MODE, "tde", SPACE, **TDE),
        manifests.body(WORKLOAD, "oltp", SPACE, **{"load": load, **workload}),
    ]


def tpcc_parts(**tpcc: Any) -> list[Body]:
    """The same with TPC-C in sysbench's place."""
    *others, workload = parts()
    del workload["spec"]["sysbench"]
    workload["spec"]["tpcc"] = {"warehouses": 2, **tpcc}
    return [*others, workload]


def study(*modes: str, blocks: int | Body = 2, replacements: int = 1, **spec: Any) -> Body:
    """A campaign; with the baseline mode alone it has two arms. `blocks` as a number, or whole."""
    matrix = [{"instanceRefs": ["small"], "modeRefs": list(modes or ["tde"])}]
    matrix[0]["workloadRefs"] = ["oltp"]
    return manifests.body(
        CAMPAIGN,
        NAME,
        SPACE,
        **{
            "matrix": matrix,
            "blocks": blocks
            if isinstance(blocks, dict)
            else {"min": blocks, "maxReplacements": replacements},
            **spec,
        },
    )

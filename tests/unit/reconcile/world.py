"""A simulated world around the reconcilers: every port faked, every other controller played.

Nothing waits: time is a number that moves to whatever happens next. The operator is the real one
but for its queue; a test may kill it, start another, cut off its events, or take a port away.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    JOB,
    POD,
    STATEFUL_SET,
    TRIAL,
    WORKLOAD,
    Kind,
)
from encbench.core.naming import digest
from encbench.ports import Body
from encbench.reconcile.deps import Deps, Settings
from encbench.reconcile.objects import Campaign, Trial, campaign, trial
from tests.support import manifests
from tests.support.fake_agent import FakeDatabase
from tests.support.testbeds import counting_tokens
from tests.unit.reconcile.clients import Plan, Recorders
from tests.unit.reconcile.controllers import Controllers
from tests.unit.reconcile.driver import Killed, Operator, Until
from tests.unit.reconcile.pods import DATABASE_NODE
from tests.unit.reconcile.timeline import START, SimClock, Timeline
from tests.unit.reconcile.watched import Change, CountingStore, TimedMetrics, WatchedCluster

SPACE, NAME = "bench", "study"
WARMUP, DURATION = 2, 6
RESTART = 3.0
"""Seconds for which a killed operator is away."""
WATCHED = {kind for kind in (JOB, STATEFUL_SET, POD)}
LOSS = 0.1
"""What TDE costs in this world."""


class World:
    """Everything, with one operator running."""

    def __init__(self, *, operators: int = 1, events: bool = True) -> None:
        self.clock = SimClock()
        self.timeline = Timeline(self.clock)
        self.cluster = WatchedCluster(self.clock.now)
        self.store = CountingStore(now=self.clock.unix)
        self.metrics = TimedMetrics(now=self.clock.unix)
        self.database = FakeDatabase(clock=self.clock.unix)
        self.runner = Recorders()
        self.plan: Callable[[Trial, Plan], Plan] = lambda _, usual: usual
        """A test's say in how a trial's clients run."""
        self.controllers = Controllers(
            self.cluster, self.store, self.database, self.runner, self.timeline, self._plan
        )
        self.deps = Deps(
            self.cluster,
            self.store,
            self.metrics,
            self.database,
            self.runner,
            self.clock,
            Settings("encbench:test", "IfNotPresent", "0.1.0", counting_tokens()),
        )
        self.events = events
        self._latest: dict[tuple[str, str], Body] = {}
        self.operators = [self._operator() for _ in range(operators)]
        self.deaths = 0

    # -- driving

    def _operator(self, deps: Deps | None = None) -> Operator:
        operator = Operator(deps or self.deps, self.clock, events=self.events)
        # A new watch begins with a list of everything.
        return operator

    def restart(self, place: int = 0) -> None:
        """Kill an operator; a new process takes its place a moment later."""
        self.deaths += 1
        self.operators[place] = operator = self._operator()
        operator.next_sweep = self.clock.time + RESTART

    async def run(self, until: Until, *, limit: int = 5000, seconds: float = 7200) -> None:
        """Let everything happen until the condition holds; AssertionError when it never does."""
        end = self.clock.time + seconds
        for _ in range(limit):
            self._deliver()
            if until():
                return
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

    def _deliver(self) -> None:
        """Tell watchers of what has changed; their own changes come after."""
        while self.cluster.changes:
            changes, self.cluster.changes = self.cluster.changes, []
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
        """Condition: that many trials were released, the last of them still running."""

        def check() -> bool:
            found = [t for t in self.trials() if t.status.release_at is not None]
            return len(found) == count and found[-1].status.phase == "Running"

        return check

    # -- what a user does

    def apply(self, *bodies: Body) -> None:
        for body in bodies:
            self.cluster.add(_kind(body), body)

    def _plan(self, body: Body) -> Plan:
        found = trial(body)
        self._samples(found)
        load = found.spec.workload.load
        noise = int(digest([found.name])[:4], 16) / 0xFFFF - 0.5
        cost = 1 - LOSS if found.spec.arm.role == "treatment" else 1.0
        usual = Plan(
            warmup=round(load.warmup_seconds),
            duration=round(load.duration_seconds),
            tps=round(1000 * cost * (1 + 0.004 * noise)) / found.spec.workload.client.replicas,
            threads=max(1, found.spec.concurrency // found.spec.workload.client.replicas),
        )
        return self.plan(found, usual)

    def _samples(self, found: Trial) -> None:
        """What Prometheus will have scraped of a trial's testbed and its node."""
        now = int(self.clock.time)
        times = [float(now + second) for second in range(60)]
        own = {"namespace": SPACE, "testbed": found.spec.testbed_ref.name}
        counter = [(time, (time - START) * 0.3) for time in times]
        self.metrics.add("encbench_database_cpu_seconds_total", own, counter)
        for cpu in ("0", "1"):
            node = {"mode": "idle", "node": DATABASE_NODE, "cpu": cpu}
            idle = [(time, (time - START) * 0.6) for time in times]
            self.metrics.add("node_cpu_seconds_total", node, idle)


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


def study(*modes: str, blocks: int = 2, replacements: int = 1, **spec: Any) -> Body:
    """A campaign; with the baseline mode alone it has two arms."""
    matrix = [{"instanceRefs": ["small"], "modeRefs": list(modes or ["tde"])}]
    matrix[0]["workloadRefs"] = ["oltp"]
    return manifests.body(
        CAMPAIGN,
        NAME,
        SPACE,
        **{
            "matrix": matrix,
            "blocks": {"min": blocks, "maxReplacements": replacements},
            **spec,
        },
    )


def same_but(deps: Deps, **ports: Any) -> Deps:
    """The ports with some of them replaced."""
    return replace(deps, **ports)

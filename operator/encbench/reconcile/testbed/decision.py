"""What a step of a testbed has decided, and what all steps say alike."""

from encbench.api import lifecycle as life
from encbench.api.kinds import JOB
from encbench.api.testbed import TestbedSpec, TestbedStatus
from encbench.reconcile import troubles
from encbench.reconcile.draft import PATIENCE, Decision, Draft, backoff
from encbench.reconcile.effects.effect import Delete, TestbedEffect
from encbench.reconcile.pods import JobFacts, PodFacts
from encbench.reconcile.testbed.facts import TestbedSeen
from encbench.reconcile.troubles import Trouble
from encbench.tools.context import load_job_name

POLL = 1.0
"""Seconds between looks while a step is under way."""
SETTLED_POLL = 30.0
"""The same while nothing is expected of the testbed itself."""
NODE_POLL = 2.0
"""Seconds between looks at a node that another campaign has, at most."""

TestbedDecision = Decision[TestbedStatus, TestbedEffect]


class TestbedDraft(Draft[TestbedSpec, TestbedStatus, TestbedSeen]):
    """The draft that each step of a testbed goes on with."""

    __test__ = False

    def decide(self, *effects: TestbedEffect, requeue: float | None = None) -> TestbedDecision:
        """What was decided, with the phase that follows from the conditions."""
        self.note_hindrance(over=self.is_true(life.FAILED))
        self.set(phase=life.TESTBED_LIFE.phase(self.conditions))
        return Decision(self.status, effects, requeue)

    def fail(self, reason: str, message: str, *effects: TestbedEffect) -> TestbedDecision:
        """It is of no use any more."""
        self.condition(life.FAILED, True, reason, message)
        self.condition(life.READY, False, reason, message)
        return self.decide(*effects)

    def delete_load(self, load: JobFacts) -> Delete:
        """Its pods end within their grace period, or where they wait for a node at once."""
        testbed = self.subject
        return Delete(JOB, testbed.namespace, load_job_name(testbed.name), load.uid)

    def await_node(self) -> TestbedDecision:
        """The next step is heavy work for its node, on which another campaign may be measuring."""
        waits = self.seen.found.nodes.waits
        if waits:
            self.hold(life.ALONE, life.NODE_IN_USE, waits)
        return self.decide(requeue=backoff(self.since(life.PROVISIONED), POLL, NODE_POLL))

    def note_trouble(self, found: Trouble | None, waited: float = 0.0) -> None:
        """Name what keeps the database's pod from running, or that there is none."""
        seen = self.seen
        if found is not None:
            self.hinder(found.reason, found.message)
        elif seen.stateful_set is not None and seen.database is None and waited > PATIENCE:
            self.hinder(life.NO_POD, self.no_pod)

    def note_refusal(self, waited: float) -> None:
        """Name what keeps its objects from being created, unless that passes at once."""
        if self.seen.found.refused and waited > PATIENCE:
            self.hinder(life.NOT_CREATED, self.steady(life.HINDERED, self.seen.found.refused))

    @property
    def rejected(self) -> Trouble | None:
        """What became of the pod before this one, as long as no node has begun with this one.

        A StatefulSet replaces at once what a node rejects, which the node may do again and again.
        """
        said, pod = self.fact(life.HINDERED), self.seen.database
        if said is None or said.reason != life.POD_ENDED or (pod is not None and pod.containers):
            return None
        return Trouble(said.reason, said.message)

    @property
    def no_pod(self) -> str:
        """What there is to say of a database that has no pod."""
        return troubles.no_pod("statefulset", self.subject.name)

    @property
    def up(self) -> list[PodFacts]:
        """The database's pod, if its agent and server answer."""
        pod = self.seen.database
        return [pod] if pod is not None and pod.ready else []

    @property
    def not_ready(self) -> tuple[str, str]:
        """What keeps the database's pod from being ready: a reason, and all of it in words."""
        pod = self.seen.database
        if pod is None:
            return life.NOT_READY, self.no_pod
        found = troubles.trouble([pod], self.seen.now)
        where = f" on node {pod.node}" if pod.node else ""
        message = f"the database pod {self.subject.name}-0{where} is not ready"
        message += f": {found.message}" if found else ""
        return (found.reason if found else life.NOT_READY), message

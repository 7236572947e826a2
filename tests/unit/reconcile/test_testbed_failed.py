"""What becomes of the database of a testbed that has failed."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.api.kinds import JOB, POD_DISRUPTION_BUDGET, STATEFUL_SET
from encbench.reconcile.effects.effect import Apply, Delete
from encbench.reconcile.pods import ContainerFacts, JobFacts, PodFacts
from encbench.reconcile.testbed.decide import decide
from encbench.reconcile.testbed.decision import TestbedDecision
from encbench.reconcile.testbed.facts import SetFacts, TestbedSeen
from encbench.reconcile.testbed.failed import KEPT
from tests.unit.reconcile.seen import NOW, a_pod, a_testbed, ago, ready

BED = a_testbed({"Failed": ("True", 3.0), "Ready": ("False", 3.0)}, startTime=ago(9))
THERE: dict[str, Any] = {
    "apiVersion": STATEFUL_SET.api_version,
    "kind": STATEFUL_SET.kind,
    "metadata": {"name": "bed"},
    "spec": {"replicas": 1, "template": {}},
}
RAN = a_pod("bed-0", *ready("server", "agent"))
UNPLACED = replace(a_pod("bed-0", phase="Pending"), node=None, unschedulable="0/3 nodes")
UNPULLED = ContainerFacts("server", waiting_reason="ImagePullBackOff")


def saw(database: PodFacts | None, replicas: int = 1, **fields: Any) -> TestbedSeen:
    there = SetFacts({**THERE, "spec": {**THERE["spec"], "replicas": replicas}})
    return TestbedSeen(NOW, True, stateful_set=there, database=database, **fields)


def stops(decision: TestbedDecision) -> bool:
    return [
        effect.body["spec"]["replicas"] for effect in decision.effects if isinstance(effect, Apply)
    ] == [0]


@pytest.mark.parametrize(
    ("database", "at_once"),
    [
        (None, True),
        (UNPLACED, True),
        (a_pod("bed-0", UNPULLED, *ready("agent"), phase="Pending"), True),
        (a_pod("bed-0", ContainerFacts("init:initialise", exit_code=0), UNPULLED), True),
        (RAN, False),
        (a_pod("bed-0", ContainerFacts("server", exit_code=0)), False),
        (a_pod("bed-0", ContainerFacts("server", last_exit_code=1)), False),
        (a_pod("bed-0", ContainerFacts("server", restarts=1)), False),
        (a_pod("bed-0", ContainerFacts("init:initialise", exit_code=1)), False),
        (a_pod("bed-0", ContainerFacts("init:initialise", last_exit_code=1)), False),
    ],
)
def test_without_logs_to_read_it_stops_at_once(database: PodFacts | None, at_once: bool) -> None:
    decision = decide(BED, saw(database))
    assert stops(decision) == at_once
    assert decision.requeue is None, "its campaign goes on"
    ended = NOW - timedelta(seconds=KEPT)
    assert stops(decide(BED, saw(database, campaign_ended=ended)))
    assert decide(BED, saw(database, 0, campaign_ended=ended)).effects == ()


def test_a_drain_waits_for_it_until_its_campaign_has_ended() -> None:
    assert decide(BED, saw(RAN)).effects == ()
    ended = NOW - timedelta(seconds=KEPT - 10)
    decision = decide(BED, saw(RAN, campaign_ended=ended, budget="b"))
    assert decision.effects == (Delete(POD_DISRUPTION_BUDGET, "ns", "bed", "b"),)
    assert decision.requeue == 10.0
    later = decide(BED, saw(RAN, campaign_ended=NOW))
    assert (later.effects, later.requeue) == ((), 3600.0)


TOOL_ENDED = a_pod("load", ContainerFacts("tool", exit_code=1), *ready("sidecar"))


@pytest.mark.parametrize("pods", [(), (UNPLACED,), (a_pod("load", *ready("tool")),)])
def test_a_load_that_outlived_its_failure_goes(pods: tuple[PodFacts, ...]) -> None:
    load = JobFacts("load", pods=pods)
    decision = decide(BED, saw(UNPLACED, load=load))
    assert decision.effects == (Delete(JOB, "ns", "bed-load", "load"),)
    assert decision.requeue == 1.0
    assert stops(decide(BED, saw(UNPLACED))), "once it is gone"


@pytest.mark.parametrize(
    "load",
    [
        JobFacts("load", failed=True),
        JobFacts("load", succeeded=True),
        JobFacts("load", pods=(TOOL_ENDED,)),
    ],
)
def test_a_load_that_has_ended_keeps_its_logs(load: JobFacts) -> None:
    assert stops(decide(BED, saw(UNPLACED, load=load)))
    assert decide(BED, saw(RAN, load=load)).effects == ()

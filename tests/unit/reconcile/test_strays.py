"""No trial is released beside clients that run on although their Trial was deleted."""

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import JOB, POD, TESTBED, TRIAL, Kind
from encbench.kube import labels
from encbench.ports import Body
from encbench.reconcile.deps import Reads
from encbench.reconcile.objects import Testbed, Trial
from encbench.reconcile.objects import testbed as as_testbed
from encbench.reconcile.pods import ContainerFacts, PodFacts
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import FARTHEST, UPLOAD_AFTER_FAILURE, TrialDecision
from encbench.reconcile.trial.running import longest
from encbench.reconcile.trial.strays import look
from encbench.tools.pod import wrapped
from tests.unit.reconcile.accidents import lost
from tests.unit.reconcile.external import template
from tests.unit.reconcile.pods import container
from tests.unit.reconcile.seen import (
    PROVEN,
    a_client,
    a_pod,
    a_testbed,
    a_trial,
    ago,
    found,
    ready,
    saw,
    status_of,
)
from tests.unit.reconcile.world import SPACE, World, parts, study

SHORT = {"concurrency": [2], "warmup": "2s", "duration": "60s"}
CUT_OFF: dict[str, Any] = {"is_silent": True, "node": "n2"}
LASTS = 100
LATEST = FARTHEST + LASTS + UPLOAD_AFTER_FAILURE
"""Seconds after its release by which such a stray has ended."""


def a_stray(**fields: Any) -> PodFacts:
    spec = {"containers": [{"name": "tool", "command": wrapped(LASTS, ["sysbench"])}]}
    return a_pod("old-0", *ready("tool"), **{"spec": spec, **fields})


def made(seconds: float) -> Trial:
    """A trial that was made that many seconds ago, after the stray was released."""
    return replace(a_trial(), created=ago(seconds))


def beside(*strays: PodFacts, of: Trial | None = None) -> TrialDecision:
    """The next step of a trial that only these keep from its release."""
    return decide(of or made(9), saw(a_client(), strays=strays, found=found(PROVEN, 1.0)))


# -- one step


@pytest.mark.parametrize("fields", [{}, {"deleting": True, "ends": ago(-50)}, CUT_OFF])
def test_a_trial_waits_for_them_and_says_so(fields: dict[str, Any]) -> None:
    decision = beside(a_stray(**fields))
    assert decision.status.outcome is None
    assert decision.status.release_at is None
    fact = find(decision.status.conditions, "Prepared")
    assert fact is not None
    assert (fact.status, fact.reason) == ("Unknown", "Early")
    assert fact.message == "waits for pod old-0, whose Trial or Job was deleted and whose tool runs"
    assert beside().status.release_at is not None


@pytest.mark.parametrize(
    ("ends", "until"),
    [(None, LATEST - 9), (ago(-51), LATEST - 9), (ago(11), LATEST - 11)],
    ids=["there", "ends", "deleted-before"],
)
def test_one_that_is_cut_off_is_named(ends: str | None, until: float) -> None:
    decision = beside(a_stray(**CUT_OFF, deleting=ends is not None, ends=ends))
    fact = find(decision.status.conditions, "Hindered")
    assert fact is not None
    assert (fact.status, fact.reason) == ("True", "NodeLost")
    assert fact.message == (
        "node n2 of pod old-0 does not answer, and its tool may load the database until "
        f"{ago(-until)}: if the machine is off, delete Node n2"
    )
    assert decision.requeue == 15.0


@pytest.mark.parametrize(("late", "is_cut_off"), [(100, True), (9, False)])
def test_one_that_is_long_to_have_ended_is_cut_off(late: float, is_cut_off: bool) -> None:
    stray = a_stray(deleting=True, ends=ago(late), node="n2")
    begun = ContainerFacts("proxy", running=True)
    decision = beside(replace(stray, containers={**stray.containers, "proxy": begun}))
    assert decision.status.release_at is None
    assert status_of(decision, "Hindered")[1] == ("NodeLost" if is_cut_off else "")
    assert decision.requeue is not None
    assert (decision.requeue > 10) == is_cut_off, "it is looked at seldom"


def test_no_deadline_counts_the_time_that_it_waits_for_them() -> None:
    facts = {"Prepared": ("True", 9e4), "ProvenBefore": ("True", 9e4)}
    ready_for_long = replace(a_trial(facts, startTime=ago(9e4)), created=ago(9))
    assert beside(a_stray(**CUT_OFF), of=ready_for_long).status.outcome is None


def test_it_goes_on_once_the_tool_has_ended_by_itself() -> None:
    stray = a_stray(**CUT_OFF)
    assert beside(stray, of=made(LATEST - 1)).status.release_at is None
    decision = beside(stray, of=made(LATEST + 1))
    assert decision.status.release_at is not None
    assert status_of(decision, "Hindered") == ("", "")


def test_one_that_does_not_say_how_long_it_runs_is_taken_for_one_of_its_own() -> None:
    stray, lasts = a_stray(**CUT_OFF, spec={}), longest(a_trial().spec)
    assert beside(stray, of=made(lasts - 1)).status.release_at is None
    assert beside(stray, of=made(lasts + 2 * LATEST)).status.release_at is not None


# -- what counts as one


def body(name: str, uid: str, age: float, owner: str = "", **marks: str) -> Body:
    owners = [{"uid": owner}] if owner else []
    meta = {"name": name, "namespace": SPACE, "uid": uid, "ownerReferences": owners}
    return {"metadata": {**meta, "creationTimestamp": ago(age), "labels": marks}, "spec": {}}


TOOL = container("tool", running={"startedAt": ago(100)})
SAMPLE = a_trial()
BED = SAMPLE.spec.testbed_ref.name


def a_body(
    age: float = 5000, *, of: str = SAMPLE.name, tool: Body = TOOL, owner: str = "old-job"
) -> Body:
    """A client of a Trial of that name, older than all Trials here."""
    marks = {labels.TRIAL: of, labels.TESTBED: BED}
    return {**body("old-0", "old", age, owner, **marks), "status": {"containerStatuses": [tool]}}


class Known:
    """A cluster that has one client and these other objects."""

    def __init__(self, pod: Body, *others: tuple[Kind, Body]) -> None:
        self._pod = pod
        self._others = {(kind, one["metadata"]["name"]): one for kind, one in others}
        self.asked: list[Mapping[str, str] | None] = []

    async def list(self, _: Kind, __: str, marks: Mapping[str, str] | None = None) -> list[Body]:
        self.asked.append(marks)
        return [self._pod]

    async def get(self, kind: Kind, _: str, name: str) -> Body | None:
        return self._others.get((kind, name))


JOB_OF_IT = body(SAMPLE.name, "its-job", 3590, SAMPLE.uid)
AN_OLD_BED = (TESTBED, body(BED, "bed", 9000))
A_FAILED_BED = (
    TESTBED,
    {**AN_OLD_BED[1], "status": {"conditions": [{"type": "Failed", "status": "True"}]}},
)
A_DELETED_BED = (
    TESTBED,
    {**AN_OLD_BED[1], "metadata": {**AN_OLD_BED[1]["metadata"], "deletionTimestamp": ago(1)}},
)
OTHER = (TRIAL, body("other", "other", 4000))
ITS_JOB = (JOB, body("other", "other-job", 3990, "other"))
ITS_OLD_JOB = (JOB, body("other", "old-job", 3990, "other-that-was-deleted"))


async def strays(
    known: Known, of: Trial = SAMPLE, bed: Testbed | None = None, job: Body | None = JOB_OF_IT
) -> list[str]:
    read = cast(Reads, SimpleNamespace(cluster=known))
    return [pod.name for pod in await look(read, of, bed or a_testbed(), job)]


@pytest.mark.parametrize(
    ("pod", "others"),
    [
        (a_body(), ()),
        (a_body(of="earlier"), ()),
        (a_body(of="other"), (OTHER,)),
        (a_body(of="other"), (OTHER, ITS_JOB)),
        (a_body(3600, of="other"), (OTHER, ITS_JOB)),
        (a_body(3600, of="other"), (OTHER, ITS_OLD_JOB)),
    ],
    ids=["namesake", "another", "another's-namesake", "of-another-job", "by-a-clock", "of-its-old"],
)
async def test_clients_whose_trial_is_gone_are(
    pod: Body, others: tuple[tuple[Kind, Body], ...]
) -> None:
    known = Known(pod, AN_OLD_BED, *others)
    assert await strays(known) == ["old-0"]
    spec = SAMPLE.spec
    assert known.asked == [
        {
            labels.COMPONENT: "client",
            labels.CAMPAIGN: spec.campaign_ref.name,
            labels.CELL: spec.cell,
        }
    ]


@pytest.mark.parametrize(
    ("pod", "others"),
    [
        (a_body(owner="its-job"), (AN_OLD_BED,)),
        (a_body(3600, of="other"), (AN_OLD_BED, OTHER)),
        (a_body(4000, of="other"), (AN_OLD_BED, OTHER)),
        (a_body(4001, of="other", owner="other-job"), (AN_OLD_BED, OTHER, ITS_JOB)),
        (a_body(tool=container("tool", terminated={"exitCode": 0})), (AN_OLD_BED,)),
        (a_body(), ()),
        (a_body(), ((TESTBED, body(BED, "bed", 4000)),)),
        (a_body(), (A_FAILED_BED,)),
        (a_body(), (A_DELETED_BED,)),
    ],
    ids=[
        *("its-own", "of-another", "of-another-s-second", "by-another-clock", "ended"),
        *("no-testbed", "a-new-testbed", "a-failed-testbed", "a-deleted-testbed"),
    ],
)
async def test_these_are_none(pod: Body, others: tuple[tuple[Kind, Body], ...]) -> None:
    assert await strays(Known(pod, *others)) == []


async def test_a_trial_without_a_job_has_them_too() -> None:
    assert await strays(Known(a_body(), AN_OLD_BED), job=None) == ["old-0"]


async def test_an_external_database_outlives_its_testbed() -> None:
    bed = a_testbed()
    bed.body["spec"]["instance"] = template()["spec"]
    bed = as_testbed(bed.body)
    assert await strays(Known(a_body()), bed=bed) == ["old-0"]


@pytest.mark.parametrize(
    "over", [a_trial({"Released": ("True", 1.0)}), a_trial(outcome="Failed")], ids=["on", "over"]
)
async def test_none_is_looked_for_once_it_was_released_or_is_over(over: Trial) -> None:
    known = Known(a_body(), AN_OLD_BED)
    assert await strays(known, over) == []
    assert known.asked == []


# -- together


@pytest.mark.parametrize("ends", [True, False], ids=["ends", "never-seen-to-end"])
async def test_the_namesake_of_a_deleted_trial_waits_for_its_lost_client(ends: bool) -> None:
    world = World()
    world.apply(*parts(load=SHORT), study("tde", blocks=1))
    await world.run(world.running())
    await world.settle(10)
    (first,) = world.trials()
    # In a cluster no two pods of namesakes have the same name.
    own = world.cluster.one(POD, SPACE, f"{first.name}-0-x")
    world.cluster.add(POD, {**own, "metadata": {**own["metadata"], "name": "cut-off"}})
    lost(world, "cut-off")
    world.cluster.grace_seconds = 60
    world.cluster.remove(TRIAL, SPACE, first.name)
    deleted = world.clock.time
    await world.settle(60)
    (second,) = world.trials()
    assert (second.name, second.status.release_at) == (first.name, None)
    assert second.uid != first.uid
    fact = find(second.status.conditions, "Hindered")
    assert fact is not None and fact.reason == "NodeLost"
    assert fact.message.startswith("node node-2 of pod cut-off does not answer")
    assert fact.message in world.campaign().status.step
    if ends:
        lost(world, "cut-off", is_lost=False)
    await world.run(world.running())
    waited = world.clock.time - deleted
    assert (60 < waited < 90) if ends else (waited > longest(first.spec))
    await world.run(world.ended)
    assert {one.status.outcome for one in world.trials()} == {"Succeeded"}

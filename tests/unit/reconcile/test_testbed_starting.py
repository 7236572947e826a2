"""Stopping a database and starting it anew: each step, what it leaves alone, and its deadline."""

import json
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import TESTBED
from encbench.api.scalars import parse_duration
from encbench.api.testbed import TestbedStatus
from encbench.core.starts import Start, start_for
from encbench.kube import labels
from encbench.reconcile import objects
from encbench.reconcile.effects.effect import Apply
from encbench.reconcile.objects import Testbed
from encbench.reconcile.pods import ContainerFacts, PodFacts
from encbench.reconcile.starts import current_start, serves, wanted_start
from encbench.reconcile.testbed.decide import decide
from encbench.reconcile.testbed.decision import TestbedDecision, TestbedDraft
from encbench.reconcile.testbed.facts import SetFacts, TestbedFound, TestbedSeen, start_named
from encbench.reconcile.testbed.starting import StartStep, bring, data_copy, next_served
from encbench.reconcile.troubles import Trouble
from tests.support import manifests
from tests.unit.reconcile.seen import ALONE, NOW, a_pod, a_testbed, a_trial, ago, ready, with_status
from tests.unit.reconcile.testbeds import a_set, set_for

WANTED = Start("run-2", "run-2")
NOTES = {labels.START: "run-2", labels.RESET: "run-2"}
COPY = {"action": "restored", "files": 3, "bytes": 100, "seconds": 1.5}


@pytest.mark.parametrize(
    ("campaign", "start"),
    [
        (("none", "Resident", "Warm"), Start()),
        (("block", "Resident", "Warm"), Start("block-3", "block-3")),
        (("trial", "Resident", "Warm"), Start("run-2", "run-2")),
        (("none", "OnDemand", "Warm"), Start("run-2", "")),
        (("none", "Resident", "Cold"), Start("run-2", "")),
        (("block", "OnDemand", "Warm"), Start("run-2", "block-3")),
        (("block", "Resident", "Cold"), Start("run-2", "block-3")),
        (("trial", "OnDemand", "Cold"), Start("run-2", "run-2")),
    ],
)
def test_which_start_a_trial_needs(campaign: Any, start: Start) -> None:
    assert start_for(*campaign, trial="run-2", block=3) == start


# -- the StatefulSet


def test_only_the_number_and_the_annotations_change() -> None:
    before = a_set()
    body = before.scaled(0, WANTED)
    assert body["metadata"] == {
        "name": "bed",
        "namespace": "ns",
        "labels": {"x": "y"},
        "ownerReferences": [{"uid": "2"}],
        # A set that changed meanwhile is looked at again first.
        "resourceVersion": "77",
    }
    assert "status" not in body
    template = body["spec"]["template"]
    assert template["metadata"] == {"labels": {"a": "b"}, "annotations": NOTES}
    assert template["spec"] == before.body["spec"]["template"]["spec"]
    assert body["spec"]["serviceName"] == "bed"
    assert (before.replicas, before.start) == (1, Start()), "what was read stays as it was"
    assert (SetFacts(body).replicas, SetFacts(body).start) == (0, WANTED)


def test_other_annotations_stay_and_a_node_is_asked_for() -> None:
    before = a_set(1, **{"karpenter.sh/do-not-disrupt": "true", labels.START: "run-1"})
    template = before.scaled(1, WANTED, "n2")["spec"]["template"]
    assert template["metadata"]["annotations"] == {"karpenter.sh/do-not-disrupt": "true", **NOTES}
    (wish,) = template["spec"]["affinity"]["nodeAffinity"][
        "preferredDuringSchedulingIgnoredDuringExecution"
    ]
    assert wish["preference"]["matchFields"][0]["values"] == ["n2"]
    assert "affinity" not in before.body["spec"]["template"]["spec"]


# -- what a pod says


def test_a_pod_says_what_it_was_made_for() -> None:
    assert start_named(a_pod().annotations) == Start()
    assert start_named(a_pod(annotations=NOTES).annotations) == WANTED


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        (json.dumps(COPY), 1.5),
        (json.dumps({**COPY, "action": "copied"}), 1.5),
        (json.dumps({**COPY, "action": "kept"}), None),
        (json.dumps({**COPY, "files": 3.0}), None),
        (json.dumps({**COPY, "bytes": 2**63}), None),
        ("no json", None),
        ("", None),
        ("[]", None),
    ],
)
def test_the_account_of_a_copy(message: str, seconds: float | None) -> None:
    prepare = ContainerFacts("init:prepare", ready=True, termination_message=message)
    found = data_copy(a_pod("bed-0", prepare))
    assert (found and found.seconds) == seconds
    assert found is None or (found.files, found.size_bytes) == (3, 100)


# -- a start, step by step


def bed(**status: Any) -> Testbed:
    return a_testbed({"Provisioned": ("True", 10.0)}, **status)


def run(asked: float = 5.0, **more: Any) -> dict[str, Any]:
    return {"run": {"start": "run-2", "reset": "run-2", "askedTime": ago(asked), **more}}


def step(
    testbed: Testbed,
    pod: PodFacts | None,
    stateful_set: SetFacts | None,
    started: float | None,
    **more: Any,
) -> tuple[StartStep, TestbedStatus]:
    seen = TestbedSeen(NOW, True, stateful_set, pod, server_started=started, **more)
    draft = TestbedDraft(testbed, seen)
    made = bring(draft, WANTED)
    return made, draft.status


OLD = a_pod("bed-0", *ready("server", "agent"))
NEW = a_pod("bed-0", *ready("server", "agent"), annotations=NOTES)
STARTING = a_pod("bed-0", ContainerFacts("server", running=True), annotations=NOTES)


def test_the_intent_is_written_and_the_old_pod_has_to_go() -> None:
    made, status = step(bed(), OLD, a_set(), 7.0)
    assert made.scale == (0, WANTED)
    assert status.run is not None
    assert (status.run.start, status.run.asked_time) == ("run-2", ago(0))
    assert status.run.ready_time is None


PROVISION = parse_duration(bed().spec.step_deadlines.provision)


@pytest.mark.parametrize("notes", [{}, NOTES])
@pytest.mark.parametrize(
    ("late", "failed", "trouble"),
    [
        (-20.0, False, False),
        (5.0, False, False),
        (15.0, False, True),
        (PROVISION + 11, True, False),
    ],
)
def test_a_pod_that_does_not_end_is_on_a_lost_node(
    late: float, failed: bool, trouble: bool, notes: dict[str, str]
) -> None:
    deleted = a_pod(
        "bed-0", *ready("server"), annotations=notes, deleting=True, ends=ago(late), node="n1"
    )
    for silent in (True, False):
        # Of a node that answers the pod may be slow, which is nothing but late.
        pod = replace(deleted, is_silent=silent)
        made, _ = step(bed(**run()), pod, set_for(WANTED, 0), None)
        lost = Trouble("NodeLost", "node n1 of pod bed-0 does not answer")
        assert made.failed == (lost if failed and silent else None)
        assert made.trouble == (lost if trouble and silent else None)


STEPS = [
    ("it is going", OLD, set_for(WANTED, 0), None, "stopped"),
    ("it is gone", None, set_for(WANTED, 0), (1, WANTED), "starting"),
    ("a new one is wanted", None, set_for(WANTED, 1), None, "starting"),
    ("the new one is coming", STARTING, set_for(WANTED, 1), None, "starting"),
    ("somebody made the old one anew", OLD, set_for(Start(), 1), (0, WANTED), "stopped"),
    ("no set", OLD, None, None, "not there"),
]


@pytest.mark.parametrize(
    ("what", "pod", "stateful_set", "scale", "words"), STEPS, ids=[s[0] for s in STEPS]
)
def test_the_steps(
    what: str, pod: PodFacts, stateful_set: SetFacts, scale: Any, words: str
) -> None:
    made, status = step(bed(**run()), pod, stateful_set, None)
    assert made.scale == scale
    assert words in made.message
    assert not made.ready
    assert status.run is not None
    assert status.run.asked_time == ago(5), "it was asked for once"


def test_it_is_ready_when_the_right_pod_answers() -> None:
    made, _ = step(bed(**run()), NEW, set_for(WANTED, 1), None)
    assert not made.ready, "its agent does not answer yet"
    made, status = step(bed(**run()), NEW, set_for(WANTED, 1), 1234.5)
    assert made.ready
    assert status.run is not None
    assert status.run.ready_time == ago(0)
    assert status.server_started == 1234.5
    again, after = step(bed(**run(readyTime=ago(3))), None, set_for(WANTED, 1), None)
    assert again.ready, "what becomes of it then is another matter"
    assert again.scale is None
    assert after.run is not None
    assert after.run.ready_time == ago(3)


def test_a_start_that_takes_too_long_fails_with_what_keeps_it() -> None:
    limit = parse_duration(bed().spec.step_deadlines.reset)
    early, _ = step(bed(**run(limit - 1)), STARTING, set_for(WANTED, 1), None)
    assert early.failed is None
    late, _ = step(bed(**run(limit + 1)), STARTING, set_for(WANTED, 1), None)
    assert late.failed is not None
    assert late.failed.reason == "ResetTimeout"
    stuck = a_pod(annotations=NOTES, unschedulable="0/1 nodes")
    late, _ = step(bed(**run(limit + 1)), stuck, set_for(WANTED, 1), None)
    assert late.failed is not None
    assert late.failed.reason == "Unschedulable"


def test_a_start_without_a_pod_says_so() -> None:
    limit = parse_duration(bed().spec.step_deadlines.reset)
    soon, _ = step(bed(**run(30)), None, set_for(WANTED, 1), None)
    assert soon.trouble is None, "the earlier pod may just have gone"
    waiting, _ = step(bed(**run(61)), None, set_for(WANTED, 1), None)
    assert waiting.trouble is not None
    assert waiting.trouble.reason == "NoPod"
    late, _ = step(bed(**run(limit + 1)), None, set_for(WANTED, 1), None)
    assert late.failed is not None
    assert late.failed.reason == "ResetTimeout"
    assert late.failed.message == waiting.trouble.message
    assert "has made no pod: kubectl events --for statefulset/" in late.failed.message
    none_asked_for, _ = step(bed(**run(61)), None, set_for(WANTED, 0), None)
    assert none_asked_for.trouble is None


def test_a_copy_that_fails_again_and_again_is_not_waited_for() -> None:
    def failing(times: int) -> PodFacts:
        prepare = ContainerFacts(
            "init:prepare",
            restarts=times,
            waiting_reason="CrashLoopBackOff",
            termination_message='{"failure": "the golden copy takes too much room"}',
        )
        return a_pod("bed-0", prepare, annotations=NOTES)

    once, _ = step(bed(**run()), failing(1), set_for(WANTED, 1), None)
    assert once.failed is None
    often, _ = step(bed(**run()), failing(3), set_for(WANTED, 1), None)
    assert often.failed is not None
    assert "the golden copy takes too much room" in often.failed.message


# -- whom a testbed serves


def followed(**fields: Any) -> Testbed:
    found = a_testbed(**fields)
    spec = found.spec.model_copy(update={"reset": "trial"})
    return Testbed(**{**vars(found), "spec": spec})


def test_a_testbed_serves_the_trial_whose_start_it_has() -> None:
    trial = a_trial()
    assert serves(a_testbed(), trial), "where nothing is reset it serves any"
    wanted = wanted_start(followed(), trial)
    own = f"run.{trial.uid}"
    assert wanted == Start(own, own)
    assert not serves(followed(), trial)
    mine = {"start": own, "reset": own, "askedTime": ago(9)}
    assert not serves(followed(run=mine), trial), "it does not answer yet"
    answering = followed(run={**mine, "readyTime": ago(1)})
    assert serves(answering, trial)
    assert current_start(answering) == wanted


def test_a_trial_that_is_made_again_has_a_start_of_its_own() -> None:
    made, again = (replace(a_trial(), uid=uid, created=ago(9)) for uid in ("first", "second"))
    wanted = wanted_start(followed(), made)
    run = {"start": wanted.name, "reset": wanted.reset, "askedTime": ago(8), "readyTime": ago(5)}
    assert serves(followed(run=run), made)
    assert not serves(followed(run=run), again)


def test_an_earlier_operators_start_is_left_to_run() -> None:
    """It was named by the trial alone, and was asked for by an earlier one if before this one."""
    trial = replace(a_trial(), created=ago(9))
    run = {"start": "run", "reset": "run", "readyTime": ago(1)}
    assert serves(followed(run={**run, "askedTime": ago(8)}), trial)
    assert not serves(followed(run={**run, "askedTime": ago(30)}), trial)


def test_the_oldest_trial_that_is_not_archived_comes_first() -> None:
    def trial(name: str, seconds: float, *, active: bool = True) -> Any:
        found = a_trial()
        marks = {labels.ACTIVE: "true"} if active else {}
        changed = {"name": name, "created": ago(seconds), "labels": marks}
        return type(found)(**{**vars(found), **changed})

    testbed = a_testbed()
    old, new = trial("a", 20), trial("b", 10)
    for trials in ([old, new], [new, old]):
        found = next_served(testbed, trials)
        assert found is not None
        assert found.name == "a"
    done = trial("a", 20, active=False)
    found = next_served(testbed, [done, new])
    assert found is not None
    assert found.name == "b"
    assert next_served(testbed, []) is None


# -- a server that writes what the load left, before it is stopped for the golden copy


def copying(database: PodFacts | None, hindered: float) -> TestbedDecision:
    facts = {
        "Provisioned": ("True", 9000.0),
        "Loaded": ("True", 7000.0),
        "Copied": ("False", 6900.0),
        "Hindered": ("True", hindered),
    }
    body = with_status(manifests.body(TESTBED, "bed", "ns"), facts, startTime=ago(9000))
    body["spec"]["reset"] = "trial"
    found, there = TestbedFound(nodes=ALONE), set_for(Start(), 1)
    seen = TestbedSeen(NOW, True, stateful_set=there, database=database, found=found)
    return decide(objects.testbed(body), seen)


def test_a_server_on_a_lost_node_does_not_write_any_more() -> None:
    pod = a_pod("bed-0", *ready("server"), deleting=True, ends=ago(6000), is_silent=True)
    failed = find(copying(pod, 6000.0).status.conditions, "Failed")
    assert failed is not None
    assert failed.reason == "NodeLost"


@pytest.mark.parametrize(("hindered", "stops"), [(PROVISION - 10, False), (PROVISION + 10, True)])
def test_a_server_that_does_not_come_back_is_stopped_for_its_copy(
    hindered: float, stops: bool
) -> None:
    pod = a_pod("bed-0", *ready("agent"), ContainerFacts("server", waiting_reason="Crashing"))
    decision = copying(pod, hindered)
    assert (decision.status.run is not None) == stops
    applied = [effect.body["spec"] for effect in decision.effects if isinstance(effect, Apply)]
    assert [spec["replicas"] for spec in applied] == ([0] if stops else [])

"""What a testbed does next: each step, and each deadline with its reason."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import TESTBED
from encbench.core.certificates import KeyPair
from encbench.reconcile import objects
from encbench.reconcile.effects.effect import Announce, ApplyDatabase, IssueCredentials, ProveFully
from encbench.reconcile.pods import ContainerFacts
from encbench.reconcile.testbed.decide import decide
from encbench.reconcile.testbed.decision import TestbedDecision
from encbench.reconcile.testbed.facts import FullProof, TestbedFound, TestbedSeen
from encbench.reconcile.testbed.provision import is_version
from encbench.reconcile.troubles import Trouble
from tests.support import manifests
from tests.unit.reconcile.seen import (
    ALONE,
    NOT_PROVEN,
    PROVEN,
    a_pod,
    a_testbed,
    ago,
    status_of,
    wants,
    with_status,
)
from tests.unit.reconcile.testbeds import DATABASE, LOADED, UP, failure, saw

AUTHORITY = KeyPair("certificate", "key")
STARTING = a_pod("bed-0", ContainerFacts("server", running=True))


# -- provisioning


def test_secrets_come_first_then_the_database() -> None:
    nothing = saw(has_credentials=False, stateful_set=None, database=None)
    waits = decide(a_testbed({}), nothing)
    assert waits.effects == ()
    assert waits.requeue
    first = decide(a_testbed({}), replace(nothing, authority=AUTHORITY))
    assert first.effects == (IssueCredentials(AUTHORITY),)
    assert first.status.start_time == ago(0)
    second = decide(a_testbed({}), saw(stateful_set=None, database=None))
    assert second.effects == (ApplyDatabase(),)


def test_it_is_provisioned_when_the_server_answers() -> None:
    starts = decide(a_testbed({}), saw())
    assert status_of(starts, "Provisioned") == ("False", "Starting")
    answers = decide(a_testbed({}), saw(server_version="10.11.19-MariaDB", server_started=7.0))
    assert status_of(answers, "Provisioned")[0] == "True"
    assert answers.status.server_started == 7.0
    assert answers.status.phase == "Loading"


def test_another_version_than_the_templates_is_refused() -> None:
    decision = decide(a_testbed({}), saw(server_version="10.6.1-MariaDB", server_started=7.0))
    assert failure(decision) == "WrongVersion"
    fact = find(decision.status.conditions, "Failed")
    assert fact is not None
    assert "the image holds version 10.6.1-MariaDB but the template says 10.11" in fact.message


def test_a_server_that_may_not_open_files_for_all_its_clients_ends_it() -> None:
    """MySQL and MariaDB take fewer connections than they are set to, and say so in their log."""
    bed = a_testbed({})
    needed = bed.spec.max_connections
    few = decide(bed, saw(server_started=7.0, connections=needed - 1))
    assert failure(few) == "TooFewConnections"
    fact = find(few.status.conditions, "Failed")
    assert fact is not None
    assert "raise the limit of open files" in fact.message
    assert f"{needed:,} are needed" in fact.message
    enough = decide(bed, saw(server_started=7.0, connections=needed))
    assert status_of(enough, "Provisioned")[0] == "True"


def container(**state: Any) -> ContainerFacts:
    return ContainerFacts("server", **state)


NOT_UP = [
    ("nothing wrong to see", saw(database=STARTING), "ProvisionTimeout"),
    ("no pod", saw(database=None), "ProvisionTimeout"),
    ("no Secret", saw(has_credentials=False), "ProvisionTimeout"),
    ("no StatefulSet", saw(stateful_set=None), "ProvisionTimeout"),
    ("unschedulable", saw(database=a_pod(unschedulable="0/1 nodes")), "Unschedulable"),
    (
        "image",
        saw(database=a_pod("bed-0", container(waiting_reason="ErrImagePull"))),
        "ImagePullFailed",
    ),
    (
        "crash",
        saw(database=a_pod("bed-0", container(waiting_reason="CrashLoopBackOff"))),
        "ContainerFailed",
    ),
    (
        "memory",
        saw(database=a_pod("bed-0", container(exit_code=137, exit_reason="OOMKilled"))),
        "OOMKilled",
    ),
]


@pytest.mark.parametrize("state", ["terminated", "waiting"])
def test_settings_that_the_server_refuses_end_it_at_once_and_are_named(state: str) -> None:
    left = '{"refusedSettings": ["sort_bufer_size", "foo"]}'
    how: dict[str, Any] = {"exit_code": 78} if state == "terminated" else {}
    init = ContainerFacts("init:initialise", termination_message=left, **how)
    seen = saw(database=a_pod("bed-0", init))
    decision = decide(a_testbed({}, startTime=ago(1)), seen)
    assert failure(decision) == "SettingsRefused"
    fact = find(decision.status.conditions, "Failed")
    assert fact is not None
    assert "refuses settings.sort_bufer_size, settings.foo: correct them" in fact.message


def test_no_other_container_can_say_that_settings_are_refused() -> None:
    left = '{"refusedSettings": ["sort_bufer_size"]}'
    server = ContainerFacts("server", exit_code=1, termination_message=left)
    decision = decide(a_testbed({}, startTime=ago(1)), saw(database=a_pod("bed-0", server)))
    assert status_of(decision, "Provisioned") == ("False", "ContainerFailed")


def test_a_key_that_its_owner_has_not_marked_is_not_mounted() -> None:
    missing = Trouble("NotMarked", "Secret k is not marked")
    seen = saw(has_credentials=False, stateful_set=None, missing=missing)
    decision = decide(a_testbed({}, startTime=ago(1)), seen)
    assert status_of(decision, "Provisioned") == ("False", "NotMarked")
    assert not decision.effects
    assert failure(decide(a_testbed({}, startTime=ago(602)), seen)) == "NotMarked"


def test_what_the_installation_no_longer_has_holds_a_database_that_is_not_there_yet() -> None:
    seen = saw(has_credentials=False, stateful_set=None, lacking="set the chart's value")
    decision = decide(a_testbed({}, startTime=ago(1)), seen)
    assert status_of(decision, "Provisioned") == ("False", "NotInstalled")
    assert status_of(decision, "Hindered") == ("True", "NotInstalled")
    assert not decision.effects
    assert failure(decide(a_testbed({}, startTime=ago(602)), seen)) == "NotInstalled"
    made = decide(a_testbed({}, startTime=ago(1)), saw(lacking="set the chart's value"))
    assert status_of(made, "Provisioned") != ("False", "NotInstalled"), "its pod needs no other"


@pytest.mark.parametrize(("what", "seen", "reason"), NOT_UP, ids=[row[0] for row in NOT_UP])
def test_a_database_that_does_not_come_up_in_time_says_why(
    what: str, seen: TestbedSeen, reason: str
) -> None:
    assert not failure(decide(a_testbed({}, startTime=ago(599)), seen))
    late = decide(a_testbed({}, startTime=ago(602)), seen)
    assert failure(late) == reason
    fact = find(late.status.conditions, "Failed")
    assert fact is not None
    without = "statefulset bed has made no pod: kubectl events --for statefulset/bed says why"
    assert (fact.message == without) is (what == "no pod")


def test_room_that_only_other_cells_nodes_have_is_waited_for_without_a_deadline() -> None:
    stuck = saw(database=a_pod("bed-0", node=None, unschedulable="0 of 3 nodes"))
    alone = a_testbed({}, startTime=ago(602))
    assert failure(decide(alone, stuck)) == "Unschedulable"
    beside = replace(alone, spec=alone.spec.model_copy(update={"avoid": ["n1"]}))
    waits = decide(beside, stuck)
    assert not failure(waits)
    assert status_of(waits, "Provisioned") == ("Unknown", "NodeInUse")
    assert not find(waits.status.conditions, "Hindered")
    assert waits.requeue == 30.0
    # Once there is room, the step has all its time.
    facts = {"Provisioned": ("Unknown", 9000.0)}
    began = decide(replace(beside, status=a_testbed(facts, startTime=ago(9000)).status), saw())
    assert not failure(began)


def test_what_a_server_said_is_left_to_its_log() -> None:
    crashing = container(
        waiting_reason="CrashLoopBackOff",
        exit_reason="Error",
        restarts=2,
        termination_message='{"failure": "the-key-that-it-has-read"}',
    )
    decision = decide(a_testbed({}), saw(database=a_pod("bed-0", crashing)))
    fact = find(decision.status.conditions, "Provisioned")
    assert fact is not None
    assert fact.message == (
        "container server in pod bed-0 ended with Error: kubectl logs bed-0 -c server --previous "
        "says why"
    )


@pytest.mark.parametrize(
    ("found", "wanted", "same"),
    [
        ("10.11.19-MariaDB", "10.11", True),
        ("10.11.19-MariaDB-log", "10.11.19", True),
        ("10.11.19-MariaDB", "10.1", False),
        ("10.11.19-MariaDB", "11.4", False),
        ("8.0.36", "8", True),
    ],
)
def test_a_version_is_compared_number_by_number(found: str, wanted: str, same: bool) -> None:
    assert is_version(found, wanted) is same


# -- proving

UNSTORED = TestbedFound(nodes=ALONE, proof=FullProof(PROVEN, store_problem="away"))


def stored(proof: Any) -> TestbedFound:
    return TestbedFound(proof=FullProof(proof, "sha256:0"))


def test_a_proof_is_announced_and_made_once_its_server_is_there() -> None:
    decision = decide(a_testbed(LOADED), saw())
    assert status_of(decision, "Proven") == ("Unknown", "Proving")
    assert decision.effects == (ProveFully(DATABASE),)
    assert decide(a_testbed(LOADED), saw(database=STARTING)).effects == ()


@pytest.mark.parametrize("proof", [PROVEN, NOT_PROVEN], ids=["in force", "not in force"])
def test_it_is_ready_whatever_the_proof_says(proof: Any) -> None:
    decision = decide(a_testbed(LOADED), saw(found=stored(proof)))
    assert status_of(decision, "Proven")[0] == str(proof.ok)
    assert status_of(decision, "Ready")[0] == "True"
    assert decision.status.ready_time == ago(0)
    assert decision.status.proof_digest == "sha256:0"


def test_a_proof_counts_once_it_is_stored() -> None:
    decision = decide(a_testbed(LOADED), saw(found=UNSTORED))
    assert status_of(decision, "Proven") == ("Unknown", "Proving")
    assert wants(decision, ProveFully)
    waits = decide(without_store(loaded=3600.0, away=3500.0), saw(found=UNSTORED))
    assert not failure(waits), "the store may be away for longer than a proof may take"
    assert waits.requeue == 15.0
    long = decide(without_store(loaded=30 * 3600.0, away=1.0), saw(found=UNSTORED))
    assert not failure(long), "it was searched until now, and the store fails for the first time"
    over = decide(without_store(loaded=30 * 3600.0, away=24 * 3600 + 1.0), saw(found=UNSTORED))
    assert failure(over) == "ArchiveTimeout"


def without_store(loaded: float, away: float) -> objects.Testbed:
    """Loaded and hindered by the store for so many seconds."""
    facts = {**UP, "Loaded": ("True", loaded), "Hindered": ("True", away)}
    body = with_status(manifests.body(TESTBED, "bed", "ns"), facts)
    for fact in body["status"]["conditions"]:
        fact["reason"] = "NotStored" if fact["type"] == "Hindered" else fact["reason"]
    return objects.testbed(body)


def test_a_proof_that_cannot_be_made_in_time_fails_the_testbed() -> None:
    bed = a_testbed({**UP, "Loaded": ("True", 9000.0)})
    problem = "the agent cannot be reached"
    early = decide(bed, saw(found=TestbedFound(ALONE, problem=problem, asked=ago(599.0))))
    assert not failure(early)
    late = decide(bed, saw(found=TestbedFound(ALONE, problem=problem, asked=ago(602.0))))
    assert failure(late) == "ProofTimeout"


def test_a_proof_that_waits_for_its_turn_is_not_late() -> None:
    waits = decide(a_testbed({**UP, "Loaded": ("True", 9000.0)}), saw())
    assert not failure(waits)
    assert wants(waits, ProveFully)


def test_a_database_that_cannot_be_asked_has_no_turn_to_wait_for() -> None:
    def look(loaded: float, hindered: float, status: str = "True") -> TestbedDecision:
        facts = {**UP, "Loaded": ("True", loaded), "Hindered": (status, hindered)}
        return decide(a_testbed(facts), saw(database=STARTING))

    assert not failure(look(9000.0, 599.0))
    assert not failure(look(599.0, 9000.0)), "what hindered the load is no part of it"
    assert failure(look(9000.0, 602.0)) == "ProofTimeout"
    blip = look(9000.0, 8000.0, "False")
    assert not failure(blip), "it was ready until now, and waited for its turn"
    fact = find(blip.status.conditions, "Hindered")
    assert fact is not None
    assert (fact.status, fact.reason) == ("True", "PodNotReady")
    assert not failure(decide(a_testbed({**UP, "Loaded": ("True", 9000.0)}), saw(database=None)))


def test_a_database_that_is_lost_while_it_rests_has_the_time_of_both() -> None:
    def look(resting: float) -> TestbedDecision:
        facts = {**UP, "Loaded": ("True", 9000.0), "Hindered": ("True", 8000.0)}
        found = TestbedFound(ALONE, resting=ago(resting))
        return decide(a_testbed(facts), saw(database=STARTING, found=found))

    assert not failure(look(1199.0)), "its rest was a hindrance before it was lost"
    assert failure(look(1202.0)) == "ProofTimeout"


# -- ready, and failed


def test_a_database_that_does_not_come_back_is_given_up() -> None:
    facts = {**LOADED, "Proven": ("True", 3000.0), "Ready": ("True", 3000.0)}
    first = decide(a_testbed(facts), saw(database=None))
    assert "PodNotReady" in [one.reason for one in first.effects if isinstance(one, Announce)]
    away = {**facts, "Ready": ("False", 599.0)}
    assert not failure(decide(a_testbed(away), saw(database=None)))
    late = decide(a_testbed({**facts, "Ready": ("False", 602.0)}), saw(database=None))
    assert failure(late) == "PodNotReady"
    unready = replace(a_pod("bed-0", container()), node="n2")
    fact = find(decide(a_testbed(away), saw(database=unready)).status.conditions, "Ready")
    assert fact is not None
    assert fact.message == "the database pod bed-0 on node n2 is not ready"


def test_a_start_that_took_long_is_no_absence() -> None:
    facts = {**LOADED, "Proven": ("True", 9000.0), "Ready": ("False", 6000.0)}
    run = {"start": "run", "reset": "", "askedTime": ago(6000), "readyTime": ago(5)}
    found = decide(a_testbed(facts, run=run), saw(database=None))
    assert not failure(found)


def test_it_is_ready_as_long_as_its_pod_is() -> None:
    facts = {**LOADED, "Proven": ("True", 3.0), "Ready": ("True", 3.0)}
    gone = decide(a_testbed(facts), saw(database=None))
    assert status_of(gone, "Ready") == ("False", "PodNotReady")
    again = decide(a_testbed({**facts, "Ready": ("False", 3.0)}), saw())
    assert status_of(again, "Ready")[0] == "True"


def test_a_failed_testbed_does_nothing_more() -> None:
    facts = {"Failed": ("True", 3.0), "Ready": ("False", 3.0)}
    decision = decide(a_testbed(facts, startTime=ago(9)), saw(has_credentials=False))
    assert decision.effects == ()
    assert decision.requeue is None
    assert decision.status.phase == "Failed"

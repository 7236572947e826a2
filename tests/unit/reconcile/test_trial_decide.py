"""What a trial does until its release: each step, each deadline with its reason."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.tpcc import Tpcc
from encbench.reconcile.effects.effect import CreateJob, Gather, Prove
from encbench.reconcile.pods import ContainerFacts, JobFacts
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import TrialDecision
from encbench.reconcile.trial.facts import ClientPod, TrialSeen
from tests.unit.reconcile.seen import (
    NOT_PROVEN,
    NOW,
    PROVEN,
    UNIX,
    a_client,
    a_pod,
    a_testbed,
    a_trial,
    ago,
    found,
    ready,
    saw,
    status_of,
    wants,
)
from tests.unit.reconcile.trials import MEASURED, RUNNING, verdict


def test_at_first_the_job_is_created_and_the_start_noted() -> None:
    decision = decide(a_trial(startTime=None), saw(job=None))
    assert wants(decision, CreateJob)
    assert decision.status.start_time == ago(0)
    assert decision.status.phase == "Preparing"


def test_a_job_that_exists_is_not_created_again() -> None:
    assert not wants(decide(a_trial(), saw()), CreateJob)


def test_a_proof_is_written_down_with_the_servers_start() -> None:
    decision = decide(a_trial(), saw(found=found(PROVEN, 5.0)))
    assert status_of(decision, "ProvenBefore")[0] == "True"
    assert decision.status.server_started == 5.0


def test_what_comes_shortly_before_the_release_is_written_with_it() -> None:
    trial = a_trial({"ProvenBefore": ("Unknown", 1.0), "Prepared": ("False", 1.0)})
    for seen in (saw(found=found(PROVEN, 5.0)), saw(a_client())):
        half = decide(trial, seen)
        assert half.status == trial.status
        assert half.requeue is not None and half.requeue < 1
    late = decide(
        replace(trial, status=trial.status.model_copy(update={"start_time": ago(6)})), seen
    )
    assert status_of(late, "Prepared")[0] == "True", "people are not kept waiting"
    both = decide(trial, saw(a_client(), found=found(PROVEN, 5.0)))
    for fact in ("ProvenBefore", "Prepared", "Released"):
        assert status_of(both, fact)[0] == "True"
    assert both.status.server_started == 5.0


def test_what_keeps_clients_from_starting_is_told_at_once() -> None:
    client = a_client(None, waiting("ImagePullBackOff", "no such image"))
    decision = decide(a_trial(), saw(client, found=found(PROVEN, 5.0)))
    assert status_of(decision, "Hindered")[0] == "True"
    assert status_of(decision, "ProvenBefore")[0] == "True"


def test_a_failed_proof_ends_it() -> None:
    decision = decide(a_trial(), saw(a_client(), found=found(NOT_PROVEN)))
    assert verdict(decision) == ("Invalid", "ProofFailed")
    assert decision.effects == ()


def test_a_testbed_that_was_not_proven_ends_it() -> None:
    bed = a_testbed({"Ready": ("True", 9.0), "Proven": ("False", 9.0)})
    decision = decide(a_trial(), saw(testbed=bed))
    assert verdict(decision) == ("Invalid", "ProofFailed")
    assert decision.status.message == "Proven is False"


def test_it_is_released_once_all_wait_and_the_mode_is_proven() -> None:
    decision = decide(a_trial({"ProvenBefore": ("True", 1.0)}), saw(a_client()))
    assert status_of(decision, "Released")[0] == "True"
    assert decision.status.release_at == pytest.approx(UNIX + 0.3)
    assert decision.effects == (), "the status comes first"


def test_it_is_not_released_before_every_client_waits() -> None:
    trial = a_trial({"ProvenBefore": ("True", 1.0)}, replicas=2)
    decision = decide(trial, saw(a_client(), a_client(None)))
    assert status_of(decision, "Released")[0] == ""
    fact = find(decision.status.conditions, "Prepared")
    assert fact is not None
    assert fact.message == "1 of 2 client(s) are ready to start"


def test_many_clients_get_time_to_hear_of_their_start() -> None:
    trial = a_trial({"ProvenBefore": ("True", 1.0)}, replicas=64)
    decision = decide(trial, saw(*[a_client() for _ in range(64)]))
    assert status_of(decision, "Released")[0] == "True"
    assert decision.status.release_at == pytest.approx(UNIX + 0.3 + 63 * 0.03)


def test_pods_that_start_are_not_counted() -> None:
    """Each of 64 counts would be a write."""
    trial = a_trial(replicas=64)
    for started in (1, 63):
        decision = decide(trial, saw(*[a_client(None) for _ in range(started)]))
        fact = find(decision.status.conditions, "Prepared")
        assert fact is not None
        assert fact.message == "waits for 64 client pods to start"


def waiting(reason: str, message: str = "") -> ContainerFacts:
    return ContainerFacts("tool", waiting_reason=reason, waiting_message=message)


CANNOT_START = [
    (a_client(None, unschedulable="0/1 nodes are available"), "Unschedulable"),
    (a_client(None, waiting("ImagePullBackOff", "no such image")), "ImagePullFailed"),
    (a_client(None, waiting("ErrImageNeverPull")), "ImagePullFailed"),
    (a_client(None, waiting("CreateContainerConfigError", "no Secret")), "ContainerFailed"),
    (a_client(None, ContainerFacts("tool", exit_code=1, exit_reason="Error")), "ContainerFailed"),
    (a_client(None, ContainerFacts("tool", exit_code=137, exit_reason="OOMKilled")), "OOMKilled"),
    (a_client(None, *ready("tool", "recorder")), "StartTimeout"),
]


@pytest.mark.parametrize(("client", "reason"), CANNOT_START)
def test_clients_that_do_not_start_in_time_say_why(client: ClientPod, reason: str) -> None:
    facts = {"ProvenBefore": ("True", 1.0)}
    early = decide(a_trial({**facts, "Prepared": ("False", 299.0)}), saw(client))
    assert early.status.outcome is None
    late = decide(a_trial({**facts, "Prepared": ("False", 302.0)}), saw(client))
    assert verdict(late) == ("Failed", reason)
    assert late.status.message


def test_clients_that_have_no_pod_by_then_say_where_it_stands_why() -> None:
    late = decide(a_trial({"ProvenBefore": ("True", 1.0), "Prepared": ("False", 302.0)}), saw())
    assert verdict(late) == ("Failed", "StartTimeout")
    told = "job run has made no pod: kubectl events --for job/run says why"
    assert late.status.message == told


def test_one_of_several_clients_that_has_no_pod_is_told_likewise() -> None:
    """As under a quota that has room for one of them."""
    told = "job run has made 1 of 2 pods: kubectl events --for job/run says why"
    for waited, is_told in ((2.0, False), (9.0, True)):
        facts = {"ProvenBefore": ("True", 1.0), "Prepared": ("False", waited)}
        waits = decide(a_trial(facts, replicas=2), saw(a_client()))
        hindered = find(waits.status.conditions, "Hindered")
        assert (hindered is not None and hindered.message == told) is is_told
    facts = {"ProvenBefore": ("True", 1.0), "Prepared": ("False", 302.0)}
    late = decide(a_trial(facts, replicas=2), saw(a_client()))
    assert (verdict(late), late.status.message) == (("Failed", "StartTimeout"), told)
    both = decide(a_trial(facts, replicas=2), saw(a_client(), a_client(None, index=1)))
    assert both.status.message == "the clients were not ready to start in time"


def test_a_recorder_that_cannot_be_asked_is_named() -> None:
    why = "the recorder at 10.0.0.1:8443 cannot be reached: no connection within 10 s"
    told = f"the recorder of pod run-0 does not answer: {why}"

    def silent(running: float) -> ClientPod:
        since = NOW.timestamp() - running
        recorder = ContainerFacts("recorder", running=True, running_since=since)
        return a_client(None, *ready("tool"), recorder, silence=why)

    def waits(running: float, waited: float = 60.0) -> TrialDecision:
        facts = {"ProvenBefore": ("True", 1.0), "Prepared": ("False", waited)}
        return decide(a_trial(facts, startTime=ago(400)), saw(silent(running)))

    soon = waits(2.0).status.conditions
    assert find(soon, "Hindered") is None, "it has just started"
    prepared = find(soon, "Prepared")
    assert prepared is not None and prepared.message == "waits for 1 client pod to start"
    facts = waits(9.0).status.conditions
    hindered, prepared = find(facts, "Hindered"), find(facts, "Prepared")
    assert hindered is not None and prepared is not None
    assert (hindered.reason, hindered.message) == ("NoAnswer", told)
    assert prepared.message == told, "the pod has started"
    late = waits(300.0, 302.0)
    assert verdict(late) == ("Failed", "StartTimeout")
    assert late.status.message == f"the clients were not ready to start in time: {told}"


def test_a_client_job_that_failed_is_not_waited_for() -> None:
    tool = ContainerFacts("tool", exit_code=70, exit_reason="Error", termination_message="no FIFO")
    decision = decide(a_trial(), saw(a_client(None, tool), job=JobFacts("job", failed=True)))
    assert verdict(decision) == ("Failed", "ContainerFailed")
    assert "exit code 70" in (decision.status.message or "")
    assert "no FIFO" not in (decision.status.message or "")


def test_a_proof_that_cannot_be_made_in_time_ends_it() -> None:
    known = found(problem="the agent cannot be reached", asked={"before": ago(9e4)})
    seen = saw(a_client(), found=known)
    assert decide(a_trial({"ProvenBefore": ("Unknown", 599.0)}), seen).status.outcome is None
    late = decide(a_trial({"ProvenBefore": ("Unknown", 602.0)}), seen)
    assert verdict(late) == ("Failed", "ProofTimeout")
    assert "the agent cannot be reached" in (late.status.message or "")


@pytest.mark.parametrize(
    ("is_lost", "told"),
    [
        (False, ("NoAnswer", "the agent cannot be reached")),
        (True, ("NodeLost", "node node-1 of pod bed-0 does not answer")),
    ],
)
@pytest.mark.parametrize("facts", [{}, MEASURED])
def test_whoever_does_not_answer_a_proof_is_named(
    facts: Any, is_lost: bool, told: tuple[str, str]
) -> None:
    database = a_pod("bed-0", *ready("server", "agent"), is_silent=is_lost)
    seen = saw(a_client(), database=database, found=found(problem="the agent cannot be reached"))
    fact = find(decide(a_trial(facts), seen).status.conditions, "Hindered")
    assert fact is not None
    assert (fact.reason, fact.message) == told


GONE = [
    (saw(testbed=None), "TestbedGone"),
    (saw(testbed=a_testbed({"Failed": ("True", 1.0)})), "TestbedFailed"),
]


@pytest.mark.parametrize(("seen", "reason"), GONE)
@pytest.mark.parametrize("facts", [{}, RUNNING, MEASURED])
def test_without_its_testbed_a_trial_fails(seen: TrialSeen, reason: str, facts: Any) -> None:
    assert verdict(decide(a_trial(facts), seen)) == ("Failed", reason)


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_trial_that_only_waits_for_the_store_needs_no_testbed(is_deleted: bool) -> None:
    trial = a_trial({**MEASURED, "ProvenAfter": ("True", 3.0)})
    failed = replace(a_testbed({"Failed": ("True", 1.0)}), deleting=is_deleted)
    seen = saw(a_client("uploaded"), testbed=failed, database=None)
    decision = decide(trial, seen)
    assert decision.status.outcome is None
    assert wants(decision, Gather)
    checked = trial.spec.workload.model_copy(update={"sysbench": None, "tpcc": Tpcc(warehouses=1)})
    unchecked = replace(trial, spec=trial.spec.model_copy(update={"workload": checked}))
    assert verdict(decide(unchecked, seen))[0] == "Failed", "its tables are not checked yet"


def test_the_mode_is_proven_while_the_clients_start() -> None:
    decision = decide(a_trial(), saw(job=None))
    assert [type(effect) for effect in decision.effects] == [CreateJob, Prove]
    fact = find(decision.status.conditions, "ProvenBefore")
    assert fact is not None
    assert (fact.status, fact.reason) == ("Unknown", "Proving"), "it is announced"
    again = decide(a_trial(), saw(found=found(problem="away")))
    assert wants(again, Prove)
    assert not wants(decide(a_trial(), saw(database=None)), Prove), "there is no server to ask"
    starting = a_testbed({"Ready": ("False", 1.0)})
    assert not wants(decide(a_trial(), saw(testbed=starting)), Prove)
    proven = a_trial({"ProvenBefore": ("True", 1.0)})
    assert not wants(decide(proven, saw()), Prove)

"""What a trial does next: each step, each deadline with its reason, each disruption."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.tpcc import Tpcc
from encbench.api.workload import Recovery
from encbench.core.records import RecoveryFacts, RecoveryRecord, ServerProcess
from encbench.reconcile.absences import Absences
from encbench.reconcile.claims import NodeStanding
from encbench.reconcile.effects.effect import (
    CreateJob,
    DisarmServer,
    Gather,
    KeepRecovery,
    Prove,
    ReleaseClients,
)
from encbench.reconcile.pods import ContainerFacts, JobFacts, pod_facts
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import TrialDecision
from encbench.reconcile.trial.facts import ClientPod, Stopped, TrialSeen
from encbench.wire.recorder import RunStateName
from tests.unit.reconcile.seen import (
    NOT_PROVEN,
    NOW,
    PROVEN,
    a_client,
    a_pod,
    a_testbed,
    a_trial,
    absent,
    ago,
    found,
    ready,
    saw,
    wants,
)

UNIX = NOW.timestamp()
BEFORE = {"Prepared": ("True", 10.0), "ProvenBefore": ("True", 10.0)}
RUNNING = {**BEFORE, "Released": ("True", 9.0)}
MEASURED = {**RUNNING, "Measured": ("True", 4.0)}
PROVEN_TWICE = {**MEASURED, "ProvenAfter": ("True", 4.0)}
FINISHED: RunStateName = "finished"
UPLOADED: RunStateName = "uploaded"


def verdict(decision: TrialDecision) -> tuple[str | None, str | None]:
    return decision.status.outcome, decision.status.reason


def released(decision: TrialDecision) -> tuple[ClientPod, ...]:
    return next((e.clients for e in decision.effects if isinstance(e, ReleaseClients)), ())


def status_of(decision: TrialDecision, kind: str) -> str | None:
    found = find(decision.status.conditions, kind)
    return found.status if found else None


# -- before the release


def test_at_first_the_job_is_created_and_the_start_noted() -> None:
    decision = decide(a_trial(startTime=None), saw(job=None))
    assert wants(decision, CreateJob)
    assert decision.status.start_time == ago(0)
    assert decision.status.phase == "Preparing"


def test_a_job_that_exists_is_not_created_again() -> None:
    assert not wants(decide(a_trial(), saw()), CreateJob)


def test_a_proof_is_written_down_with_the_servers_start() -> None:
    decision = decide(a_trial(), saw(found=found(PROVEN, 5.0)))
    assert status_of(decision, "ProvenBefore") == "True"
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
    assert status_of(late, "Prepared") == "True", "people are not kept waiting"
    both = decide(trial, saw(a_client(), found=found(PROVEN, 5.0)))
    for fact in ("ProvenBefore", "Prepared", "Released"):
        assert status_of(both, fact) == "True"
    assert both.status.server_started == 5.0


def test_what_keeps_clients_from_starting_is_told_at_once() -> None:
    client = a_client(None, waiting("ImagePullBackOff", "no such image"))
    decision = decide(a_trial(), saw(client, found=found(PROVEN, 5.0)))
    assert status_of(decision, "Hindered") == "True"
    assert status_of(decision, "ProvenBefore") == "True"


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
    assert status_of(decision, "Released") == "True"
    assert decision.status.release_at == pytest.approx(UNIX + 0.3)
    assert decision.effects == (), "the status comes first"


def test_it_is_not_released_before_every_client_waits() -> None:
    trial = a_trial({"ProvenBefore": ("True", 1.0)}, replicas=2)
    decision = decide(trial, saw(a_client(), a_client(None)))
    assert status_of(decision, "Released") is None
    fact = find(decision.status.conditions, "Prepared")
    assert fact is not None
    assert fact.message == "1 of 2 client(s) are ready to start"


def test_many_clients_get_time_to_hear_of_their_start() -> None:
    trial = a_trial({"ProvenBefore": ("True", 1.0)}, replicas=64)
    decision = decide(trial, saw(*[a_client() for _ in range(64)]))
    assert status_of(decision, "Released") == "True"
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


# -- while it runs


def run(*clients: ClientPod, late: float = 0.0, **fields: Any) -> TrialDecision:
    """A decision so many seconds after the planned end of the tool; before it when negative."""
    replicas = fields.pop("replicas", 1)
    trial = a_trial(RUNNING, releaseAt=UNIX - 70.0 - late, replicas=replicas)
    return decide(trial, saw(*clients, **fields))


def test_clients_that_still_wait_are_told_to_start() -> None:
    decision = run(a_client(), late=-70.3)
    assert [c.pod.name for c in released(decision)] == ["run-0"]
    assert decision.requeue == pytest.approx(0.2)


def test_when_nobody_was_told_in_time_there_is_a_new_moment_of_which_all_hear_at_once() -> None:
    decision = run(a_client(), late=-60)
    assert [c.pod.name for c in released(decision)] == ["run-0"]
    assert decision.status.release_at == pytest.approx(UNIX + 0.3)
    assert decision.status.outcome is None


def test_when_only_some_were_told_in_time_they_did_not_start_together() -> None:
    decision = run(a_client("running"), a_client(), late=-60, replicas=2)
    assert verdict(decision) == ("Invalid", "Disrupted")


def test_clients_that_cannot_be_told_are_given_up() -> None:
    trial = a_trial({**BEFORE, "Released": ("True", 400.0)}, releaseAt=UNIX - 5)
    assert verdict(decide(trial, saw(a_client()))) == ("Failed", "StartTimeout")
    assert verdict(decide(trial, saw(a_client(), absences=absent(300)))) == (None, None)


@pytest.mark.parametrize(
    ("left", "delay"),
    [(60, 15.0), (3, 3.0), (0.05, 0.2), (-1, 0.2), (-6, 0.6), (-60, 1.0)],
    ids=str,
)
def test_it_looks_seldom_while_the_tool_runs_and_often_around_its_end(
    left: float, delay: float
) -> None:
    assert run(a_client("running"), late=-left).requeue == pytest.approx(delay, abs=0.01)


def test_a_tool_that_does_not_end_is_given_up() -> None:
    assert run(a_client("running"), late=119).status.outcome is None
    assert verdict(run(a_client("running"), late=121)) == ("Failed", "Overrun")


def test_a_clock_that_is_set_back_leaves_it_no_more_time() -> None:
    """The trial was released a day later than now, by the clock of then."""
    back = Absences().and_step(NOW - timedelta(seconds=60), 86400, ago=2)
    assert run(a_client("running"), late=119 - 86400, absences=back).status.outcome is None
    late = run(a_client("running"), late=121 - 86400, absences=back)
    assert verdict(late) == ("Failed", "Overrun")


def test_what_nobody_could_say_while_the_api_server_was_away_is_waited_for() -> None:
    assert run(a_client(None), late=600, absences=absent(650, 1)).status.outcome is None
    assert verdict(run(a_client(None), late=722, absences=absent(650, 50)))[1] == "Overrun"


def stopped(late: float, of: Stopped | None = None, **fields: Any) -> TrialDecision:
    """The same of a recovery whose client was cut off, where its server's agent may not answer."""
    trial = a_trial(RUNNING, releaseAt=UNIX - 70.0 - late)
    recovery = trial.spec.workload.model_copy(update={"recovery": Recovery(stop="Crash")})
    crashing = replace(trial, spec=trial.spec.model_copy(update={"workload": recovery}))
    return decide(crashing, saw(a_client(FINISHED, exit_code=1), stopped=of, **fields))


def test_an_agent_is_waited_for_without_the_operator_s_absences() -> None:
    assert status_of(stopped(600), "Recovered") is None
    assert status_of(stopped(3600), "Recovered") == "False"
    assert status_of(stopped(3600, absences=absent(3500)), "Recovered") is None


def early(state: str | None, *, late: float = -30.0, **fields: Any) -> TrialDecision:
    """A pass over a recovery whose client was deleted before its server was to be stopped."""
    at = UNIX - 70.0 - late
    trial = a_trial(RUNNING, releaseAt=at, outcome="Invalid", reason="Disrupted")
    recovery = trial.spec.workload.model_copy(update={"recovery": Recovery(stop="Crash")})
    crashing = replace(trial, spec=trial.spec.model_copy(update={"workload": recovery}))
    said = {"stopped": None if state is None else Stopped(state), "job": None}
    return decide(crashing, saw(**{**said, **fields}))


def test_a_trial_that_ends_early_has_its_server_not_stopped_any_more() -> None:
    armed = early("armed")
    assert wants(armed, DisarmServer)
    assert status_of(armed, "Measured") is None, "it keeps the stage"
    for state in ("disarmed", "unknown"):
        over = early(state)
        assert not wants(over, DisarmServer)
        assert status_of(over, "Measured") == "False"


@pytest.mark.parametrize("state", ["stopping", "starting", None])
def test_a_server_that_may_be_on_its_way_back_is_waited_for(state: str | None) -> None:
    assert status_of(early(state, late=5.0), "Measured") is None
    assert status_of(early(state, late=7200.0), "Measured") == "False", "not for ever"
    assert status_of(early(state, database=None), "Measured") == "False", "there is none"


def test_an_agent_that_keeps_the_stage_by_its_silence_is_named() -> None:
    silent = early(None, late=5.0, stop_problem="the agent at x cannot be reached")
    assert status_of(silent, "Hindered") == "True"
    assert status_of(early("stopping", late=5.0), "Hindered") != "True"


def test_a_tool_that_fails_early_ends_with_its_own_reason() -> None:
    armed = stopped(-30.0, Stopped("armed"))
    assert wants(armed, DisarmServer)
    assert status_of(armed, "Measured") is None
    failed = stopped(-30.0, Stopped("disarmed"))
    assert status_of(failed, "Measured") == "False"
    assert not wants(failed, DisarmServer)


@pytest.mark.parametrize(
    ("codes", "end"),
    [((1, 1), (None, None)), ((0, 1), ("Invalid", "NotUnderLoad"))],
    ids=["cut-off", "one-had-ended"],
)
def test_a_stop_has_to_cut_off_every_client(
    codes: tuple[int, ...], end: tuple[str | None, str | None]
) -> None:
    """One that had ended by itself was no load for the server to be stopped under."""
    facts = {**RUNNING, "Recovered": ("True", 1.0)}
    trial = a_trial(facts, releaseAt=UNIX - 75.0, replicas=2)
    recovery = trial.spec.workload.model_copy(update={"recovery": Recovery(stop="Crash")})
    crashing = replace(trial, spec=trial.spec.model_copy(update={"workload": recovery}))
    clients = [a_client(FINISHED, exit_code=code) for code in codes]
    assert verdict(decide(crashing, saw(*clients))) == end


def test_a_store_is_waited_for_without_the_operator_s_absences() -> None:
    kept = Stopped("recovered", RecoveryRecord(ok=True, reason="Answered", message=""))
    assert wants(stopped(60, kept), KeepRecovery)
    assert not wants(stopped(89000, kept), KeepRecovery)
    assert wants(stopped(89000, kept, absences=absent(86000)), KeepRecovery)


def test_however_long_a_recovery_takes_its_record_is_stored() -> None:
    server = ServerProcess(process_id=7, started_at=UNIX)
    facts = RecoveryFacts(
        stop="Crash",
        signal="SIGKILL",
        before=server,
        after=server,
        stopped_at=UNIX,
        stop_seconds=1.0,
        restart_seconds=2.0,
        recovery_seconds=4000.0,
        resolution_seconds=0.1,
    )
    record = RecoveryRecord(ok=True, reason="Answered", message="", facts=facts)
    kept = Stopped("recovered", record)
    assert wants(stopped(86400 + 4002, kept), KeepRecovery)
    assert not wants(stopped(86400 + 4004, kept), KeepRecovery)


def test_a_start_is_not_agreed_on_anew_while_others_may_have_the_nodes() -> None:
    waits = run(a_client(), late=-60, found=found(nodes=NodeStanding()))
    assert released(waits) == ()
    assert status_of(waits, "Alone") == "False"
    facts = {**RUNNING, "Released": ("True", 1e4), "Alone": ("False", 9e3)}
    again = a_trial(facts, releaseAt=UNIX - 1e4)
    assert status_of(decide(again, saw(a_client())), "Alone") == "True"
    assert released(decide(again, saw(a_client()))) != ()


def test_a_client_on_a_lost_node_spoils_its_trial_alone() -> None:
    clients = (a_client(FINISHED, exit_code=0), a_client(None, node="n2", is_silent=True))
    assert run(*clients, replicas=2, late=119).status.outcome is None, "the node may come back"
    # Of two clients the load begins a second later, because they gather.
    assert run(*clients, replicas=2, late=121).status.outcome is None
    decision = run(*clients, replicas=2, late=122.3)
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert decision.status.message == "node n2 of pod run-0 was lost while the trial ran"


def ended(name: str, code: int) -> ContainerFacts:
    return ContainerFacts(name, exit_code=code)


RUN: RunStateName = "running"
DISRUPTED = [
    ("database pod gone", run(a_client(RUN), database=None)),
    ("database pod deleted", run(a_client(RUN), database=a_pod(deleting=True))),
    ("client pod gone", run()),
    ("client pod deleted", run(a_client(RUN, deleting=True))),
    ("one client too many", run(a_client(RUN), a_client(RUN))),
    ("container restarted", run(a_client(RUN, ContainerFacts("tool", restarts=1)))),
    ("recorder died", run(a_client(None, ended("recorder", 1)))),
    ("pod evicted", run(a_client(None, ContainerFacts("recorder"), phase="Failed"))),
]


@pytest.mark.parametrize(("what", "decision"), DISRUPTED, ids=[what for what, _ in DISRUPTED])
def test_what_happens_to_a_pod_in_the_window_is_a_disruption(
    what: str, decision: TrialDecision
) -> None:
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert "while the trial ran" in (decision.status.message or "")


def test_of_an_evicted_pod_it_says_why() -> None:
    status = {
        "phase": "Failed",
        "reason": "Evicted",
        "message": 'Usage of EmptyDir volume "run" exceeds the limit "1Gi". ',
    }
    meta = {"name": "run-0", "uid": "run-0", "creationTimestamp": ago(60)}
    decision = run(ClientPod(pod_facts({"metadata": meta, "status": status})))
    assert decision.status.message == (
        "the recorder of pod run-0 died while the trial ran "
        '(Evicted: Usage of EmptyDir volume "run" exceeds the limit "1Gi".)'
    )


def test_a_recorder_that_gives_up_says_why() -> None:
    said = '{"prefix": "p", "digests": {}, "error": "cannot write series.csv: No space left"}'
    decision = run(
        a_client(None, ContainerFacts("recorder", exit_code=1, termination_message=said))
    )
    assert decision.status.message == (
        "the recorder of pod run-0 died while the trial ran "
        "(cannot write series.csv: No space left)"
    )


def test_of_a_restart_it_says_which_container_and_how_that_had_ended() -> None:
    tool = ContainerFacts("tool", restarts=1, exit_reason="OOMKilled", last_exit_code=137)
    decision = run(a_client(RUN, tool))
    assert decision.status.message == (
        "container tool of pod run-0 restarted after OOMKilled (exit code 137) while the trial ran"
    )


def test_a_container_that_was_started_twice_before_the_release_disturbs_nothing() -> None:
    def look(restarts: int) -> TrialDecision:
        client = a_client(RUN, ContainerFacts("tool", restarts=restarts))
        place = {"uid": client.pod.uid, "node": "n1", "restarts": 1}
        trial = a_trial(RUNNING, releaseAt=UNIX - 60.0, pods={"clients": [place]})
        return decide(trial, saw(client))

    assert look(1).status.outcome is None
    assert verdict(look(2)) == ("Invalid", "Disrupted")


@pytest.mark.parametrize(
    ("codes", "measured"), [((0, 0), "True"), ((0, 1), "False"), ((0, None), "False")]
)
def test_it_is_measured_when_every_tool_ended_well(
    codes: tuple[int | None, ...], measured: str
) -> None:
    clients = [a_client(FINISHED, exit_code=code) for code in codes]
    decision = run(*clients, replicas=2)
    assert status_of(decision, "Measured") == measured
    assert decision.status.outcome is None


FAILED = ContainerFacts("tool", exit_code=3, exit_reason="Error")
"""How one of two tools has ended; its pod fails, and the Job deletes the other's."""


def failed(tool: ContainerFacts = FAILED, **pod: Any) -> ClientPod:
    """A client whose tool failed and whose log is stored."""
    code = tool.exit_code
    return a_client(UPLOADED, tool, ended("recorder", 0), exit_code=code, phase="Failed", **pod)


OTHERS = [
    ("it runs on", (a_client(RUN),)),
    ("it is being deleted", (a_client(RUN, deleting=True),)),
    ("its tool was cut off", (a_client(FINISHED, exit_code=143, deleting=True),)),
    ("it is gone", ()),
]


@pytest.mark.parametrize(("what", "others"), OTHERS, ids=[row[0] for row in OTHERS])
def test_one_tool_that_fails_ends_its_trial_whatever_becomes_of_the_others(
    what: str, others: tuple[ClientPod, ...]
) -> None:
    decision = run(failed(), *others, replicas=2, late=-30)
    assert verdict(decision) == ("Failed", "ToolFailed")
    assert decision.status.message == "the tool ended with code 3"
    killed = ContainerFacts("tool", exit_code=137, exit_reason="OOMKilled")
    decision = run(failed(killed), *others, replicas=2, late=-30)
    assert verdict(decision) == ("Failed", "OOMKilled")
    assert "raise client.resources.memory" in (decision.status.message or "")
    assert status_of(decision, "Measured") is None, "the others may load the database yet"


def test_a_tool_that_fails_on_a_full_volume_says_so() -> None:
    full = "the volume of bed-0 has 3 MiB left"
    early = run(failed(), a_client(RUN), replicas=2, late=-30, full=full)
    assert early.status.message == f"the tool ended with code 3; {full}"
    measured = find(run(failed(), full=full).status.conditions, "Measured")
    assert measured is not None
    assert measured.message == f"the tool ended with code 3; {full}"


EVICTED = {"phase": "Failed", "ended_by": "Terminated: the node is being shut down"}


@pytest.mark.parametrize("state", [FINISHED, UPLOADED])
def test_a_client_that_its_node_ends_disrupts_its_trial_though_its_log_is_stored(
    state: RunStateName,
) -> None:
    client = a_client(state, exit_code=143, **EVICTED)
    decision = run(client)
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert decision.status.message == (
        "node node-1 ended pod run-0 (Terminated: the node is being shut down) while the trial ran"
    )
    assert run(a_client(state, exit_code=0, **EVICTED)).status.outcome is None, "it was done"
    assert verdict(run(a_client(UPLOADED, exit_code=143)))[0] != "Invalid"


def test_what_the_kubelet_says_after_the_recorder_counts_too() -> None:
    facts = {**PROVEN_TWICE, "Measured": ("False", 3.0)}
    for fields, outcome in ((EVICTED, "Invalid"), ({}, "Failed")):
        decision = decide(a_trial(facts), saw(a_client(UPLOADED, exit_code=143, **fields)))
        assert verdict(decision)[0] == outcome


def test_a_tool_that_fails_for_a_reason_that_is_known_says_it() -> None:
    end = "[ 9s ] queue length: 131071, concurrency: 8\nFATAL: The event queue is full. This means"
    full = ContainerFacts("tool", exit_code=1, exit_reason="Error", termination_message=end)
    said = "the tool ended with code 1: 131,071 transactions wait in sysbench, which is all that "
    early = run(failed(full), a_client(RUN), replicas=2, late=-30)
    assert verdict(early) == ("Failed", "ToolFailed")
    assert (early.status.message or "").startswith(said)
    alone = find(run(failed(full)).status.conditions, "Measured")
    assert alone is not None
    assert alone.message.startswith(said)


def test_the_log_of_a_tool_that_failed_is_stored_before_its_trial_ends() -> None:
    client = a_client(FINISHED, FAILED, *ready("recorder"), exit_code=3)
    assert run(client, a_client(RUN), replicas=2, late=-30).status.outcome is None


def test_a_tool_that_fails_with_its_server_or_its_pod_is_no_failure_of_its_own() -> None:
    def ends(**fields: Any) -> Any:
        return verdict(run(fields.pop("client", failed()), a_client(RUN), replicas=2, **fields))

    def server(**fields: Any) -> Any:
        return a_pod("bed-0", ContainerFacts("server", **fields), *ready("agent"))

    assert ends(database=None) == ("Invalid", "Disrupted")
    assert ends(client=failed(deleting=True)) == ("Invalid", "Disrupted")
    assert ends(database=server(exit_code=137, exit_reason="OOMKilled")) == ("Invalid", "OOMKilled")
    back = server(running=True, running_since=UNIX - 2)
    assert ends(database=back) == ("Invalid", "Disrupted")
    before = server(running=True, running_since=UNIX - 900)
    assert ends(database=before) == ("Failed", "ToolFailed")
    evicted = failed()
    evicted = replace(evicted, pod=replace(evicted.pod, ended_by="Evicted: low on memory."))
    assert ends(client=evicted) == ("Invalid", "Disrupted")


@pytest.mark.parametrize(
    ("after", "outcome"), [(-1.0, "Failed"), (1.0, "Failed"), (3.0, "Invalid")]
)
def test_a_server_s_restart_is_seen_by_the_clock_of_its_own_node(
    after: float, outcome: str
) -> None:
    """That is a minute ahead of ours here, and agent and kubelet leave out parts of a second."""
    started = UNIX + 60
    server = ContainerFacts("server", running=True, running_since=started + after)
    trial = a_trial(RUNNING, releaseAt=UNIX - 30, serverStarted=started, replicas=2)
    seen = saw(failed(), a_client(RUN), database=a_pod("bed-0", server, *ready("agent")))
    assert verdict(decide(trial, seen))[0] == outcome


# -- after it


def test_the_second_proof_is_announced_with_the_end_of_the_run() -> None:
    decision = run(a_client(FINISHED, exit_code=0))
    assert status_of(decision, "Measured") == "True"
    assert status_of(decision, "ProvenAfter") == "Unknown"
    assert [e.when for e in decision.effects if isinstance(e, Prove)] == ["after"]


def test_the_second_proof_follows_at_once() -> None:
    decision = decide(
        a_trial(MEASURED, serverStarted=5.0), saw(a_client(FINISHED), found=found(PROVEN, 5.2))
    )
    assert status_of(decision, "ProvenAfter") == "True"
    assert decision.status.outcome is None
    assert decision.status.phase == "Collecting"


AFTER = [
    ("not in force", {"found": found(NOT_PROVEN, 5.0)}, "ProofFailed"),
    ("restarted", {"found": found(PROVEN, 65.0)}, "Disrupted"),
    ("restarted, its clock set back", {"found": found(PROVEN, 2.0)}, "Disrupted"),
    ("restarted and not in force", {"found": found(NOT_PROVEN, 65.0)}, "Disrupted"),
    ("database gone", {"database": None}, "Disrupted"),
    ("database deleted", {"database": a_pod(deleting=True)}, "Disrupted"),
]


@pytest.mark.parametrize(("what", "fields", "reason"), AFTER, ids=[row[0] for row in AFTER])
@pytest.mark.parametrize("measured", ["True", "False"])
def test_what_the_second_proof_finds_makes_it_invalid(
    what: str, fields: dict[str, Any], reason: str, measured: str
) -> None:
    facts = {**RUNNING, "Measured": (measured, 1.0)}
    decision = decide(a_trial(facts, serverStarted=5.0), saw(a_client(FINISHED), **fields))
    assert verdict(decision) == ("Invalid", reason)
    assert status_of(decision, "ProvenAfter") == "False"


def test_a_second_proof_that_cannot_be_made_in_time_makes_it_invalid() -> None:
    seen = saw(a_client(FINISHED), found=found(asked={"after": ago(9e4)}))
    early = decide(a_trial({**RUNNING, "Measured": ("True", 599.0)}), seen)
    assert early.status.outcome is None
    late = decide(a_trial({**RUNNING, "Measured": ("True", 602.0)}), seen)
    assert verdict(late) == ("Invalid", "ProofTimeout")
    assert (late.status.message or "").endswith("in time: no answer")
    full = "the volume of bed-0 has 3 MiB left"
    seen = saw(a_client(FINISHED), found=found(asked={"after": ago(9e4)}, full=full))
    late = decide(a_trial({**RUNNING, "Measured": ("True", 602.0)}), seen)
    assert (late.status.message or "").endswith(f"in time: no answer; {full}")


IN_QUEUE: dict[str, tuple[str, dict[str, tuple[str, float]], tuple[str, str]]] = {
    "before": ("ProvenBefore", {}, ("Failed", "ProofTimeout")),
    "after": ("Measured", RUNNING, ("Invalid", "ProofTimeout")),
}


@pytest.mark.parametrize(("since", "facts", "end"), IN_QUEUE.values(), ids=IN_QUEUE)
def test_a_proof_has_its_time_from_when_it_has_a_slot_and_not_for_ever(
    since: str, facts: dict[str, tuple[str, float]], end: tuple[str, str]
) -> None:
    """Eight others are asked before it, and their agents take long."""
    known = "True" if since == "Measured" else "Unknown"

    def after(waited: float, asked: float | None) -> TrialDecision:
        when = {} if asked is None else {"before": ago(asked), "after": ago(asked)}
        clients = a_client(FINISHED if facts else "waiting")
        return decide(
            a_trial({**facts, since: (known, waited)}), saw(clients, found=found(asked=when))
        )

    assert after(1199.0, None).status.outcome is None
    assert after(1199.0, 599.0).status.outcome is None
    assert verdict(after(800.0, 602.0)) == end
    assert verdict(after(1202.0, 5.0)) == end
    unasked = after(1202.0, None)
    assert verdict(unasked) == end
    assert (unasked.status.message or "").endswith("it could not be asked for")


def test_it_is_archived_when_everything_is_uploaded_and_scraped() -> None:
    assert wants(decide(a_trial(PROVEN_TWICE), saw(a_client(UPLOADED))), Gather)
    fresh = {**PROVEN_TWICE, "Measured": ("True", 1.0)}
    decision = decide(a_trial(fresh), saw(a_client(UPLOADED)))
    assert not wants(decision, Gather)
    assert decision.requeue == pytest.approx(1.5)


def test_it_waits_for_uploads_and_looks_ever_less_often() -> None:
    for waited, delay in ((4.0, 1.0), (60.0, 6.0), (3600.0, 15.0)):
        facts = {**PROVEN_TWICE, "Measured": ("True", waited)}
        decision = decide(a_trial(facts), saw(a_client(FINISHED)))
        assert decision.effects == ()
        assert decision.requeue == delay


def test_nothing_is_awaited_of_a_node_that_was_lost_after_the_run() -> None:
    for waited, archives in ((59.0, False), (61.0, True)):
        trial = a_trial({**PROVEN_TWICE, "Measured": ("True", waited)})
        assert wants(decide(trial, saw(a_client(None, is_silent=True))), Gather) is archives


def test_a_refused_url_is_renewed() -> None:
    refused = a_client(FINISHED, error="the object store refused output.log: 403")
    decision = decide(a_trial(PROVEN_TWICE), saw(refused))
    assert released(decision) == (refused,)
    fact = find(decision.status.conditions, "Collected")
    assert fact is not None
    assert fact.message == "the object store refused output.log: 403"


def test_a_store_that_does_not_come_back_ends_it() -> None:
    facts = {**PROVEN_TWICE, "Measured": ("True", 24 * 3600 + 1.0)}
    assert verdict(decide(a_trial(facts), saw(a_client(FINISHED)))) == ("Failed", "ArchiveTimeout")


def test_a_store_that_is_back_gets_the_record_however_late() -> None:
    late = a_trial({**PROVEN_TWICE, "Archived": ("False", 2 * 24 * 3600 + 1.0)})
    decision = decide(late, saw(a_client(UPLOADED)))
    assert decision.status.outcome is None
    assert wants(decision, Gather)
    away = saw(a_client(UPLOADED), found=found(store_problem="the store is away"))
    assert verdict(decide(late, away)) == ("Failed", "ArchiveTimeout")


@pytest.mark.parametrize(
    "clients", [(), (a_client(None, ended("recorder", 1)),), (a_client(None, phase="Failed"),)]
)
def test_when_nothing_more_can_come_the_bucket_decides(clients: tuple[ClientPod, ...]) -> None:
    assert wants(decide(a_trial(PROVEN_TWICE), saw(*clients)), Gather)


def test_a_tool_that_failed_is_a_failed_trial_once_its_log_is_stored() -> None:
    def facts(seconds: float) -> Any:
        return {**PROVEN_TWICE, "Measured": ("False", seconds)}

    waits = decide(a_trial(facts(10.0)), saw(a_client(FINISHED, exit_code=1)))
    assert waits.status.outcome is None
    stored = decide(a_trial(facts(10.0)), saw(a_client(UPLOADED, exit_code=1)))
    assert verdict(stored) == ("Failed", "ToolFailed")
    gives_up = decide(a_trial(facts(62.0)), saw(a_client(FINISHED, exit_code=1)))
    assert verdict(gives_up) == ("Failed", "ToolFailed")


def test_a_tool_that_ran_out_of_memory_is_told_from_one_that_failed() -> None:
    killed = ContainerFacts("tool", exit_code=137, exit_reason="OOMKilled")
    client = a_client(FINISHED, killed, *ready("recorder"), exit_code=137)
    ended = decide(a_trial(RUNNING), saw(client))
    fact = find(ended.status.conditions, "Measured")
    assert fact is not None
    assert (fact.status, fact.reason) == ("False", "OOMKilled")
    assert fact.message.endswith("out of memory: raise client.resources.memory in the Workload")
    proven = a_trial(PROVEN_TWICE)
    conditions = [c for c in proven.status.conditions if c.type != "Measured"]
    status = proven.status.model_copy(update={"conditions": [*conditions, fact]})
    stored = decide(replace(proven, status=status), saw(a_client(UPLOADED, exit_code=137)))
    assert verdict(stored) == ("Failed", "OOMKilled")


def test_a_server_that_ran_out_of_memory_is_told_from_one_that_restarted() -> None:
    server = ContainerFacts("server", ready=True, running=True, restarts=1, exit_reason="OOMKilled")
    trial = a_trial({**RUNNING, "Measured": ("True", 1.0)}, serverStarted=5.0)
    after = {"found": found(PROVEN, 65.0)}
    killed = a_pod("bed-0", server, *ready("agent"))
    assert verdict(decide(trial, saw(a_client(FINISHED), database=killed, **after))) == (
        "Invalid",
        "OOMKilled",
    )
    assert verdict(decide(trial, saw(a_client(FINISHED), **after))) == ("Invalid", "Disrupted")


BESIDE = [
    ("proxy", "columns.resources.memory in the EncryptionMode"),
    ("init:volume", "atRest.volume.gocryptfs.resources.memory in the EncryptionMode"),
]


def beside(name: str, *, of_server: int = 0, **fields: Any) -> dict[str, Any]:
    """The database's pod with this container beside its server."""
    running: dict[str, Any] = {"ready": True, "running": True}
    server = ContainerFacts("server", **running, restarts=of_server)
    return {"database": a_pod("bed-0", server, ContainerFacts(name, **{**running, **fields}))}


def released_with(restarts: int, facts: Any) -> Any:
    """A trial whose database's pod had so many of those that count at the release."""
    place = {"uid": "bed-0", "node": "node-1", "restarts": restarts}
    return a_trial(facts, releaseAt=UNIX - 60.0, serverStarted=5.0, pods={"database": place})


@pytest.mark.parametrize(("name", "field"), BESIDE)
@pytest.mark.parametrize("facts", [RUNNING, {**RUNNING, "Measured": ("True", 1.0)}])
def test_a_container_beside_the_server_that_restarts_is_a_disruption(
    name: str, field: str, facts: Any
) -> None:
    def look(**fields: Any) -> TrialDecision:
        pod = beside(name, of_server=7, **fields)
        return decide(released_with(1, facts), saw(a_client(RUN), **pod, found=found(PROVEN, 5.0)))

    assert look(restarts=1).status.outcome is None, "it had restarted before the release"
    killed = look(restarts=2, exit_reason="OOMKilled", last_exit_code=137)
    assert verdict(killed) == ("Invalid", "Disrupted")
    assert killed.status.message == (
        f"container {name.removeprefix('init:')} of pod bed-0 restarted after OOMKilled "
        f"(exit code 137) while the trial ran: raise {field}"
    )
    down = look(restarts=1, running=False, exit_code=2, exit_reason="Error", last_exit_code=137)
    assert verdict(down) == ("Invalid", "Disrupted")
    assert (down.status.message or "").endswith("after Error (exit code 2) while the trial ran")


def test_of_two_beside_the_server_the_one_that_began_last_is_named() -> None:
    often = ContainerFacts("init:volume", running=True, restarts=3, running_since=UNIX - 900)
    last = ContainerFacts("proxy", running=True, restarts=1, running_since=UNIX - 9)
    pod = a_pod("bed-0", often, last, *ready("server", "agent"))
    decision = decide(released_with(3, RUNNING), saw(a_client(RUN), database=pod))
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert "container proxy of pod bed-0" in (decision.status.message or "")


def test_the_pod_s_deletion_is_named_where_its_proxy_has_ended_first() -> None:
    proxy = ContainerFacts("proxy", exit_code=0, exit_reason="Completed")
    pod = a_pod("bed-0", proxy, *ready("server"), deleting=True)
    trial = released_with(0, {**RUNNING, "Measured": ("True", 1.0)})
    decision = decide(trial, saw(a_client(FINISHED), database=pod))
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert decision.status.message == "the database pod was deleted before the second proof"


def test_what_kubernetes_says_of_a_deleted_pod_is_why_its_trial_was_disrupted() -> None:
    taken: dict[str, Any] = {"deleting": True, "taken_by": "PreemptionByScheduler: for pod x"}
    why = "deleted (PreemptionByScheduler: for pod x)"
    cases = (
        (saw(a_client(RUN), database=a_pod(**taken)), f"the database pod was {why}"),
        (saw(a_client(RUN, **taken)), "a client pod was deleted or replaced (Preemption"),
    )
    for seen, words in cases:
        message = decide(released_with(0, RUNNING), seen).status.message
        assert message is not None
        assert message.startswith(words)
    trial = released_with(0, {**RUNNING, "Measured": ("True", 1.0)})
    message = decide(trial, saw(a_client(FINISHED), database=a_pod(**taken))).status.message
    assert message == f"the database pod was {why} before the second proof"


@pytest.mark.parametrize("name", ["proxy", "init:volume"])
def test_what_had_restarted_beside_the_server_is_written_down_at_the_release(name: str) -> None:
    pod = beside(name, of_server=5, restarts=2)
    decision = decide(a_trial({"ProvenBefore": ("True", 1.0)}), saw(a_client(), **pod))
    assert decision.status.pods is not None and decision.status.pods.database is not None
    assert decision.status.pods.database.restarts == 2


def test_an_outcome_is_archived_and_never_changed() -> None:
    trial = a_trial(RUNNING, outcome="Invalid", reason="Disrupted")
    decision = decide(trial, saw(testbed=None, database=None))
    assert wants(decision, Gather)
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert decision.status.phase == "Archiving"


def test_after_an_invalid_run_the_log_has_a_moment_to_arrive() -> None:
    for seconds, archives in ((10.0, False), (62.0, True)):
        facts = {**RUNNING, "Measured": ("True", seconds)}
        trial = a_trial(facts, outcome="Invalid", reason="ProofFailed")
        assert wants(decide(trial, saw(a_client(FINISHED))), Gather) is archives

"""What a trial does while its tool runs, and what spoils it meanwhile."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.workload import Recovery
from encbench.core.records import RecoveryFacts, RecoveryRecord, ServerProcess
from encbench.reconcile.absences import Absences
from encbench.reconcile.claims import NodeStanding
from encbench.reconcile.effects.effect import DisarmServer, KeepRecovery
from encbench.reconcile.pods import ContainerFacts, pod_facts
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import TrialDecision
from encbench.reconcile.trial.facts import ClientPod, Stopped
from encbench.wire.recorder import RunStateName
from tests.unit.reconcile.seen import (
    NOW,
    UNIX,
    a_client,
    a_pod,
    a_trial,
    absent,
    ago,
    found,
    ready,
    saw,
    status_of,
    wants,
)
from tests.unit.reconcile.trials import (
    BEFORE,
    FINISHED,
    PROVEN_TWICE,
    RUN,
    RUNNING,
    UPLOADED,
    ended,
    released,
    run,
    verdict,
)


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
    assert status_of(stopped(600), "Recovered")[0] == ""
    assert status_of(stopped(3600), "Recovered")[0] == "False"
    assert status_of(stopped(3600, absences=absent(3500)), "Recovered")[0] == ""


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
    assert status_of(armed, "Measured")[0] == "", "it keeps the stage"
    for state in ("disarmed", "unknown"):
        over = early(state)
        assert not wants(over, DisarmServer)
        assert status_of(over, "Measured")[0] == "False"


@pytest.mark.parametrize("state", ["stopping", "starting", None])
def test_a_server_that_may_be_on_its_way_back_is_waited_for(state: str | None) -> None:
    assert status_of(early(state, late=5.0), "Measured")[0] == ""
    assert status_of(early(state, late=7200.0), "Measured")[0] == "False", "not for ever"
    assert status_of(early(state, database=None), "Measured")[0] == "False", "there is none"


def test_an_agent_that_keeps_the_stage_by_its_silence_is_named() -> None:
    silent = early(None, late=5.0, stop_problem="the agent at x cannot be reached")
    assert status_of(silent, "Hindered")[0] == "True"
    assert status_of(early("stopping", late=5.0), "Hindered")[0] != "True"


def test_a_tool_that_fails_early_ends_with_its_own_reason() -> None:
    armed = stopped(-30.0, Stopped("armed"))
    assert wants(armed, DisarmServer)
    assert status_of(armed, "Measured")[0] == ""
    failed = stopped(-30.0, Stopped("disarmed"))
    assert status_of(failed, "Measured")[0] == "False"
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
    assert status_of(waits, "Alone")[0] == "False"
    facts = {**RUNNING, "Released": ("True", 1e4), "Alone": ("False", 9e3)}
    again = a_trial(facts, releaseAt=UNIX - 1e4)
    assert status_of(decide(again, saw(a_client())), "Alone")[0] == "True"
    assert released(decide(again, saw(a_client()))) != ()


def test_a_client_on_a_lost_node_spoils_its_trial_alone() -> None:
    clients = (a_client(FINISHED, exit_code=0), a_client(None, node="n2", is_silent=True))
    assert run(*clients, replicas=2, late=119).status.outcome is None, "the node may come back"
    # Of two clients the load begins a second later, because they gather.
    assert run(*clients, replicas=2, late=121).status.outcome is None
    decision = run(*clients, replicas=2, late=122.3)
    assert verdict(decision) == ("Invalid", "Disrupted")
    assert decision.status.message == "node n2 of pod run-0 was lost while the trial ran"


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
    assert status_of(decision, "Measured")[0] == measured
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
    assert status_of(decision, "Measured")[0] == "", "the others may load the database yet"


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

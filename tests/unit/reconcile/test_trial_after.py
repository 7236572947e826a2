"""What a trial does once its tool has ended: the second proof, and the record's upload."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.reconcile.effects.effect import Gather, Prove
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import ContainerFacts
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import TrialDecision
from encbench.reconcile.trial.facts import ClientPod
from tests.unit.reconcile.seen import (
    NOT_PROVEN,
    PROVEN,
    UNIX,
    Facts,
    a_client,
    a_pod,
    a_trial,
    ago,
    found,
    ready,
    saw,
    status_of,
    wants,
)
from tests.unit.reconcile.trials import (
    FINISHED,
    MEASURED,
    PROVEN_TWICE,
    RUN,
    RUNNING,
    UPLOADED,
    ended,
    released,
    run,
    verdict,
)


def test_the_second_proof_is_announced_with_the_end_of_the_run() -> None:
    decision = run(a_client(FINISHED, exit_code=0))
    assert status_of(decision, "Measured")[0] == "True"
    assert status_of(decision, "ProvenAfter")[0] == "Unknown"
    assert [e.when for e in decision.effects if isinstance(e, Prove)] == ["after"]


def test_the_second_proof_follows_at_once() -> None:
    decision = decide(
        a_trial(MEASURED, serverStarted=5.0), saw(a_client(FINISHED), found=found(PROVEN, 5.2))
    )
    assert status_of(decision, "ProvenAfter")[0] == "True"
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
    assert status_of(decision, "ProvenAfter")[0] == "False"


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


def gathers(decision: TrialDecision) -> str:
    (effect,) = (one for one in decision.effects if isinstance(one, Gather))
    return effect.patience


LATE = 24 * 3600 + 1.0


def of_hours(reason: str | None, seconds: float, **status: Any) -> Trial:
    """A trial of a long window whose record is not there for that reason, for so many seconds."""
    known = "Unknown" if reason == "Reading" else "False"
    facts: Facts = {"Archived": (known, seconds)} if reason else {}
    trial = a_trial({**PROVEN_TWICE, **facts}, **{"releaseAt": UNIX - 7300.0, **status})
    load = trial.spec.workload.load.model_copy(update={"duration": "2h"})
    workload = trial.spec.workload.model_copy(update={"load": load})
    changed = trial.spec.model_copy(update={"workload": workload})
    conditions = [
        one.model_copy(update={"reason": reason}) if one.type == "Archived" else one
        for one in trial.status.conditions
    ]
    found = trial.status.model_copy(update={"conditions": conditions})
    return replace(trial, spec=changed, status=found)


@pytest.mark.parametrize(
    ("reason", "seconds", "problem", "patience"),
    [
        (None, 0.0, "", "waits"),
        ("Reading", 60.0, "", "waits"),
        ("Reading", LATE, "", "once"),
        ("Reading", 2 * LATE, "", "none"),
        ("Waiting", 60.0, "", "waits"),
        ("Waiting", LATE, "", "once"),
        ("Waiting", 2 * LATE, "", "none"),
        ("Waiting", LATE, "the store is away", "once"),
    ],
)
def test_samples_over_which_operators_ended_are_not_read_for_ever(
    reason: str | None, seconds: float, problem: str, patience: str
) -> None:
    """Of an operator's end for lack of memory only the status knows, and of a restart as well."""
    seen = saw(a_client(UPLOADED), found=found(store_problem=problem))
    decision = decide(of_hours(reason, seconds), seen)
    assert gathers(decision) == patience
    is_read = reason != "Waiting" and not problem
    expected = ("Unknown", "Reading") if is_read else ("False", "Waiting")
    assert status_of(decision, "Archived") == expected
    assert decision.status.phase == "Archiving"


@pytest.mark.parametrize("seconds", [60.0, LATE, 3 * LATE])
def test_a_store_away_after_a_long_read_has_its_time_from_then_on(seconds: float) -> None:
    away = saw(a_client(UPLOADED), found=found(store_problem="the store is away"))
    decision = decide(of_hours("Reading", seconds), away)
    assert gathers(decision) == "waits"
    assert decision.status.outcome is None
    fact = find(decision.status.conditions, "Archived")
    assert fact is not None
    assert (fact.reason, fact.last_transition_time) == ("Waiting", ago(0))


def test_a_new_operator_that_reads_does_not_renew_the_time_of_what_is_away() -> None:
    trial = of_hours("Waiting", 60.0)
    decision = decide(trial, saw(a_client(UPLOADED)))
    before, after = (
        find(c, "Archived") for c in (trial.status.conditions, decision.status.conditions)
    )
    assert before is not None
    assert after is not None
    assert after.last_transition_time == before.last_transition_time


def test_of_a_short_window_or_none_the_status_does_not_say_that_it_is_read() -> None:
    for trial in (a_trial(PROVEN_TWICE, releaseAt=UNIX - 70.0), of_hours(None, 0, releaseAt=None)):
        decision = decide(trial, saw(a_client(UPLOADED)))
        assert gathers(decision) == "waits"
        assert find(decision.status.conditions, "Archived") is None
    late = a_trial({**PROVEN_TWICE, "Archived": ("False", 3 * LATE)}, releaseAt=UNIX - 70.0)
    assert gathers(decide(late, saw(a_client(UPLOADED)))) == "once"


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


REFUSED = a_client(FINISHED, exit_code=1, error="the object store refused output.log: 400")
TURNED_OUT: dict[str, Callable[[float], Trial]] = {
    "a failed tool": lambda waited: a_trial({**PROVEN_TWICE, "Measured": ("False", waited)}),
    "a failed tool, not proven": lambda waited: a_trial({**RUNNING, "Measured": ("False", waited)}),
    "ended early": lambda waited: a_trial(
        {**RUNNING, "Measured": ("False", waited)}, outcome="Failed", reason="Overrun"
    ),
    "no proof": lambda waited: a_trial(
        {**MEASURED, "Measured": ("True", waited), "ProvenAfter": ("False", 1.0)},
        outcome="Invalid",
        reason="ProofFailed",
    ),
}


@pytest.mark.parametrize("trial", TURNED_OUT.values(), ids=TURNED_OUT)
def test_a_refused_url_is_renewed_of_a_run_that_does_not_count(
    trial: Callable[[float], Trial],
) -> None:
    assert released(decide(trial(30.0), saw(REFUSED))) == (REFUSED,)
    assert not released(decide(trial(30.0), saw(a_client(FINISHED, exit_code=1))))


@pytest.mark.parametrize("name", ["a failed tool", "ended early", "no proof"])
def test_such_a_log_is_waited_for_no_longer_than_another(name: str) -> None:
    late = decide(TURNED_OUT[name](61.0), saw(REFUSED))
    assert not released(late)
    assert late.status.outcome in ("Failed", "Invalid")


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

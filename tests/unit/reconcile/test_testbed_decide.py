"""What a testbed does next: each step, and each deadline with its reason."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import TESTBED
from encbench.core.certificates import KeyPair
from encbench.reconcile import objects
from encbench.reconcile.claims import NodeStanding
from encbench.reconcile.effects.effect import (
    Announce,
    ApplyDatabase,
    CreateLoad,
    Delete,
    IssueCredentials,
    LeaveNodes,
    ProveFully,
)
from encbench.reconcile.pods import ContainerFacts, JobFacts, PodFacts
from encbench.reconcile.testbed.decide import decide
from encbench.reconcile.testbed.decision import TestbedDecision
from encbench.reconcile.testbed.facts import FullProof, SetFacts, TestbedFound, TestbedSeen
from encbench.reconcile.testbed.provision import is_version
from tests.support import manifests
from tests.unit.reconcile.seen import (
    ALONE,
    NOT_PROVEN,
    NOW,
    PROVEN,
    a_pod,
    a_testbed,
    absent,
    ago,
    ready,
    wants,
    with_status,
)

UP = {"Provisioned": ("True", 10.0)}
LOADED = {**UP, "Loaded": ("True", 5.0)}
AUTHORITY = KeyPair("certificate", "key")
DATABASE = a_pod("bed-0", *ready("server", "agent"))
STARTING = a_pod("bed-0", ContainerFacts("server", running=True))


def saw(**fields: Any) -> TestbedSeen:
    there = SetFacts({"spec": {"replicas": 1, "template": {}}})
    usual = TestbedSeen(now=NOW, has_credentials=True, stateful_set=there, database=DATABASE)
    return replace(usual, **{"found": TestbedFound(nodes=ALONE), **fields})


def status_of(decision: TestbedDecision, kind: str) -> tuple[str, str]:
    found = find(decision.status.conditions, kind)
    return (found.status, found.reason) if found else ("", "")


def failure(decision: TestbedDecision) -> str:
    assert status_of(decision, "Ready")[0] in ("False", "")
    return status_of(decision, "Failed")[1]


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
    seen = saw(has_credentials=False, stateful_set=None, unmarked="Secret k is not marked")
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


# -- loading


def test_the_dataset_is_loaded_once_by_a_job_that_stays() -> None:
    assert wants(decide(a_testbed(UP), saw()), CreateLoad)
    under_way = decide(a_testbed(UP), saw(load=JobFacts("load")))
    assert not wants(under_way, CreateLoad)
    done = decide(a_testbed(UP), saw(load=JobFacts("load", succeeded=True)))
    assert status_of(done, "Loaded")[0] == "True"
    assert not wants(decide(a_testbed(LOADED), saw()), CreateLoad)


def test_a_load_that_fails_says_why() -> None:
    tool = ContainerFacts("tool", exit_code=1, exit_reason="Error", termination_message="no space")
    pod = a_pod("bed-load-x", tool, **DURING)
    load = JobFacts("load", failed=True, pods=(pod,))
    decision = decide(a_testbed(UP), saw(load=load))
    assert failure(decision) == "LoadFailed"
    fact = find(decision.status.conditions, "Failed")
    assert fact is not None
    assert "exit code 1" in fact.message
    assert "kubectl logs bed-load-x -c tool says why" in fact.message
    assert "no space" not in fact.message
    decision = decide(a_testbed(UP), saw(load=load, full="the volume of bed-0 has 3 MiB left"))
    fact = find(decision.status.conditions, "Failed")
    assert fact is not None
    assert fact.message.endswith("; the volume of bed-0 has 3 MiB left")


UNIX = NOW.timestamp()
DURING = {"created": UNIX - 30}
"""Of a pod that is younger than the database's."""
LOADS, DATABASES = "the load's pod was deleted", "the database's pod was deleted"
TAKEN = {
    "its own pod is gone": ((), a_pod(), LOADS),
    "its own pod goes": ((a_pod("load", deleting=True, **DURING),), a_pod(), LOADS),
    "no database": ((a_pod("load", **DURING),), None, DATABASES),
    "the database goes": ((a_pod("load", **DURING),), a_pod(deleting=True), DATABASES),
    "another database": ((a_pod("load", **DURING),), a_pod(created=NOW.timestamp() - 9), DATABASES),
    "a preemption": (
        (a_pod("load", **DURING),),
        a_pod(deleting=True, taken_by="PreemptionByScheduler: for pod x"),
        f"{DATABASES} (PreemptionByScheduler: for pod x)",
    ),
    "its node restarts": (
        (a_pod("load", ContainerFacts("tool", exit_code=255, exit_reason="Unknown"), **DURING),),
        a_pod(),
        "node node-1 restarted",
    ),
    "its node ends it": (
        (a_pod("load", phase="Failed", ended_by="TopologyAffinityError", **DURING),),
        a_pod(),
        "node node-1 ended pod load (TopologyAffinityError)",
    ),
    "the database's node ends it": (
        (a_pod("load", ContainerFacts("tool", exit_code=1, exit_reason="Error"), **DURING),),
        a_pod("bed-0", ended_by="Evicted: low on memory", node="n2"),
        "node n2 ended pod bed-0 (Evicted: low on memory)",
    ),
    "the database's node restarts": (
        (a_pod("load", ContainerFacts("tool", exit_code=1, exit_reason="Error"), **DURING),),
        a_pod("bed-0", ContainerFacts("server", restarts=1, exit_reason="Unknown"), node="n2"),
        "node n2 restarted",
    ),
}


@pytest.mark.parametrize(("own", "database", "what"), TAKEN.values(), ids=TAKEN)
def test_a_load_from_which_a_pod_was_taken_is_no_failure_of_its_own(
    own: tuple[PodFacts, ...], database: PodFacts | None, what: str
) -> None:
    load = JobFacts("load", failed=True, pods=own)
    decision = decide(a_testbed(UP), saw(load=load, database=database))
    assert failure(decision) == "LoadDisrupted"
    fact = find(decision.status.conditions, "Failed")
    assert fact is not None
    assert fact.message == f"{what} during the load"


def test_a_node_that_restarted_before_the_load_is_no_reason() -> None:
    before = ContainerFacts(
        "server", running=True, restarts=1, exit_reason="Unknown", running_since=UNIX - 100
    )
    tool = ContainerFacts("tool", exit_code=1, exit_reason="Error")
    load = JobFacts("load", failed=True, pods=(a_pod("load", tool, **DURING),))
    decision = decide(a_testbed(UP), saw(load=load, database=a_pod("bed-0", before)))
    assert failure(decision) == "LoadFailed"


KILLED: dict[str, Any] = {"exit_code": 137, "exit_reason": "OOMKilled"}
AGAIN: dict[str, Any] = {"running": True, "restarts": 1, "running_since": UNIX - 5}
FALLEN = {
    "out of memory": (
        ContainerFacts("server", **KILLED),
        "OOMKilled",
        "server in pod bed-0 ended with OOMKilled (exit code 137): "
        "raise resources.memory in the InstanceTemplate",
    ),
    "is back": (
        ContainerFacts("server", **AGAIN, exit_reason="OOMKilled", last_exit_code=137),
        "OOMKilled",
        "server in pod bed-0 ended with OOMKilled (exit code 137): "
        "raise resources.memory in the InstanceTemplate",
    ),
    "crashes": (
        ContainerFacts("server", **AGAIN, exit_reason="Error", last_exit_code=139),
        "ContainerFailed",
        "server in pod bed-0 ended with Error (exit code 139): "
        "kubectl logs bed-0 -c server --previous says why",
    ),
    "its file system": (
        ContainerFacts("init:volume", **AGAIN, exit_reason="OOMKilled", last_exit_code=137),
        "OOMKilled",
        "volume in pod bed-0 ended with OOMKilled (exit code 137): "
        "raise atRest.volume.gocryptfs.resources.memory in the EncryptionMode",
    ),
}


@pytest.mark.parametrize(("fell", "reason", "what"), FALLEN.values(), ids=FALLEN)
def test_a_load_whose_server_ends_says_so_and_not_where_its_own_log_is(
    fell: ContainerFacts, reason: str, what: str
) -> None:
    database = a_pod("bed-0", *ready("server", "agent"), fell)
    runs = a_pod("load", ContainerFacts("tool", running=True), **DURING)
    under_way = decide(a_testbed(UP), saw(load=JobFacts("load", pods=(runs,)), database=database))
    assert not failure(under_way), "the tool may yet connect anew"
    told = find(under_way.status.conditions, "Hindered")
    assert told is not None
    assert (told.status, told.reason, told.message) == ("True", reason, f"container {what}")

    lost = a_pod("load", ContainerFacts("tool", exit_code=1, exit_reason="Error"), **DURING)
    load = JobFacts("load", failed=True, pods=(lost,))
    told = find(
        decide(a_testbed(UP), saw(load=load, database=database)).status.conditions, "Failed"
    )
    assert told is not None
    assert (told.reason, told.message) == (reason, f"during the load container {what}")


def _injected(tool: ContainerFacts, *more: ContainerFacts) -> JobFacts:
    """A load into whose pod a webhook has put a container, which does not end."""
    pod = a_pod("x", tool, ContainerFacts("proxy", running=True), *more, **DURING)
    return JobFacts("load", pods=(pod,))


ENDED = a_pod("load", ContainerFacts("tool", exit_code=0, exit_reason="Completed"), **DURING)
SUCCEEDED = {
    "the Job": JobFacts("load", succeeded=True, pods=(ENDED,)),
    "its tool": _injected(ENDED.container("tool")),
}


@pytest.mark.parametrize("load", SUCCEEDED.values(), ids=SUCCEEDED)
@pytest.mark.parametrize(("fell", "reason", "what"), FALLEN.values(), ids=FALLEN)
def test_a_load_that_succeeds_although_its_server_ended_is_not_loaded(
    load: JobFacts, fell: ContainerFacts, reason: str, what: str
) -> None:
    """BenchmarkSQL's scripts end with 0 whatever failed in them."""
    database = a_pod("bed-0", *ready("server", "agent"), fell)
    decision = decide(a_testbed(UP), saw(load=load, database=database))
    told = find(decision.status.conditions, "Failed")
    assert told is not None
    assert (told.reason, told.message) == (reason, f"during the load container {what}")
    assert status_of(decision, "Loaded")[0] != "True"
    assert not _deletes(decision), "its log says what it missed"


@pytest.mark.parametrize("tool_ended", [UNIX - 8, UNIX - 2])
@pytest.mark.parametrize(
    "fell",
    [
        ContainerFacts("server", **AGAIN, exit_reason="OOMKilled", last_ended_at=UNIX - 5),
        ContainerFacts("server", exit_code=1, exit_reason="Error", ended_at=UNIX - 5),
    ],
    ids=["runs again", "is down"],
)
def test_a_server_that_ends_after_its_load_is_no_reason(
    fell: ContainerFacts, tool_ended: float
) -> None:
    """An operator that was away sees both at once."""
    ended = ContainerFacts("tool", exit_code=0, exit_reason="Completed", ended_at=tool_ended)
    load = JobFacts("load", succeeded=True, pods=(a_pod("load", ended, **DURING),))
    database = a_pod("bed-0", *ready("server", "agent"), fell)
    decision = decide(a_testbed(UP), saw(load=load, database=database))
    assert (status_of(decision, "Loaded")[0] == "True") is (tool_ended < UNIX - 5)


REPLACED = {"goes": a_pod(deleting=True), "is another": a_pod(created=UNIX - 9), "is gone": None}


@pytest.mark.parametrize("database", REPLACED.values(), ids=REPLACED)
def test_a_load_that_succeeds_although_its_database_was_taken_is_not_loaded(
    database: PodFacts | None,
) -> None:
    decision = decide(a_testbed(UP), saw(load=SUCCEEDED["the Job"], database=database))
    assert failure(decision) == "LoadDisrupted"


def test_a_load_that_succeeded_is_done_although_its_own_pod_goes() -> None:
    for own in ((), (replace(ENDED, deleting=True),)):
        load = JobFacts("load", succeeded=True, pods=own)
        done = decide(a_testbed(UP), saw(load=load))
        assert status_of(done, "Loaded") == ("True", "Loaded")


def test_a_server_that_restarted_before_its_load_is_no_reason() -> None:
    before = {**AGAIN, "running_since": UNIX - 100}
    server = ContainerFacts("server", **before, ready=True, exit_reason="OOMKilled")
    database = a_pod("bed-0", server, *ready("agent"))
    tool = ContainerFacts("tool", exit_code=1, exit_reason="Error")
    load = JobFacts("load", failed=True, pods=(a_pod("load", tool, **DURING),))
    assert failure(decide(a_testbed(UP), saw(load=load, database=database))) == "LoadFailed"


def test_a_server_by_a_clock_that_is_ahead_has_not_ended() -> None:
    """Its start is by its node, and that of the load's pod by the API server."""
    server = ContainerFacts("server", running=True, ready=True, running_since=UNIX + 30)
    database = a_pod("bed-0", server, *ready("agent"))
    tool = ContainerFacts("tool", exit_code=1, exit_reason="Error")
    load = JobFacts("load", failed=True, pods=(a_pod("load", tool, **DURING),))
    assert failure(decide(a_testbed(UP), saw(load=load, database=database))) == "LoadFailed"


def test_a_load_that_takes_too_long_is_given_up() -> None:
    load = JobFacts("load")
    hours = 6 * 3600.0
    up = {"Provisioned": ("True", 3 * hours)}
    early = decide(a_testbed({**up, "Loaded": ("False", hours - 1)}), saw(load=load))
    assert not failure(early), "it may have waited for its node before"
    long_ago = {**up, "Loaded": ("False", hours + 1)}
    assert not _deletes(decide(a_testbed(long_ago), saw(load=load, absences=absent(60, 50))))
    stuck = JobFacts("load", pods=(a_pod("x", unschedulable="0/1 nodes"),))
    late = decide(a_testbed(long_ago), saw(load=stuck))
    assert failure(late) == "Unschedulable"
    assert _deletes(late) == ["load"]


def test_a_load_without_a_pod_is_given_up_for_what_kept_it_from_one() -> None:
    late = a_testbed({"Provisioned": ("True", 9e4), "Loaded": ("False", 9e4)})
    stops = decide(late, saw(load=JobFacts("load")))
    told = find(stops.status.conditions, "Loaded")
    assert told is not None
    assert (
        told.message == "job bed-load has made no pod: kubectl events --for job/bed-load says why"
    )
    ends = decide(replace(late, status=stops.status), saw())
    assert failure(ends) == "LoadTimeout"
    told = find(ends.status.conditions, "Failed")
    assert told is not None
    assert told.message.startswith("job bed-load has made no pod")


def test_a_load_is_done_when_its_tool_is_whatever_else_was_put_into_its_pod() -> None:
    running = ContainerFacts("tool", running=True)
    assert status_of(decide(a_testbed(UP), saw(load=_injected(running))), "Loaded")[0] != "True"

    ended = ContainerFacts("tool", exit_code=0, exit_reason="Completed")
    done = decide(a_testbed(UP), saw(load=_injected(ended)))
    assert status_of(done, "Loaded") == ("True", "Loaded")
    assert _deletes(done) == ["load"], "the pod would keep its room"

    broken = ContainerFacts("tool", exit_code=1, exit_reason="Error")
    fails = decide(a_testbed(UP), saw(load=_injected(broken)))
    assert failure(fails) == "LoadFailed"
    assert not _deletes(fails), "its log says why"


def test_a_load_whose_pod_ends_by_itself_is_left_to_its_job() -> None:
    sidecar = ContainerFacts("init:proxy", running=True)
    for code in (0, 1):
        pod = a_pod("x", ContainerFacts("tool", exit_code=code), sidecar, **DURING)
        waits = decide(a_testbed(UP), saw(load=JobFacts("load", pods=(pod,))))
        assert status_of(waits, "Loaded")[0] != "True"
        assert not failure(waits)
        assert not _deletes(waits)


def _deletes(decision: TestbedDecision) -> list[str]:
    return [one.uid for one in decision.effects if isinstance(one, Delete)]


def test_a_load_that_takes_too_long_has_ended_before_its_node_is_given_away() -> None:
    late = a_testbed({"Provisioned": ("True", 9e4), "Loaded": ("False", 9e4)})
    mine = NodeStanding(used=frozenset({"node-1"}), joined=True)
    seen = saw(load=JobFacts("load"), found=TestbedFound(nodes=mine))

    stops = decide(late, seen)
    assert _deletes(stops) == ["load"]
    assert not failure(stops)
    assert status_of(stops, "Loaded") == ("False", "LoadTimeout")
    assert status_of(stops, "Hindered") == ("True", "LoadTimeout")

    stopping = replace(late, status=stops.status)
    pod = a_pod("pod-of-load", deleting=True, ends=ago(-20))
    waits = decide(stopping, replace(seen, load=None, loaders=(pod,)))
    assert not failure(waits)
    assert not any(isinstance(one, LeaveNodes) for one in waits.effects)
    told = find(waits.status.conditions, "Hindered")
    assert told is not None
    assert told.message.endswith("waiting for pod pod-of-load to end")

    lost = replace(pod, is_silent=True, ends=ago(60))
    for over in ((), (lost,)):
        ends = decide(stopping, replace(seen, load=None, loaders=over))
        assert failure(ends) == "LoadTimeout"
        assert any(isinstance(one, LeaveNodes) for one in ends.effects)

    full = "the volume of bed-0 has 3 MiB left"
    ends = decide(stopping, replace(seen, load=None, full=full))
    told = find(ends.status.conditions, "Failed")
    assert told is not None
    assert told.message.endswith(f"; {full}"), "a server waits until it has room again"


def test_no_load_begins_while_an_earlier_one_still_writes() -> None:
    earlier = a_pod("load-of-before", deleting=True, ends=ago(-1))
    waits = decide(a_testbed(UP), saw(loaders=(earlier,)))
    assert not wants(waits, CreateLoad)
    assert status_of(waits, "Loaded") == ("False", "DatabaseInUse")
    told = find(waits.status.conditions, "Hindered")
    assert told is not None
    assert told.message == "pod load-of-before of an earlier load has not ended"
    waiting = replace(a_testbed(UP), status=waits.status)
    begins = decide(waiting, saw())
    assert wants(begins, CreateLoad)
    assert status_of(begins, "Loaded") == ("False", "Loading")
    lost = replace(earlier, is_silent=True, ends=ago(60))
    assert wants(decide(waiting, saw(loaders=(lost,))), CreateLoad)
    late = a_testbed({"Provisioned": ("True", 9e4), "Loaded": ("False", 9e4)})
    gives_up = decide(late, saw(loaders=(earlier,)))
    assert failure(gives_up) == "LoadTimeout"
    assert not wants(gives_up, CreateLoad)


def test_a_load_that_has_to_wait_for_its_node_again_has_its_whole_time_then() -> None:
    """Its Job could not be created before its database moved to a node that others use."""
    late = a_testbed({"Provisioned": ("True", 9e4), "Loaded": ("False", 8e4)})
    moved = TestbedFound(nodes=NodeStanding(waits="waits for node node-1"))
    waits = decide(late, saw(found=moved))
    assert status_of(waits, "Alone") == ("False", "NodeInUse")
    assert status_of(waits, "Hindered") == ("True", "NodeInUse")
    begins = decide(replace(late, status=waits.status), saw())
    assert not failure(begins)
    assert status_of(begins, "Alone") == ("True", "Leased")
    assert status_of(begins, "Loaded") == ("False", "Loading")
    assert wants(begins, CreateLoad)


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

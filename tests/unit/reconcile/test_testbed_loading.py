"""How a testbed is loaded: once, and on a server that lasts."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.reconcile.claims import NodeStanding
from encbench.reconcile.effects.effect import CreateLoad, Delete, LeaveNodes
from encbench.reconcile.objects import Testbed
from encbench.reconcile.objects import testbed as as_testbed
from encbench.reconcile.pods import ContainerFacts, JobFacts, PodFacts
from encbench.reconcile.testbed.decide import decide
from encbench.reconcile.testbed.decision import TestbedDecision
from encbench.reconcile.testbed.facts import TestbedFound
from tests.unit.reconcile.external import template
from tests.unit.reconcile.seen import (
    NOW,
    UNIX,
    a_pod,
    a_testbed,
    absent,
    ago,
    ready,
    status_of,
    wants,
)
from tests.unit.reconcile.testbeds import LOADED, UP, failure, saw


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

    full = saw(load=load, database=database, full="the volume of bed-0 has 3 MiB left")
    told = find(decide(a_testbed(UP), full).status.conditions, "Failed")
    assert told is not None
    assert told.message.endswith(f"{what}; the volume of bed-0 has 3 MiB left")


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


def test_a_load_that_lost_its_server_and_takes_too_long_says_both() -> None:
    late = a_testbed({"Provisioned": ("True", 9e4), "Loaded": ("False", 9e4)})
    pod = a_pod("load", ContainerFacts("tool", running=True), **DURING)
    database = a_pod("bed-0", *ready("agent"), ContainerFacts("server", **KILLED))
    stops = decide(late, saw(load=JobFacts("load", pods=(pod,)), database=database))
    told = find(stops.status.conditions, "Loaded")
    assert told is not None
    assert told.reason == "LoadTimeout"
    assert "stepDeadlines.load, 21600 s: container server in pod bed-0 ended with" in told.message


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
    again = decide(stopping, seen)
    assert not failure(again)
    assert _deletes(again) == ["load"], "an operator that ended in between has not deleted it"
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
    assert status_of(waits, "Loaded") == ("Unknown", "DatabaseInUse")
    told = find(waits.status.conditions, "Hindered")
    assert told is not None
    assert told.message == "pod load-of-before of an earlier load has not ended"
    waiting = replace(a_testbed(UP), status=waits.status)
    begins = decide(waiting, saw())
    assert wants(begins, CreateLoad)
    assert status_of(begins, "Loaded") == ("False", "Loading")
    lost = replace(earlier, is_silent=True, ends=ago(60))
    assert wants(decide(waiting, saw(loaders=(lost,))), CreateLoad)
    gives_up = decide(_waiting_for_long(), saw(loaders=(earlier,)))
    assert failure(gives_up) == "LoadTimeout"
    assert not wants(gives_up, CreateLoad)
    begins = decide(_waiting_for_long(), saw())
    assert not failure(begins)
    assert wants(begins, CreateLoad)
    goes_on = decide(replace(_waiting_for_long(), status=begins.status), saw(load=JobFacts("load")))
    assert status_of(goes_on, "Loaded") == ("False", "Loading"), "it has its whole time"


def _waiting_for_long() -> Testbed:
    """For an earlier load, and longer than a load may take."""
    return a_testbed({"Provisioned": ("True", 9e4), "Loaded": ("Unknown", 9e4)})


def test_a_load_into_an_external_database_on_a_lost_node_is_not_waited_for_without_end() -> None:
    gone = a_pod("load-of-before", deleting=True, ends=ago(6000), is_silent=True, node="n2")
    late = _waiting_for_long()
    assert wants(decide(late, saw(loaders=(gone,))), CreateLoad), "it has no login to one of ours"
    outside = _outside(late)
    seen = saw(stateful_set=None, database=None, loaders=(gone,))
    waits = decide(replace(outside, status=a_testbed(UP).status), seen)
    assert not failure(waits)
    assert not wants(waits, CreateLoad)
    assert status_of(waits, "Hindered") == ("True", "NodeLost")
    gives_up = decide(outside, seen)
    assert failure(gives_up) == "LoadTimeout"
    told = find(gives_up.status.conditions, "Failed")
    assert told is not None
    assert told.message.endswith("if the machine is off, delete Node n2")


def _outside(bed: Testbed) -> Testbed:
    """The same of an external database."""
    bed.body["spec"]["instance"] = template()["spec"]
    bed.body["spec"]["arm"]["role"] = "baseline"
    return as_testbed(bed.body)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"ends": ago(100), "phase": "Pending"}, "NodeLost"),
        ({"ends": ago(100)}, "NodeLost"),
        ({"ends": ago(5)}, "DatabaseInUse"),
        ({"ends": ago(100), "node": None}, "DatabaseInUse"),
    ],
    ids=["begins", "not-ready", "in-time", "never-placed"],
)
def test_a_load_that_is_long_to_have_ended_is_cut_off(fields: dict[str, Any], reason: str) -> None:
    ends = a_pod("ends", deleting=True, ends=ago(-20), node="n1")
    begun = ContainerFacts("tool", running=True), ContainerFacts("proxy", running=True)
    late = a_pod("late", *begun, **{"deleting": True, "node": "n2", **fields})
    seen = saw(stateful_set=None, database=None, loaders=(ends, late))
    waits = decide(replace(_outside(a_testbed(UP)), status=a_testbed(UP).status), seen)
    told = find(waits.status.conditions, "Hindered")
    assert told is not None
    assert (told.status, told.reason) == ("True", reason)
    assert told.message.startswith(
        "node n2 of pod late does not answer" if reason == "NodeLost" else "pod ends of an earlier"
    )


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

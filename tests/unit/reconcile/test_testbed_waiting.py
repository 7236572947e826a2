"""A testbed whose database, or whose node, is not to be had for heavy work yet."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.tpcc import Tpcc
from encbench.core.starts import GOLDEN, Start
from encbench.kube import labels
from encbench.reconcile.claims import NodeStanding
from encbench.reconcile.effects.effect import (
    Apply,
    AskChecks,
    CreateLoad,
    Delete,
    ProveFully,
    TakeNodes,
)
from encbench.reconcile.objects import Testbed
from encbench.reconcile.pods import ContainerFacts, JobFacts, PodFacts
from encbench.reconcile.testbed.decide import decide
from encbench.reconcile.testbed.facts import FullProof, TestbedFound
from tests.unit.reconcile.seen import ALONE, NOW, PROVEN, a_pod, a_testbed, ago, status_of, wants
from tests.unit.reconcile.testbeds import LOADED, UP, a_set, failure, saw, set_for

BUSY = TestbedFound(nodes=NodeStanding(waits="waits for node node-1"))
"""Another campaign is measured on the node."""

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)

AWAY: dict[str, PodFacts | None] = {
    "no pod": None,
    "no node": a_pod("bed-0", node=None, unschedulable="0/2 nodes"),
    "starts": a_pod("bed-0", ContainerFacts("server", running=True)),
}


@pytest.mark.parametrize("database", AWAY.values(), ids=AWAY)
@pytest.mark.parametrize("found", [BUSY, None], ids=["in use", "its own"])
def test_without_its_database_nothing_is_loaded(
    database: PodFacts | None, found: TestbedFound | None
) -> None:
    more: dict[str, Any] = {} if found is None else {"found": found}
    decision = decide(a_testbed(UP, startTime=ago(9e4)), saw(database=database, **more))
    assert not wants(decision, CreateLoad)
    assert status_of(decision, "Provisioned")[0] == "False"
    assert decision.status.phase == "Provisioning"
    assert not failure(decision), "it was up until now"


def test_a_database_that_does_not_come_back_before_its_load_is_lost() -> None:
    """Its set is built anew, as later: `test_losses` has that."""
    stuck = saw(database=AWAY["no node"])
    for waited, reason in ((599.0, ""), (602.0, "PodNotReady")):
        bed = a_testbed({"Provisioned": ("False", waited)}, startTime=ago(9e4), serverStarted=1.0)
        decision = decide(bed, stuck)
        assert failure(decision) == reason
        assert status_of(decision, "Provisioned") == ("False", "Unschedulable")
    fact = find(decision.status.conditions, "Failed")
    assert fact is not None
    assert "pod bed-0 fits no node: 0/2 nodes" in fact.message


def test_a_database_that_its_node_rejects_again_and_again_says_so_in_the_end() -> None:
    """Its StatefulSet replaces it at once, so that there is one without a word most of the time."""
    rejected = a_pod("bed-0", phase="Failed", ended_by="OutOfcpu: Pod was rejected")
    what = "node node-1 ended pod bed-0 (OutOfcpu: Pod was rejected)"
    bed = a_testbed({"Provisioned": ("False", 599.0)}, startTime=ago(599))
    first = decide(bed, saw(database=rejected))
    assert status_of(first, "Provisioned") == ("False", "PodEnded")
    last = replace(bed, status=first.status)
    for database in (None, a_pod("bed-0", phase="Pending")):
        again = decide(last, saw(database=database, now=NOW + MINUTE))
        fact = find(again.status.conditions, "Failed")
        assert fact is not None
        assert (fact.reason, fact.message) == ("PodEnded", what)
    begun = saw(database=a_pod("bed-0", ContainerFacts("server")), now=NOW + MINUTE)
    assert failure(decide(last, begun)) == "ProvisionTimeout"


def test_so_does_one_that_its_node_rejects_when_it_starts_anew() -> None:
    """`test_losses` has that its set is then built anew, if it was ready once."""
    notes = {labels.START: GOLDEN, labels.RESET: GOLDEN}
    rejected = a_pod("bed-0", phase="Failed", ended_by="OutOfcpu", annotations=notes)
    asked = {"start": GOLDEN, "reset": GOLDEN, "askedTime": ago(9)}
    own: dict[str, Any] = {"stateful_set": set_for(Start(GOLDEN, GOLDEN), 1)}
    bed = reset(LOADED, run=asked)
    last = replace(bed, status=decide(bed, saw(database=rejected, **own)).status)
    for database in (None, a_pod("bed-0", phase="Pending", annotations=notes)):
        again = decide(last, saw(database=database, now=NOW + 3 * HOUR, **own))
        fact = find(again.status.conditions, "Failed")
        assert fact is not None
        assert (fact.reason, fact.message) == ("PodEnded", "node node-1 ended pod bed-0 (OutOfcpu)")
    begun = a_pod("bed-0", ContainerFacts("server"), annotations=notes)
    assert failure(decide(last, saw(database=begun, now=NOW + 3 * HOUR, **own))) == "ResetTimeout"


def test_once_its_database_is_back_the_load_has_its_whole_time() -> None:
    """Its Job could not be created before."""
    facts = {"Provisioned": ("True", 1.0), "Loaded": ("False", 9e4)}
    begins = decide(a_testbed(facts, serverStarted=1.0), saw())
    assert not failure(begins)
    assert wants(begins, CreateLoad)


NOWHERE = JobFacts("load", pods=(a_pod("x", node=None, unschedulable="0/5 nodes"),))
UNMADE = JobFacts("load")


@pytest.mark.parametrize("load", [NOWHERE, UNMADE], ids=["no node", "no quota"])
def test_a_load_that_others_leave_no_room_has_its_whole_time_then(load: JobFacts) -> None:
    late = a_testbed({"Provisioned": ("True", 9e4), "Loaded": ("False", 9e4)})
    waits = decide(late, saw(load=load, loading=("other",)))
    for _ in range(2):
        assert not failure(waits)
        assert not any(isinstance(one, Delete) for one in waits.effects)
        assert status_of(waits, "Loaded") == ("Unknown", "NodeInUse")
        told = find(waits.status.conditions, "Hindered")
        assert told is not None
        assert told.message.startswith("waits for the loads of other: ")
        waits = decide(replace(late, status=waits.status), saw(load=load, loading=("other",)))
    waiting = replace(late, status=waits.status)

    alone = decide(waiting, saw(load=load))
    assert status_of(alone, "Loaded")[0] == "False", "its time runs"
    assert status_of(alone, "Hindered")[0] == "True"
    ends = decide(replace(late, status=alone.status), saw(load=load, now=NOW + 7 * HOUR))
    assert failure(ends) or status_of(ends, "Loaded")[1] == "LoadTimeout"

    runs = JobFacts("load", pods=(a_pod("x", ContainerFacts("tool", running=True)),))
    loads = decide(waiting, saw(load=runs))
    assert status_of(loads, "Loaded") == ("False", "Loading")
    assert status_of(loads, "Hindered")[0] == "False"
    assert not failure(loads)


def test_a_load_without_its_image_waits_for_no_other_load() -> None:
    pulls = ContainerFacts("tool", waiting_reason="ImagePullBackOff")
    load = JobFacts("load", pods=(a_pod("x", pulls),))
    late = a_testbed({"Provisioned": ("True", 9e4), "Loaded": ("False", 9e4)})
    assert failure(decide(late, saw(load=load, loading=("other",)))) == "ImagePullFailed"


def test_a_job_has_a_moment_to_make_its_pod_while_others_load() -> None:
    begins = decide(a_testbed({**UP, "Loaded": ("False", 1.0)}), saw(load=UNMADE, loading=("b",)))
    assert status_of(begins, "Loaded")[0] == "False"
    assert status_of(begins, "Hindered")[0] == ""


LONG = {"Provisioned": ("True", 9e4), "Loaded": ("True", 9e4)}
"""Long enough for every deadline to be over."""


def tpcc(facts: Any, **status: Any) -> Testbed:
    """A testbed whose tables are checked."""
    bed = a_testbed(facts, **status)
    dataset = bed.spec.dataset.model_copy(update={"tpcc": Tpcc(warehouses=2), "sysbench": None})
    return replace(bed, spec=bed.spec.model_copy(update={"dataset": dataset}))


def reset(facts: Any, **status: Any) -> Testbed:
    """A testbed with a golden copy."""
    bed = a_testbed(facts, **status)
    return replace(bed, spec=bed.spec.model_copy(update={"reset": "trial"}))


ASKED = {"start": "golden", "reset": "golden", "askedTime": ago(9e4)}
STEPS: dict[str, tuple[Testbed, type[Any]]] = {
    "checks": (tpcc(LONG), AskChecks),
    "golden copy": (reset(LONG, run=ASKED), Apply),
    "proof": (a_testbed(LONG), ProveFully),
}


@pytest.mark.parametrize(("bed", "work"), STEPS.values(), ids=STEPS)
def test_no_step_before_the_proof_works_on_a_node_that_others_use(
    bed: Testbed, work: type[Any]
) -> None:
    """Its pod was made anew there, or the lease ran out while the operator was away."""
    there: dict[str, Any] = {"stateful_set": a_set()}
    asked = replace(BUSY, asked=ago(9e4))
    waits = decide(bed, saw(found=asked, **there))
    assert not failure(waits)
    assert not wants(waits, work)
    assert wants(waits, TakeNodes)
    assert status_of(waits, "Alone") == ("False", "NodeInUse")
    assert status_of(waits, "Hindered") == ("True", "NodeInUse")
    own = replace(asked, nodes=ALONE)
    begins = decide(replace(bed, status=waits.status), saw(found=own, **there))
    assert not failure(begins), "its deadline did not run"
    assert wants(begins, work)
    assert status_of(begins, "Alone") == ("True", "Leased")


def test_checks_of_a_server_that_is_down_say_so() -> None:
    down = ContainerFacts("server", exit_code=137, exit_reason="OOMKilled")
    seen = saw(database=a_pod("bed-0", down, ContainerFacts("agent", running=True)))
    for bed, kind in ((tpcc(LOADED), "Hindered"), (tpcc(LONG), "Failed")):
        fact = find(decide(bed, seen).status.conditions, kind)
        assert fact is not None
        assert "container server in pod bed-0 ended with OOMKilled" in fact.message


@pytest.mark.parametrize(
    ("waited", "kind", "reason"),
    [(590.0, "Hindered", "NoAnswer"), (610.0, "Failed", "CheckTimeout")],
)
def test_checks_that_are_not_answered_say_so_and_have_the_time_of_a_proof(
    waited: float, kind: str, reason: str
) -> None:
    unanswered = TestbedFound(nodes=ALONE, problem="the agent of bed-0 does not answer")
    decision = decide(tpcc({**UP, "Loaded": ("True", waited)}), saw(found=unanswered))
    assert bool(failure(decision)) is (kind == "Failed")
    fact = find(decision.status.conditions, kind)
    assert fact is not None
    assert fact.reason == reason
    assert unanswered.problem in fact.message


def test_a_proof_that_comes_while_its_node_is_waited_for_counts() -> None:
    facts = {**LOADED, "Alone": ("False", 60.0)}
    proven = decide(a_testbed(facts), saw(found=replace(BUSY, proof=FullProof(PROVEN, "sha256:0"))))
    assert status_of(proven, "Ready")[0] == "True"
    later = decide(a_testbed({**facts, "Proven": ("True", 9.0)}), saw(found=TestbedFound()))
    assert status_of(later, "Alone") == ("True", "Leased"), "later deadlines run"

"""A testbed whose database, or whose node, is not to be had for heavy work yet."""

from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.reconcile.effects.effect import CreateLoad
from encbench.reconcile.nodes import NodeStanding
from encbench.reconcile.pods import ContainerFacts, PodFacts
from encbench.reconcile.testbed.decide import decide
from encbench.reconcile.testbed.facts import TestbedFound
from tests.unit.reconcile.seen import a_pod, a_testbed, ago, wants
from tests.unit.reconcile.test_testbed_decide import UP, failure, saw, status_of

BUSY = TestbedFound(nodes=NodeStanding(waits="waits for node node-1"))
"""Another campaign is measured on the node."""

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


def test_once_its_database_is_back_the_load_has_its_whole_time() -> None:
    """Its Job could not be created before."""
    facts = {"Provisioned": ("True", 1.0), "Loaded": ("False", 9e4)}
    begins = decide(a_testbed(facts, serverStarted=1.0), saw())
    assert not failure(begins)
    assert wants(begins, CreateLoad)

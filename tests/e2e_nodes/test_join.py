"""Two nodes join the cluster that the other tests have used, and measure at once.

It is the one test of several nodes in `make test`.
"""

from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import delete_campaign, trials
from tests.e2e_nodes.joining import Joined
from tests.e2e_nodes.nodes import Nodes
from tests.e2e_nodes.placed import matrix, on
from tests.support.kube import Kube, wait_for

NAME = "joined"
SOON = 60
"""Seconds until a node is Ready; a quiet machine takes 20."""


def test_they_are_ready_soon_and_the_first_goes_on(
    joined: Joined | None, nodes: Nodes, capsys: pytest.CaptureFixture[str]
) -> None:
    if joined is None:
        pytest.skip("they were there from the start: NODES is 3")
    with capsys.disabled():
        print("\nReady after the node's certificate:", joined.seconds)
    assert joined.seconds.keys() == set(nodes.further)
    assert max(joined.seconds.values()) < SOON
    assert all(joined.before.values()), "the search finds every daemon"
    assert joined.after == joined.before, "nothing of the first node was started anew"


def campaign(kube: Kube, nodes: Nodes) -> dict[str, Any]:
    """Databases on the first node, and two clients that have to share the others."""
    resources = {"cpu": "600m", "memory": "384Mi"}
    kube.apply(
        manifests.instance(NAME, resources=resources, **on(nodes.chart)),
        manifests.workload(
            NAME,
            sysbench={"tables": 1, "tableSize": 500},
            load={"warmup": "1s", "duration": "3s"},
            client={"replicas": 2},
        ),
    )
    return manifests.campaign(
        NAME, [], matrix=matrix(NAME), allowColocation=False, blocks={"min": 1}
    )


def test_a_trial_has_its_clients_on_the_nodes_that_joined(installed: Kube, nodes: Nodes) -> None:
    installed.apply(campaign(installed, nodes))

    def succeeded() -> dict[str, Any] | None:
        found = [one.get("status") or {} for one in trials(installed, NAME)]
        return next((one for one in found if one.get("outcome") == "Succeeded"), None)

    try:
        status = wait_for("a trial that succeeds", succeeded, 180)
        assert status["pods"]["database"]["node"] == nodes.chart
        assert {one["node"] for one in status["pods"]["clients"]} == set(nodes.further)
        assert status["result"]["tps"] > 0
    finally:
        delete_campaign(installed, NAME)

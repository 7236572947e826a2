"""A node goes: the campaign names it, its deletion ends, and nothing of it stays on the node."""

from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.campaigns import conditions, delete_campaign, ended
from tests.e2e_nodes.losing import lost, named
from tests.e2e_nodes.nodes import Nodes
from tests.e2e_nodes.placed import apart, matrix
from tests.faults.running import wait_for_running_trial
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

SOON = 75
"""Kubernetes itself waits for 50 s for a kubelet that does not answer."""


def assert_told(kube: Kube, body: dict[str, Any], node: str) -> None:
    """Step and event say what the condition says."""
    words = f"node {node} of pod"
    assert words in conditions(body)["Hindered"]["message"]
    assert words in body["status"]["step"]
    events = [
        event
        for event in kube.list("events", NAMESPACE)
        if event["involvedObject"]["name"] == body["metadata"]["name"]
        and event["reason"] == "NodeLost"
    ]
    assert {event["type"] for event in events} == {"Warning"}
    assert words in events[0]["message"]


def test_a_lost_database_is_named_and_its_campaign_can_be_deleted(
    installed: Kube, nodes: Nodes
) -> None:
    name = "database-lost"
    installed.apply(apart(installed, nodes, name, blocks={"min": 3}))
    try:
        wait_for_running_trial(installed, name)
        with lost(nodes.databases):
            body = wait_for(
                "a word about the node", lambda: named(installed, name, nodes.databases), SOON
            )
            assert_told(installed, body, nodes.databases)
            installed.kubectl("delete", "campaign", name, "-n", NAMESPACE, "--timeout=120s")
    finally:
        delete_campaign(installed, name)


@pytest.mark.full
def test_a_lost_client_is_named_and_its_campaign_can_be_deleted(
    installed: Kube, nodes: Nodes
) -> None:
    name = "client-lost"
    installed.apply(apart(installed, nodes, name, blocks={"min": 3}))
    try:
        wait_for_running_trial(installed, name)
        with lost(nodes.clients):
            wait_for("a word about the node", lambda: named(installed, name, nodes.clients), SOON)
            # The lost kubelet will never confirm the client's end: the operator gives up at 300 s.
            where = ("-n", NAMESPACE, "--timeout=340s")
            installed.run("kubectl", "delete", "campaign", name, *where, timeout=360)
    finally:
        delete_campaign(installed, name)


@pytest.mark.full
def test_a_campaign_goes_on_with_other_testbeds_after_its_databases_were_lost(
    installed: Kube, nodes: Nodes
) -> None:
    name = "replaced"
    installed.kubectl("cordon", nodes.chart)  # It is not ours to lose.
    try:
        installed.apply(
            manifests.instance(name, placement={}),
            manifests.workload(name),
            manifests.campaign(
                name,
                [],
                matrix=matrix(name),
                blocks={"min": 2, "maxReplacements": 1},
                stepDeadlines={"provision": "90s"},
                allowColocation=False,
            ),
        )
        wait_for_running_trial(installed, name)
        installed.kubectl("uncordon", nodes.chart)
        where = {
            bed["status"]["machine"]["node"]
            for bed in installed.list("testbeds", NAMESPACE, f"encbench.io/campaign={name}")
        }
        (node, *_) = sorted(where)
        with lost(node):
            body = wait_for("the end of the campaign", lambda: ended(installed, name), 560)
        assert conditions(body)["Complete"]["status"] == "True"
        (gone,) = body["status"]["lostSets"]
        assert f"node {node}" in gone["message"]
        reasons = {
            event["reason"]
            for event in installed.list("events", NAMESPACE)
            if event["involvedObject"]["name"] == name
        }
        assert "SetLost" in reasons
        report = installed.get("overheadreport", name, NAMESPACE)
        assert report is not None
        records = readings.records(installed, report["status"])
        counted = [one for one, _ in records if "g2-" in one["spec"]["testbedRef"]["name"]]
        assert len([one for one in counted if one["outcome"] == "Succeeded"]) >= 4
        assert node not in {one["databaseNode"] for one in counted}
    finally:
        installed.kubectl("uncordon", nodes.chart)
        delete_campaign(installed, name)

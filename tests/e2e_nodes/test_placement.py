"""A campaign without `allowColocation`: every client runs on another node than its database.

Where pods ran is read from the API server while they run, and compared with what records and report
say of it. The figures are recomputed from the raw objects.
"""

import math
from statistics import mean
from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.campaigns import conditions, delete_campaign, ended
from tests.e2e.readings import Records
from tests.e2e_nodes.placed import matrix
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

NAME = "placed"
BLOCKS = 2
ARMS = ("plaintext", "plaintext-control", "tde")

Pods = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def pods(installed: Kube) -> Any:
    """Every pod of the campaign that had a node, as last seen, by its name."""
    seen: Pods = {}

    def look() -> dict[str, Any] | None:
        for pod in installed.list("pods", NAMESPACE, f"encbench.io/campaign={NAME}"):
            if pod["spec"].get("nodeName"):
                seen[pod["metadata"]["name"]] = pod
        return ended(installed, NAME)

    fields = {"matrix": matrix(NAME, "tde"), "blocks": {"min": BLOCKS}, "allowColocation": False}
    installed.apply(
        manifests.instance(NAME, placement={}),
        manifests.workload(NAME),
        manifests.campaign(NAME, [], **fields),
    )
    campaign = wait_for("the end of the campaign", look, 500)
    assert conditions(campaign)["Complete"]["status"] == "True"
    yield seen
    delete_campaign(installed, NAME)


@pytest.fixture(scope="module")
def report(installed: Kube, pods: Pods) -> dict[str, Any]:
    """The OverheadReport's status."""
    body = installed.get("overheadreport", NAME, NAMESPACE)
    assert body is not None
    status: dict[str, Any] = body["status"]
    return status


@pytest.fixture(scope="module")
def records(installed: Kube, report: dict[str, Any]) -> Records:
    """Every trial's record with its raw artefacts."""
    return readings.records(installed, report)


def _of(pods: Pods, component: str) -> list[dict[str, Any]]:
    label = "app.kubernetes.io/component"
    return [pod for pod in pods.values() if pod["metadata"]["labels"][label] == component]


def _nodes(pods: list[dict[str, Any]], label: str) -> dict[str, str]:
    return {pod["metadata"]["labels"][label]: pod["spec"]["nodeName"] for pod in pods}


def test_no_client_ran_beside_its_database(pods: Pods) -> None:
    databases = _nodes(_of(pods, "database"), "encbench.io/testbed")
    clients = _of(pods, "client")
    assert len(databases) == len(ARMS)
    assert len(clients) == BLOCKS * len(ARMS)
    for pod in clients:
        assert (
            pod["spec"]["nodeName"] != databases[pod["metadata"]["labels"]["encbench.io/testbed"]]
        )


def test_records_and_report_say_where_everything_ran(
    pods: Pods, records: Records, report: dict[str, Any]
) -> None:
    databases = _nodes(_of(pods, "database"), "encbench.io/arm")
    clients = _nodes(_of(pods, "client"), "encbench.io/trial")
    for record, _ in records:
        assert record["databaseNode"] in databases.values()
        assert [one["node"] for one in record["clients"]] == [clients[record["trial"]["name"]]]
    assert not report.get("colocated", False)


def test_the_figures_follow_from_the_raw_objects(records: Records, report: dict[str, Any]) -> None:
    by_arm: dict[str, list[dict[str, bytes]]] = {arm: [] for arm in ARMS}
    for record, raw in sorted(records, key=lambda entry: int(entry[0]["spec"]["block"])):
        by_arm[record["spec"]["arm"]["name"]].append(raw)
    logs = {
        arm: [readings.figures(raw["client-0/output.log"].decode())["tps"] for raw in own]
        for arm, own in by_arm.items()
    }
    assert [len(own) for own in logs.values()] == [BLOCKS] * len(ARMS)
    (row,) = [row for row in report["rows"] if row["arm"] == "tde"]
    assert row["tps"] == pytest.approx(readings.geometric(logs["tde"]), rel=0.005)
    pairs = zip(*(logs[arm] for arm in ARMS), strict=True)
    d = [math.log(tde) - (math.log(a) + math.log(control)) / 2 for a, control, tde in pairs]
    assert row["overhead"]["estimate"] == pytest.approx(1 - math.exp(mean(d)), abs=0.005)


def test_the_servers_cpu_is_measured_on_whichever_node_it_ran(
    records: Records, report: dict[str, Any]
) -> None:
    shown = [(record, raw) for record, raw in records if (record.get("cpu") or {}).get("database")]
    assert shown, "no trial has CPU figures"
    for record, raw in shown:
        assert record["cpu"]["database"]["cores"] == pytest.approx(readings.cores(raw), rel=0.02)
        if (of_node := readings.cpu(record, "node")) is not None:
            assert of_node["node"] == record["databaseNode"]

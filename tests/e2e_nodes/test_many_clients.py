"""Many client pods of one trial: they start together, their figures add up, one may be lost.

Nothing of the operator's code is used here: starts and figures are read from what each client left
in the bucket. The pods request next to no CPU, because sixty-four would not fit on these nodes.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.network import NODE_ADDRESS
from tests.e2e import manifests, readings
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import conditions, delete_campaign, ended, trials
from tests.e2e.readings import Records
from tests.e2e_nodes.losing import lost, named
from tests.e2e_nodes.nodes import Nodes
from tests.e2e_nodes.placed import matrix, on
from tests.faults.running import wait_for_running_trial
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for
from tests.support.overcommit import overcommitted

pytestmark = pytest.mark.full

PODS, RATE = 64, 128
THREADS, REPLICAS = 1024, 8
SPARE = 36
"""Connections that the operator allows besides the clients' (docs/clients.md)."""
TOGETHER = 0.05
"""Seconds between the first start and the last that the report lets pass without a word."""


@dataclass(frozen=True)
class Found:
    """A campaign that has ended."""

    campaign: dict[str, Any]
    report: dict[str, Any]
    """The whole of it, as JSON in the bucket."""
    records: Records

    @property
    def succeeded(self) -> Records:
        return [one for one in self.records if one[0]["outcome"] == "Succeeded"]

    def shown(self, record: dict[str, Any]) -> dict[str, Any]:
        """What the report says of that trial."""
        (view,) = [v for v in self.report["trials"] if v["uid"] == record["trial"]["uid"]]
        found: dict[str, Any] = view
        return found


@pytest.fixture(scope="module")
def crowded(installed: Kube) -> Iterator[Kube]:
    """The cluster, while clients take no room of its nodes."""
    with overcommitted(installed, NAMESPACE, NODE_ADDRESS):
        yield installed


def conducted(kube: Kube, campaign: dict[str, Any], seconds: float) -> Found:
    """A campaign that is applied and has that long; its databases make room for the next one's."""
    kube.apply(campaign)
    name = campaign["metadata"]["name"]
    try:
        body = wait_for(f"the end of {name}", lambda: ended(kube, name), seconds, every=3)
        return left_by(kube, body)
    finally:
        delete_campaign(kube, name)


def left_by(kube: Kube, body: dict[str, Any]) -> Found:
    """What a campaign that has ended left in the bucket."""
    name = body["metadata"]["name"]
    ends = [one.get("status", {}).get("reason") for one in trials(kube, name)]
    assert conditions(body).get("Complete", {}).get("status") == "True", ends
    report = kube.get("overheadreport", name, NAMESPACE)
    assert report is not None
    status = report["status"]
    with bucket(kube) as store:
        whole = json.loads(readings.checked(store, status["artefacts"]["json"]))
    return Found(body, whole, readings.records(kube, status))


def summaries(raw: dict[str, bytes], count: int) -> list[dict[str, Any]]:
    """What the recorder of each client wrote, in order of its index."""
    return [json.loads(raw[f"client-{index}/summary.json"]) for index in range(count)]


def logs(raw: dict[str, bytes], count: int) -> list[str]:
    """What each client's tool printed, in order of its index."""
    return [raw[f"client-{index}/output.log"].decode() for index in range(count)]


def campaign(name: str, **fields: Any) -> dict[str, Any]:
    """The baseline against itself, with time for many pods to start."""
    deadlines = {"start": "10m", **fields.pop("stepDeadlines", {})}
    usual = {"matrix": matrix(name), "blocks": {"min": 1, "maxReplacements": 1}}
    more = {**usual, "allowColocation": False, "stepDeadlines": deadlines, **fields}
    return manifests.campaign(name, [], **more)


# -- sixty-four pods


@pytest.fixture(scope="module")
def sixty_four(crowded: Kube, nodes: Nodes) -> Found:
    """A trial of each arm with 64 clients, which offer two transactions a second each."""
    name = "many-pods"
    crowded.apply(
        manifests.instance(name, **on(nodes.databases)),
        manifests.workload(
            name,
            sysbench={"script": "oltp_point_select", "tables": 1},
            load={"concurrency": [PODS], "rate": RATE, "warmup": "5s", "duration": "15s"},
            client={"replicas": PODS, "resources": {"cpu": "50m", "memory": "64Mi"}},
        ),
    )
    return conducted(crowded, campaign(name), 1200)


def test_sixty_four_clients_ran_in_every_trial(sixty_four: Found, nodes: Nodes) -> None:
    assert len(sixty_four.succeeded) == 2
    for record, raw in sixty_four.succeeded:
        assert len(record["clients"]) == PODS
        assert {one["node"] for one in record["clients"]} == {nodes.chart, nodes.clients}
        assert all(one["exitCode"] == 0 for one in summaries(raw, PODS))


def test_they_started_together_or_the_report_says_that_they_did_not(
    sixty_four: Found, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the clock of this machine's kernel, which all its nodes share.

    A machine that pauses for a moment scatters the starts of one trial, so that the goal,
    `TOGETHER`, is for the best of them.
    """
    spreads = []
    for record, raw in sixty_four.succeeded:
        own = summaries(raw, PODS)
        starts = [one["loadBegan"]["monotonic"] for one in own]
        windows = [one["window"]["start"] for one in own]
        spread = max(starts) - min(starts)
        with capsys.disabled():
            first_window = max(windows) - min(windows)
            print(
                f"\n64 clients: starts within {spread:.3f} s (the goal is {TOGETHER} s), "
                f"windows within {first_window:.3f} s"
            )
        assert spread < 1
        # What the report says is by the operator's clock, which the record has.
        began = [one["began"] for one in record["clients"]]
        told = sixty_four.shown(record)["startSpreadMs"]
        assert told == pytest.approx(1000 * (max(began) - min(began)), abs=1)
        assert told == pytest.approx(1000 * spread, abs=30)
        spreads.append(told)
    assert min(spreads) <= 1000 * TOGETHER
    titles = [caveat["title"] for caveat in sixty_four.report["caveats"]]
    scattered = max(spreads) > 1000 * TOGETHER
    assert ("The clients did not start together" in titles) == scattered


def test_the_figures_are_the_sums_of_the_clients_own(sixty_four: Found) -> None:
    for record, raw in sixty_four.succeeded:
        own = [readings.figures(log) for log in logs(raw, PODS)]
        assert all(one["transactions"] > 0 for one in own)
        assert record["transactions"] == sum(one["transactions"] for one in own)
        for rate in ("tps", "qps"):
            total = sum(one[rate] for one in own)
            assert record["result"][rate] == pytest.approx(total, rel=0.01)
        assert record["result"]["tps"] == pytest.approx(RATE, rel=0.15)
        counted = sum(count for _, count in record["histogram"])
        assert counted == pytest.approx(record["transactions"], rel=0.02)


def test_the_report_names_the_slowest(sixty_four: Found) -> None:
    for record, raw in sixty_four.succeeded:
        own = [readings.figures(log)["tps"] for log in logs(raw, PODS)]
        slowest = sixty_four.shown(record)["slowestClient"]
        assert slowest["node"] == record["clients"][slowest["index"]]["node"]
        assert slowest["tps"] == pytest.approx(own[slowest["index"]], rel=0.02)
        assert slowest["tps"] == pytest.approx(min(own), rel=0.02)
        share = 100 * min(own) * PODS / sum(own)
        assert slowest["percentOfMean"] == pytest.approx(share, rel=0.02)


# -- a thousand threads


@pytest.fixture(scope="module")
def thousand(crowded: Kube, nodes: Nodes) -> Found:
    """A trial of each arm with 1,024 threads of eight clients."""
    name = "many-threads"
    resources = {"cpu": "250m", "memory": "1Gi"}
    crowded.apply(
        manifests.instance(name, resources=resources, **on(nodes.databases)),
        manifests.workload(
            name,
            sysbench={"script": "oltp_point_select", "tables": 1},
            load={"concurrency": [THREADS], "warmup": "5s", "duration": "10s"},
            client={"replicas": REPLICAS, "resources": {"cpu": "200m", "memory": "96Mi"}},
        ),
    )
    return conducted(crowded, campaign(name), 600)


def test_a_thousand_threads_ran_in_every_trial(thousand: Found) -> None:
    assert len(thousand.succeeded) == 2
    for record, raw in thousand.succeeded:
        printed = logs(raw, REPLICAS)
        shares = [f"Number of threads: {THREADS // REPLICAS}\n" in log for log in printed]
        assert shares == [True] * REPLICAS
        assert record["transactions"] == sum(
            readings.figures(log)["transactions"] for log in printed
        )
        assert record["result"]["errors"] == 0


def test_the_server_allowed_as_many_connections(thousand: Found) -> None:
    for _, raw in thousand.succeeded:
        settings = json.loads(raw["provenance.json"])["server"]["settings"]
        assert int(settings["max_connections"]) == THREADS + SPARE


# -- a node that is lost


def test_a_lost_client_s_node_spoils_its_own_trial_alone(crowded: Kube, nodes: Nodes) -> None:
    """Databases are on the first node, and four clients on the two others, of which one goes."""
    name = "many-lost"
    crowded.apply(
        manifests.instance(name, **on(nodes.chart)),
        manifests.workload(
            name, load={"concurrency": [4], "duration": "20s"}, client={"replicas": 4}
        ),
        campaign(name, blocks={"min": 2, "maxReplacements": 1}, stepDeadlines={"overrun": "10s"}),
    )
    try:
        spoilt = wait_for_running_trial(crowded, name)
        where = {one["node"] for one in spoilt["status"]["pods"]["clients"]}
        assert where == set(nodes.further)
        with lost(nodes.clients):
            wait_for("a word about the node", lambda: named(crowded, name, nodes.clients), 90)
            body = wait_for("the end of the campaign", lambda: ended(crowded, name), 600)
        found = left_by(crowded, body)
        others = [one for one, _ in found.records if one["outcome"] != "Succeeded"]
        (only,) = others
        assert only["trial"]["name"] == spoilt["metadata"]["name"]
        assert (only["outcome"], only["reason"]) == ("Invalid", "Disrupted")
        assert f"node {nodes.clients} of pod" in only["message"]
        assert len(found.succeeded) >= 4, "two blocks of two arms"
        later = [one for one, _ in found.succeeded if one["releaseAt"] > only["releaseAt"]]
        assert {c["node"] for one in later for c in one["clients"]} == {nodes.databases}
        assert len(trials(crowded, name)) == len(found.records)
    finally:
        delete_campaign(crowded, name)

"""Two cells of one campaign on nodes of their own: both are measured at once, on no node twice.

Each cell is bound to a node, with its databases and its clients, so that nothing but the campaign
decides when it is measured.
"""

import json
from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.conftest import conditions, delete_campaign, ended
from tests.e2e.readings import Records
from tests.e2e_nodes.conftest import Nodes
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

NAME = "side-by-side"
BLOCKS, ARMS = 3, 2

Steps = set[str]
Windows = list[tuple[float, float, str]]
"""Start, end and cell."""

pytestmark = pytest.mark.full


def campaign(nodes: Nodes) -> list[dict[str, Any]]:
    """The campaign, with a template and a workload for each node."""
    bodies, matrix = [], []
    for node in (nodes.databases, nodes.clients):
        name = f"on-{node}"
        there = {"placement": {"nodeSelector": {"kubernetes.io/hostname": node}}}
        small = {"resources": {"cpu": "200m", "memory": "384Mi"}, **there}
        client = {"resources": {"cpu": "150m", "memory": "64Mi"}, **there}
        bodies += [
            manifests.instance(name, **small),
            manifests.workload(name, client=client, load={"duration": "10s"}),
        ]
        matrix.append({"instanceRefs": [name], "modeRefs": ["plaintext"], "workloadRefs": [name]})
    fields = {"matrix": matrix, "blocks": {"min": BLOCKS}, "parallelism": 2}
    return [*bodies, manifests.campaign(NAME, [], **fields)]


@pytest.fixture(scope="module")
def steps(installed: Kube, nodes: Nodes) -> Any:
    """Everything that the campaign said until it had ended."""
    seen: Steps = set()

    def look() -> dict[str, Any] | None:
        body = installed.get("campaign", NAME, NAMESPACE) or {}
        seen.add(body.get("status", {}).get("step", ""))
        return ended(installed, NAME)

    installed.apply(*campaign(nodes))
    try:
        found = wait_for("the end of the campaign", look, 540)
        assert conditions(found)["Complete"]["status"] == "True"
        yield seen
    finally:
        delete_campaign(installed, NAME)


@pytest.fixture(scope="module")
def records(installed: Kube, steps: Steps) -> Records:
    """Every trial's record with its raw artefacts."""
    report = installed.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    return readings.records(installed, report["status"])


@pytest.fixture(scope="module")
def windows(records: Records) -> dict[str, Windows]:
    """The clients' own windows on each node, in the order of time."""
    found = defaultdict(list)
    for record, raw in records:
        window = json.loads(raw["client-0/summary.json"])["window"]
        for node in {record["databaseNode"], record["clients"][0]["node"]}:
            found[node].append((window["start"], window["end"], record["spec"]["cell"]))
    return {node: sorted(own) for node, own in found.items()}


def test_each_cell_has_all_its_trials_on_its_own_node(
    records: Records, windows: dict[str, Windows], nodes: Nodes
) -> None:
    assert len(records) == 2 * BLOCKS * ARMS
    assert windows.keys() == {nodes.databases, nodes.clients}
    cells = [{cell for *_, cell in own} for own in windows.values()]
    assert [len(own) for own in cells] == [1, 1]
    assert cells[0] != cells[1]


def test_the_cells_were_measured_at_once(windows: dict[str, Windows]) -> None:
    one, other = windows.values()
    at_once = [(a, b) for a in one for b in other if max(a[0], b[0]) < min(a[1], b[1])]
    assert at_once, "no two windows overlap"


def test_no_two_windows_overlap_on_a_node(windows: dict[str, Windows]) -> None:
    for node, own in windows.items():
        for (_, end, _), (start, _, _) in pairwise(own):
            assert end <= start, f"two trials were measured on {node} at the same time"


def test_the_step_says_what_each_cell_does(steps: Steps) -> None:
    both = [step for step in steps if "cell 1: block" in step and "cell 2: block" in step]
    assert both, steps

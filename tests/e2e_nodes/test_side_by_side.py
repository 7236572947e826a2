"""Two cells of one campaign on nodes of their own: both are measured at once, on no node twice.

Each cell is bound to a node, with its databases and its clients, so that nothing but the campaign
decides when it is measured.
"""

from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.campaigns import conditions, delete_campaign, ended
from tests.e2e.readings import Records
from tests.e2e_nodes.nodes import Nodes
from tests.e2e_nodes.placed import matrix, on
from tests.e2e_nodes.windows import Windows, overlaps, windows
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

NAME = "side-by-side"
BLOCKS, ARMS = 3, 2

Steps = set[str]

pytestmark = pytest.mark.full


def campaign(nodes: Nodes) -> list[dict[str, Any]]:
    """The campaign, with a template and a workload for each node."""
    bodies, entries = [], []
    for node in (nodes.databases, nodes.clients):
        name = f"on-{node}"
        small = {"resources": {"cpu": "200m", "memory": "384Mi"}, **on(node)}
        client = {"resources": {"cpu": "150m", "memory": "64Mi"}, **on(node)}
        bodies += [
            manifests.instance(name, **small),
            manifests.workload(name, client=client, load={"duration": "10s"}),
        ]
        entries += matrix(name)
    fields = {"matrix": entries, "blocks": {"min": BLOCKS}, "parallelism": 2}
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
def measured(records: Records) -> Windows:
    """The cells' windows on each node."""
    return windows((record["spec"]["cell"], record, raw) for record, raw in records)


def test_each_cell_has_all_its_trials_on_its_own_node(
    records: Records, measured: Windows, nodes: Nodes
) -> None:
    assert len(records) == 2 * BLOCKS * ARMS
    assert measured.keys() == {nodes.databases, nodes.clients}
    cells = [{window.owner for window in own} for own in measured.values()]
    assert [len(own) for own in cells] == [1, 1]
    assert cells[0] != cells[1]


def test_the_cells_were_measured_at_once(measured: Windows) -> None:
    one, other = measured.values()
    at_once = [(a, b) for a in one for b in other if max(a.start, b.start) < min(a.end, b.end)]
    assert at_once, "no two windows overlap"


def test_no_two_windows_overlap_on_a_node(measured: Windows) -> None:
    assert not overlaps(measured)


def test_the_step_says_what_each_cell_does(steps: Steps) -> None:
    both = [step for step in steps if "cell 1: block" in step and "cell 2: block" in step]
    assert both, steps

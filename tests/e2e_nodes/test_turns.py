"""Campaigns that are applied together: no two of them measure on one node at the same time.

Of three nodes each trial takes two, its database's and its client's, so any two trials share one.
"""

from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.campaigns import conditions, delete_campaign, ended
from tests.e2e_nodes.placed import matrix
from tests.e2e_nodes.windows import overlaps, windows
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

NAMES = ("first", "second", "third")
BLOCKS, ARMS = 1, 2
PART = "in-turns"

Steps = dict[str, set[str]]
"""By campaign: what its status said that it was doing."""


def together() -> list[dict[str, Any]]:
    """The campaigns, with what they name; their databases fit side by side."""
    fields = {"matrix": matrix(PART), "blocks": {"min": BLOCKS}, "allowColocation": False}
    return [
        manifests.instance(PART, resources={"cpu": "200m", "memory": "384Mi"}, placement={}),
        manifests.workload(PART, client={"resources": {"cpu": "150m", "memory": "64Mi"}}),
        *(manifests.campaign(name, [], **fields) for name in NAMES),
    ]


@pytest.fixture(scope="module")
def steps(installed: Kube) -> Any:
    """Everything that the campaigns said until the last of them had ended."""
    seen: Steps = {name: set() for name in NAMES}

    def look() -> bool:
        for name in NAMES:
            body = installed.get("campaign", name, NAMESPACE) or {}
            seen[name].add(body.get("status", {}).get("step", ""))
        return all(ended(installed, name) for name in NAMES)

    installed.apply(*together())
    try:
        wait_for("the end of the campaigns", look, 600)
        yield seen
    finally:
        delete_campaign(installed, *NAMES)


@pytest.fixture(scope="module")
def trials(installed: Kube, steps: Steps) -> list[tuple[str, dict[str, Any], dict[str, bytes]]]:
    """The name of its campaign, the record and the raw artefacts of every trial."""
    found = []
    for name in NAMES:
        report = installed.get("overheadreport", name, NAMESPACE)
        assert report is not None
        found += [(name, *one) for one in readings.records(installed, report["status"])]
    return found


def test_all_of_them_end_well(installed: Kube, trials: list[Any]) -> None:
    for name in NAMES:
        body = installed.get("campaign", name, NAMESPACE)
        assert body is not None
        assert conditions(body)["Complete"]["status"] == "True"
    assert len(trials) == len(NAMES) * BLOCKS * ARMS


def test_no_two_windows_overlap_on_a_node(
    trials: list[tuple[str, dict[str, Any], dict[str, bytes]]],
) -> None:
    for _, record, _ in trials:
        assert record["databaseNode"] != record["clients"][0]["node"]
    measured = windows(trials)
    assert not overlaps(measured)
    shared = [own for own in measured.values() if len({window.owner for window in own}) > 1]
    assert shared, "no node was shared, so nothing was shown"


def test_who_waits_says_for_which_node_and_campaign(steps: Steps) -> None:
    waits = [one for own in steps.values() for one in own if "waits for node" in one]
    assert any(f"held by campaign {NAMESPACE}/" in one for one in waits), steps

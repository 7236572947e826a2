"""What keeps a pod from running is named in the Campaign within half a minute."""

from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import Start, conditions
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

NAME = "hindered"
SOON = 30

CASES = {
    "ImagePullFailed": (
        manifests.instance("broken", image="localhost:1/none:1"),
        "the image of container",
    ),
    "Unschedulable": (
        manifests.instance("broken", placement={"nodeSelector": {"encbench-test": "nowhere"}}),
        "fits no node",
    ),
    # Without a server in it the image cannot initialise a data directory.
    "ContainerFailed": (
        manifests.instance("broken", image="docker.io/encbench/sysbench:1.0.20"),
        "container initialise in pod",
    ),
}


@pytest.mark.parametrize("reason", CASES)
def test_it_is_named_in_step_condition_and_event(
    installed: Kube, start: Start, reason: str
) -> None:
    template, words = CASES[reason]
    installed.apply(template)
    matrix = [{"instanceRefs": ["broken"], "modeRefs": ["tde"], "workloadRefs": ["read-write"]}]
    start(manifests.campaign(NAME, [], matrix=matrix))
    wait_for("a database pod", lambda: installed.list("pods", NAMESPACE, _own()), 60)

    def named() -> dict[str, Any] | None:
        body = installed.get("campaign", NAME, NAMESPACE)
        fact = conditions(body or {}).get("Hindered", {})
        return body if fact.get("reason") == reason else None

    body = wait_for("a word about it", named, SOON)
    assert words in conditions(body)["Hindered"]["message"]
    assert words in body["status"]["step"]
    events = [
        event
        for event in installed.list("events", NAMESPACE)
        if event["involvedObject"]["name"] == NAME and event["reason"] == reason
    ]
    assert {event["type"] for event in events} == {"Warning"}
    assert words in events[0]["message"]


def _own() -> str:
    return f"encbench.io/campaign={NAME},app.kubernetes.io/component=database"

"""SIGKILL of the operator in the middle changes nothing in the outcome."""

import json

from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import Start, conditions, ended, trials
from tests.faults.running import wait_for_running_trial
from tests.support.install import NAMESPACE, OPERATOR_PODS
from tests.support.kube import Kube, wait_for

NAME = "killed"


def test_the_outcome_is_the_same(installed: Kube, start: Start) -> None:
    start(manifests.campaign(NAME, ["plaintext"], blocks={"min": 1, "maxReplacements": 0}))
    wait_for("a testbed", lambda: installed.list("testbeds", NAMESPACE, _own()), 60)
    _kill(installed)
    seen = set()
    for _ in range(2):
        running = wait_for_running_trial(installed, NAME)
        seen.add(running["metadata"]["name"])
        _kill(installed)
        wait_for("the operator", lambda: _ready(installed), 90)
    body = wait_for("the end of the campaign", lambda: ended(installed, NAME), 400)
    assert conditions(body)["Complete"]["status"] == "True", body["status"]
    done = trials(installed, NAME)
    places = sorted((t["spec"]["block"], t["spec"]["arm"]["name"]) for t in done)
    assert places == [(1, "plaintext"), (1, "plaintext-control")], (
        "every attempt was made once, and none had to be replaced"
    )
    assert {t["status"]["outcome"] for t in done} == {"Succeeded"}
    assert seen <= {t["metadata"]["name"] for t in done}
    keys = [t["status"]["artefactKey"] for t in done]
    assert len(set(keys)) == len(keys) == 2
    report = installed.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    with bucket(installed) as store:
        index = json.loads(store.get(report["status"]["artefacts"]["index"]["key"]))
    assert sorted(entry["key"] for entry in index["trials"]) == sorted(keys), "counted once each"


def _own() -> str:
    return f"encbench.io/campaign={NAME}"


def _kill(kube: Kube) -> None:
    """Kill -9 by way of a deletion without grace: the kubelet sends SIGKILL at once."""
    kube.kubectl(
        "delete", "pod", "-n", NAMESPACE, "-l", OPERATOR_PODS, "--grace-period=0", "--force"
    )


def _ready(kube: Kube) -> bool:
    pods = kube.list("pods", NAMESPACE, OPERATOR_PODS)
    return any(
        status["ready"]
        for pod in pods
        if "deletionTimestamp" not in pod["metadata"]
        for status in pod["status"].get("containerStatuses", [])
    )

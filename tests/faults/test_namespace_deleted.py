"""Deleting a watched namespace in the middle of a trial: it goes, and the operator goes on."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import Start, conditions, ended
from tests.support.install import NAMESPACE, OPERATOR_PODS, install
from tests.support.kube import Kube, wait_for

pytestmark = pytest.mark.full

NAME, DOOMED = "bystander", "doomed"


@pytest.fixture
def doomed(installed: Kube) -> Iterator[str]:
    """A second namespace that the operator watches, with what campaigns name."""
    installed.kubectl("create", "namespace", DOOMED)
    try:
        install(installed, f"watchNamespaces={{{DOOMED}}}")
        installed.apply(*(_moved(body) for body in manifests.parts()))
        yield DOOMED
    finally:
        installed.kubectl("delete", "namespace", DOOMED, "--ignore-not-found", "--timeout=180s")
        install(installed)


def test_the_namespace_goes_and_the_others_go_on(
    installed: Kube, start: Start, doomed: str
) -> None:
    installed.apply(_moved(manifests.campaign("study", ["plaintext"], blocks={"min": 3})))
    wait_for("a running trial", lambda: _runs(installed), 240, every=0.3)

    installed.kubectl("delete", "namespace", doomed, "--wait", "--timeout=150s")

    start(manifests.campaign(NAME, ["plaintext"], blocks={"min": 1, "maxReplacements": 0}))
    body = wait_for("the end of the campaign", lambda: ended(installed, NAME), 400)
    assert conditions(body)["Complete"]["status"] == "True", body["status"]
    (pod,) = installed.list("pods", NAMESPACE, OPERATOR_PODS)
    assert [status["restartCount"] for status in pod["status"]["containerStatuses"]] == [0]


def _moved(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "metadata": {**body["metadata"], "namespace": DOOMED}}


def _runs(kube: Kube) -> bool:
    facts = [conditions(trial) for trial in kube.list("trials", DOOMED)]
    return any(fact.get("Released", {}).get("status") == "True" for fact in facts)

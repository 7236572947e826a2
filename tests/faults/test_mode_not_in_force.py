"""A mode that claims TDE while the server runs plaintext gives Invalid trials and no number."""

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import Start, conditions, ended, trials
from tests.faults.breaking import as_root
from tests.support.install import NAMESPACE, is_own
from tests.support.kube import Kube, wait_for

NAME = "broken-mode"

pytestmark = pytest.mark.skipif(not is_own(), reason="the volume must be on this machine")


def test_plaintext_under_the_name_of_tde_gives_no_number(installed: Kube, start: Start) -> None:
    start(manifests.campaign(NAME, ["tde"], blocks={"min": 1, "maxReplacements": 0}, suspend=True))
    installed.kubectl(
        "patch", "campaign", NAME, "-n", NAMESPACE, "--type=merge", '-p={"spec":{"suspend":false}}'
    )
    _decrypt(installed)
    body = wait_for("the end of the campaign", lambda: ended(installed, NAME), 400)
    facts = conditions(body)
    assert facts["Failed"]["reason"] == "TooManyInvalidTrials"
    of_tde = [t for t in trials(installed, NAME) if t["spec"]["arm"]["name"] == "tde"]
    assert of_tde
    for trial in of_tde:
        status = trial["status"]
        assert status["outcome"] == "Invalid", status
        assert status["reason"] == "ProofFailed"
        assert "result" not in status
    report = installed.get("overheadreport", NAME, NAMESPACE)
    assert report is not None
    for row in report["status"]["rows"]:
        assert "overhead" not in row
        assert row["blocks"] == 0
    assert {entry["reason"] for entry in report["status"]["invalid"]} == {"ProofFailed"}


def _decrypt(kube: Kube) -> None:
    """Break the mode behind the operator's back: have the running server decrypt its tables.

    It is done as soon as the server answers, before the testbed is proven.
    """

    def server() -> str | None:
        selector = f"encbench.io/campaign={NAME},encbench.io/arm=tde"
        for pod in kube.list("pods", NAMESPACE, f"{selector},app.kubernetes.io/component=database"):
            for status in pod.get("status", {}).get("containerStatuses", []):
                if status["name"] == "server" and status["ready"]:
                    name: str = pod["metadata"]["name"]
                    return name
        return None

    pod = wait_for("the TDE server", server, 240, every=0.3)
    as_root(kube, pod.removesuffix("-0"), "SET GLOBAL innodb_encrypt_tables=OFF")

"""The object store is down when a tool ends: nothing is lost, the upload follows."""

import pytest

from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import Start, conditions, ended, trials
from tests.faults.running import scale_store, wait_for_running_trial
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

# Without it `make test` does not end within twenty minutes.
pytestmark = pytest.mark.full

NAME = "store-away"


def test_the_upload_follows(installed: Kube, start: Start) -> None:
    start(manifests.campaign(NAME, ["plaintext"], blocks={"min": 1, "maxReplacements": 0}))
    running = wait_for_running_trial(installed, NAME)
    name = running["metadata"]["name"]
    workload = scale_store(installed, 0)
    try:

        def measured() -> bool:
            trial = installed.get("trial", name, NAMESPACE)
            assert trial is not None
            return conditions(trial).get("ProvenAfter", {}).get("status") == "True"

        wait_for("the end of the tool", measured, 90)
        trial = installed.get("trial", name, NAMESPACE)
        assert trial is not None
        assert trial["status"].get("outcome") is None, "it waits for the store"
        pods = installed.list("pods", NAMESPACE, f"encbench.io/trial={name}")
        assert pods, "the client pod stays with the log"
    finally:
        scale_store(installed, 1)
    body = wait_for("the end of the campaign", lambda: ended(installed, NAME), 400)
    assert conditions(body)["Complete"]["status"] == "True", body["status"]
    done = {t["metadata"]["name"]: t["status"] for t in trials(installed, NAME)}
    assert done[name]["outcome"] == "Succeeded"
    with bucket(installed) as store:
        folder = done[name]["artefactKey"].rpartition("/")[0]
        assert b"SQL statistics:" in store.get(f"{folder}/client-0/output.log")
    assert workload

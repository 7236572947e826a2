"""An operator whose CRDs are applied after it, as a company's process or GitOps may do."""

import time
from pathlib import Path

import yaml

from encbench.api.kinds import CAMPAIGN
from encbench.handlers import LOOK_AGAIN
from encbench.reconcile.loop import SWEEP_SECONDS
from tests.support import manifests, operators
from tests.support.apiserver import REPOSITORY, running
from tests.support.kube import wait_for


def test_it_says_what_it_waits_for_and_watches_what_comes(tmp_path: Path) -> None:
    log = tmp_path / "operator.log"
    campaigns = f"/apis/{CAMPAIGN.api_version}/namespaces/later/{CAMPAIGN.plural}"
    with running() as server:
        server.namespace("later")
        with operators.operator(server.kubeconfig, tmp_path, ["later"]) as process:
            begun = time.monotonic()
            wait_for("the warning", lambda: "nothing is watched yet" in log.read_text(), 30)
            crds = sorted((REPOSITORY / "crds").glob("*.yaml"))
            server.install([yaml.safe_load(path.read_text()) for path in crds])
            time.sleep(2 * LOOK_AGAIN + 3)
            body = manifests.body(CAMPAIGN, "study", "later")
            assert server.request("POST", campaigns, body)[0] == 201
            wait_for(
                "what a watch brings",
                lambda: "conditions" in server.request("GET", f"{campaigns}/study")[1]["status"],
                20,
            )
            assert time.monotonic() - begun < SWEEP_SECONDS, "the sweep finds it without a watch"
            assert process.poll() is None

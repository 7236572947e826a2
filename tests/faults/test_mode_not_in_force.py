"""A mode that claims TDE while the server runs plaintext gives Invalid trials and no number."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pymysql
import pytest

from tests.e2e import manifests
from tests.e2e.conftest import conditions, ended
from tests.faults.running import trials
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

NAME = "broken-mode"

pytestmark = pytest.mark.skipif(
    os.environ.get("CLUSTER") == "existing", reason="the volume must be on this machine"
)


def test_plaintext_under_the_name_of_tde_gives_no_number(
    installed: Kube, start: Callable[[dict[str, Any]], str]
) -> None:
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
    # By the server's own root account, which takes only root of this machine, over its socket.
    with TemporaryDirectory() as directory:
        short = Path(directory, "volume")  # a socket's path has room for 107 characters
        short.symlink_to(_volume(kube, pod))
        with pymysql.connect(unix_socket=str(short / "mariadb.sock"), user="root") as session:
            session.cursor().execute("SET GLOBAL innodb_encrypt_tables=OFF")


def _volume(kube: Kube, pod: str) -> str:
    """Where the pod's volume lies on this machine."""
    claim = kube.get("persistentvolumeclaim", f"{pod.removesuffix('-0')}-data", NAMESPACE)
    assert claim is not None
    volume = kube.get("persistentvolume", claim["spec"]["volumeName"], NAMESPACE)
    assert volume is not None
    source = volume["spec"].get("hostPath") or volume["spec"]["local"]
    path: str = source["path"]
    return path

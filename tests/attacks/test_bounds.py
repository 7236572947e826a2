"""A client that writes without end, and a plan without end: others do not notice."""

from typing import Any

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import Start, conditions, ended, trials
from tests.e2e.refusals import refused
from tests.faults.running import wait_for_running_trial
from tests.support.install import NAMESPACE, OPERATOR_PODS
from tests.support.kube import Kube, wait_for

pytestmark = pytest.mark.full

MEBIBYTES, THREADS = 900, 2
SCRIPT = f"""
sysbench.cmdline.options = {{tables = {{"", 1}}, table_size = {{"", 1}}}}
local line, left = string.rep("x", 1048575) .. "\\n", {MEBIBYTES // THREADS}
function prepare() end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
  if left > 0 then
    io.write(line)
    left = left - 1
  end
  con:query("SELECT 1")
end
"""


def restarts(kube: Kube) -> list[int]:
    """Of the operator's containers; a killed one may be on its way out."""
    return [
        status["restartCount"]
        for pod in kube.list("pods", NAMESPACE, OPERATOR_PODS)
        for status in pod["status"].get("containerStatuses", [])
    ]


def test_a_client_that_writes_900_mib(installed: Kube, start: Start) -> None:
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "talkative", "namespace": NAMESPACE},
        "data": {"talkative.lua": SCRIPT},
    }
    ref = {"name": "talkative", "key": "talkative.lua"}
    load = {"concurrency": [THREADS], "duration": "20s"}
    installed.apply(
        body, manifests.workload("talkative", sysbench={"scriptConfigMapRef": ref}, load=load)
    )
    before = restarts(installed)
    matrix = [
        {"instanceRefs": ["mariadb"], "modeRefs": ["plaintext"], "workloadRefs": ["talkative"]}
    ]
    blocks = {"min": 1, "maxReplacements": 0}
    name = start(manifests.campaign("talkative", [], matrix=matrix, blocks=blocks))
    wait_for("the end of the campaign", lambda: ended(installed, name), 600)
    done = trials(installed, name)
    assert done
    for trial in done:
        status = trial["status"]
        assert (status["outcome"], status["reason"]) == ("Invalid", "OutputTooLarge"), status
    assert restarts(installed) == before, "neither killed nor restarted"


def largest() -> list[dict[str, Any]]:
    """Sixteen templates and workloads, each of these with as many concurrencies as there may be."""
    names = [f"many-{number}" for number in range(16)]
    concurrency = list(range(1, 33))
    return [
        *(manifests.instance(name) for name in names),
        *(manifests.workload(name, load={"concurrency": concurrency}) for name in names),
        manifests.campaign(
            "endless",
            ["tde"],
            matrix=[{"instanceRefs": names, "modeRefs": ["tde"], "workloadRefs": names}],
            blocks={"min": 1000, "maxReplacements": 1000},
        ),
    ]


def test_the_largest_matrix_that_can_be_written(installed: Kube, start: Start) -> None:
    """Some 16 million trials: refused within seconds, while another campaign is measured."""
    blocks = {"min": 1, "maxReplacements": 0}
    bystander = start(manifests.campaign("bystander", ["plaintext"], blocks=blocks))
    wait_for_running_trial(installed, bystander)
    *parts, campaign = largest()
    installed.apply(*parts)
    before = restarts(installed)
    name = start(campaign)
    message = refused(installed, name)
    assert "trials" in message
    assert "10,000" in message
    body = wait_for("the end of the other campaign", lambda: ended(installed, bystander), 300)
    assert conditions(body).get("Complete", {}).get("status") == "True", body["status"]
    assert {trial["status"]["outcome"] for trial in trials(installed, bystander)} == {"Succeeded"}
    assert restarts(installed) == before

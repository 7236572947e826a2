"""Every pod under `enforce=restricted`, as a real API server's Pod Security admission judges it."""

from itertools import product
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.database.children import stateful_set
from encbench.ports import Body
from encbench.tools.registry import tool
from tests.support import chart
from tests.support.apiserver import ApiServer
from tests.support.testbeds import PLAINTEXT, TLS, database_context, spec_of_testbed
from tests.support.workloads import load_context, tpcc_spec, trial_context, workload_spec
from tests.unit.chart.variants import VARIANTS

VERSIONS = {"mariadb": "10.11", "mysql": "8.4", "percona": "8.0", "postgresql": "16"}
FUSE = {"atRest": {"method": "volume", "volume": {"gocryptfs": {}}}}
COLUMNS = {"columns": {"method": "confidential", "ratio": 0}}
MODES: dict[str, dict[str, Any]] = {
    "plaintext": PLAINTEXT,
    "tls": TLS,
    "tde": {"atRest": {"method": "engine"}},
    "columns": COLUMNS,
}


@pytest.fixture(scope="module")
def namespace(api_server: ApiServer) -> str:
    return api_server.namespace("restricted", "restricted")


def judged(server: ApiServer, namespace: str, template: Body) -> tuple[int, str]:
    """Status and message for a pod of that template."""
    meta = {**template.get("metadata", {}), "name": "one", "namespace": namespace}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}
    url = f"/api/v1/namespaces/{namespace}/pods?dryRun=All"
    status, answer = server.request("POST", url, pod)
    return status, str(answer.get("message", ""))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_chart_s(api_server: ApiServer, namespace: str, variant: str) -> None:
    pods = [*chart.render(VARIANTS[variant]).pods()]
    assert len(pods) >= 3
    for name, spec in pods:
        known = [one["name"] for one in spec.get("volumes", ())]
        asked = {m["name"] for c in spec["containers"] for m in c.get("volumeMounts", ())}
        # A StatefulSet's controller adds those of its claims.
        claims = [{"name": one, "emptyDir": {}} for one in asked.difference(known)]
        whole = {**spec, "volumes": [*spec.get("volumes", ()), *claims]}
        status, said = judged(api_server, namespace, {"spec": whole})
        assert status == 201, (name, said)


def database(mode: dict[str, Any], engine: str) -> Body:
    spec = spec_of_testbed(mode, engine=engine, version=VERSIONS[engine])
    template: Body = stateful_set(database_context(spec))["spec"]["template"]
    return template


@pytest.mark.parametrize(
    ("engine", "mode"),
    [
        (engine, mode)
        for engine, mode in product(VERSIONS, MODES)
        if engine != "postgresql" or mode not in ("tde", "columns")  # It has neither.
    ],
)
def test_a_database_s(api_server: ApiServer, namespace: str, engine: str, mode: str) -> None:
    status, said = judged(api_server, namespace, database(MODES[mode], engine))
    assert status == 201, said


def test_a_client_s_and_a_load_s(api_server: ApiServer, namespace: str) -> None:
    for spec in (workload_spec(), tpcc_spec()):
        job = tool(spec).trial_job(trial_context(spec))
        status, said = judged(api_server, namespace, job["spec"]["template"])
        assert status == 201, said
    load = load_context()
    job = tool(load.spec.dataset).load_job(load)
    status, said = judged(api_server, namespace, job["spec"]["template"])
    assert status == 201, said


def test_only_gocryptfs_is_refused(api_server: ApiServer, namespace: str) -> None:
    assert EncryptionModeSpec.model_validate(FUSE).gocryptfs is not None
    status, said = judged(api_server, namespace, database(FUSE, "mariadb"))
    assert status == 403
    assert 'violates PodSecurity "restricted' in said
    assert "privileged" in said

"""The chart by Helm itself on a real API server, dry and in earnest, by both of its major versions.

The server has nothing yet, not even the CRDs. No controller and no kubelet runs: nothing waits for
the release's pods, and the one that Helm waits for ends because the test says so.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cluster import binaries
from tests.support.apiserver import ApiServer, running
from tests.support.chart import CHART, NAMESPACE, RELEASE, call
from tests.support.kube import wait_for

pytestmark = pytest.mark.full

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEPLOYMENT = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{RELEASE}-encbench-operator"
LET_GO = f"/api/v1/namespaces/{NAMESPACE}/pods/{RELEASE}-encbench-let-go"
ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/roles"


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with running() as server:
        for space in (NAMESPACE, "team-a"):
            server.namespace(space)
        yield server


@pytest.mark.parametrize("part", ["clients", "helm-4"], ids=["helm-3", "helm-4"])
def test_a_second_release_and_one_that_follows(
    server: ApiServer, part: str, tmp_path: Path
) -> None:
    """The CRDs are the first release's, and stay when it goes."""
    program, config = binaries.compiled(part) / "helm", f"--kubeconfig={server.kubeconfig}"

    def install(name: str, *more: str) -> None:
        where = (config, f"--namespace={name}", "--create-namespace")
        call(program, tmp_path, "install", name, str(CHART), *where, *more, seconds=120)

    lease = f"--set=leaseNamespace={NAMESPACE}"
    install("first", lease)
    with pytest.raises(AssertionError, match="invalid ownership metadata"):
        install("second", lease)
    install("second", lease, "--set=crds.install=false")
    gone = ("--no-hooks", config, "--namespace=first")
    call(program, tmp_path, "uninstall", "first", *gone, seconds=120)
    with pytest.raises(AssertionError, match="invalid ownership metadata"):
        install("third", lease)
    install("third", lease, "--take-ownership")


@pytest.mark.parametrize("part", ["clients", "helm-4"], ids=["helm-3", "helm-4"])
def test_from_the_first_dry_run_to_the_end(server: ApiServer, part: str, tmp_path: Path) -> None:
    program = binaries.compiled(part) / "helm"
    where = (f"--kubeconfig={server.kubeconfig}", f"--namespace={NAMESPACE}")

    def helm(*arguments: str) -> str:
        return call(program, tmp_path, *arguments, *where, seconds=120)

    def there(path: str) -> bool:
        return server.request("GET", path)[0] == 200

    def roles() -> int:
        return len(server.request("GET", ROLES)[1]["items"])

    def deployed() -> int:
        """The revision that is in force."""
        release = json.loads(helm("status", RELEASE, "--output=json"))
        assert release["info"]["status"] == "deployed"
        return int(release["version"])

    chart, more = str(CHART), "--set=watchNamespaces={team-a}"
    assert f"name: {RELEASE}-encbench-operator" in helm("template", RELEASE, chart)
    helm("install", RELEASE, chart, "--dry-run=server")
    assert not there(DEPLOYMENT)
    assert helm("list", "--short") == ""
    helm("install", RELEASE, chart)
    assert there(DEPLOYMENT)
    assert deployed() == 1

    helm("upgrade", RELEASE, chart, more, "--dry-run=server")
    assert (deployed(), roles()) == (1, 0)
    helm("upgrade", RELEASE, chart, more)
    assert deployed() == 2
    assert roles() > 0

    helm("uninstall", RELEASE, "--dry-run")
    assert there(DEPLOYMENT)
    with ThreadPoolExecutor(1) as pool:
        uninstalled = pool.submit(helm, "uninstall", RELEASE)
        wait_for("the pod that lets campaigns go", lambda: there(LET_GO), 30)
        ended = {"status": {"phase": "Succeeded"}}
        merge = "application/merge-patch+json"
        assert server.request("PATCH", f"{LET_GO}/status", ended, merge)[0] == 200
        uninstalled.result()
    assert not there(DEPLOYMENT)
    assert roles() == 0
    assert helm("list", "--short") == ""
    # Campaigns outlive the release that measured them.
    assert len(server.request("GET", CRDS)[1]["items"]) == 7

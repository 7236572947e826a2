"""The CRDs where they are used: kubectl, a second application, and helm."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from encbench.api import crd, kinds
from encbench.api.resources import RESOURCES
from tests.cluster import binaries
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.support.apiserver import ApiServer
from tests.support.manifests import body


def test_kubectl_explains_every_field(api_server: ApiServer) -> None:
    for resource in RESOURCES:
        text = api_server.kubectl("explain", resource.kind.plural, "--recursive")
        assert f"KIND:       {resource.kind.kind}" in text
        assert all(f"  {name}\t" in text for name in crd.schema(resource)["properties"])
    load = api_server.kubectl("explain", "workload.spec.load")
    assert 'Length of the measured window. Default: "60s".' in load


def test_kubectl_finds_kinds_by_category_and_short_name(api_server: ApiServer) -> None:
    namespace = api_server.namespace("kubectl")
    for resource in RESOURCES:
        url = f"/apis/encbench.io/v1alpha1/namespaces/{namespace}/{resource.kind.plural}"
        status, answer = api_server.request("POST", url, body(resource.kind, "one", namespace))
        assert status == 201, answer
    everything = api_server.kubectl("get", "encbench", "-n", namespace, "-o", "name")
    assert everything.split() == [
        f"{resource.kind.kind.lower()}.encbench.io/one"
        for resource in sorted(RESOURCES, key=lambda one: one.kind.plural)
    ]
    short = ",".join(name for resource in RESOURCES for name in resource.short_names)
    shown = api_server.kubectl("get", short, "-n", namespace)
    assert re.search(r"oltp_read_write +\[8\] +60s", shown)


def test_the_trials_table(api_server: ApiServer) -> None:
    namespace = api_server.namespace("table")
    url = f"/apis/encbench.io/v1alpha1/namespaces/{namespace}/trials"
    _, made = api_server.request("POST", url, body(kinds.TRIAL, "one", namespace))
    figures = {"tps": 1234.5, "qps": 9.0, "latencyAverageMs": 1, "latencyP95Ms": 2, "errors": 0}
    made["status"] = {"phase": "Succeeded", "result": figures}
    status, answer = api_server.request("PUT", f"{url}/one/status", made)
    assert status == 200, answer
    header, row = api_server.kubectl("get", "trials", "-n", namespace).splitlines()
    assert header.split() == [
        "NAME", "ARM", "BLOCK", "CONCURRENCY", "PHASE", "TPS", "REASON", "AGE"
    ]  # fmt: skip
    assert row.split()[:6] == ["one", "tde", "1", "8", "Succeeded", "1234.5"]


def test_applying_again_changes_nothing(api_server: ApiServer) -> None:
    again = api_server.kubectl(
        "apply", "--server-side", "--force-conflicts", "-f", str(crd.ROOT / crd.PLAIN)
    )
    assert again.count("serverside-applied") == len(RESOURCES)
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/campaigns.encbench.io"
    _, live = api_server.request("GET", path)
    assert live["metadata"]["generation"] == 1


def rendered(tmp_path: Path, *settings: str) -> list[dict[str, object]]:
    """What helm makes of the chart's CRDs alone."""
    chart = tmp_path / "chart"
    shutil.rmtree(chart, ignore_errors=True)
    shutil.copytree(crd.ROOT / crd.CHART, chart / "templates")
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: crds\nversion: 0.0.0\n")
    (chart / "values.yaml").write_text("crds:\n  install: true\n  keep: true\n")
    helm = binaries.ensure(Layout.from_environment(), Console(), "clients") / "helm"
    command = [str(helm), "template", "release", str(chart), *settings]
    text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    return [one for one in yaml.safe_load_all(text) if one]


@pytest.mark.parametrize("keep", ["true", "false"])
def test_helm_renders_the_same(tmp_path: Path, keep: str) -> None:
    wanted = [crd.definition(resource) for resource in RESOURCES]
    for one in wanted:
        if keep == "true":
            one["metadata"]["annotations"] = {"helm.sh/resource-policy": "keep"}
    found = rendered(tmp_path, f"--set=crds.keep={keep}")
    assert sorted(found, key=str) == sorted(wanted, key=str)


def test_helm_can_leave_them_out(tmp_path: Path) -> None:
    assert rendered(tmp_path, "--set=crds.install=false") == []

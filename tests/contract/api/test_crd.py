"""The CRDs where they are used: kubectl and a second application."""

import re

from encbench.api import crd, kinds, pages
from encbench.api.resources import RESOURCES
from tests.support.apiserver import ApiServer
from tests.support.manifests import body


def test_kubectl_explains_every_field(api_server: ApiServer) -> None:
    for resource in RESOURCES:
        text = api_server.kubectl("explain", resource.kind.plural, "--recursive")
        assert f"KIND:       {resource.kind.kind}" in text
        assert all(f"  {name}\t" in text for name in crd.schema(resource)["properties"])
    load = api_server.kubectl("explain", "workload.spec.load")
    assert 'excluded from every figure; 0s for none. Default: "30s".' in " ".join(load.split())


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
    short = ",".join(resource.kind.short for resource in RESOURCES if resource.kind.short)
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
        "apply", "--server-side", "--force-conflicts", "-f", str(pages.ROOT / crd.FOLDER)
    )
    assert again.count("serverside-applied") == len(RESOURCES)
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/campaigns.encbench.io"
    _, live = api_server.request("GET", path)
    assert live["metadata"]["generation"] == 1

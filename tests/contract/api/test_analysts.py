"""Someone with no rights but those of docs/plugin.md reads a report, through a real API server."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.api.plugin import plugin
from tests.support.apiserver import REPOSITORY, ApiServer
from tests.support.chart import render

USER, SPACE = "analyst", "team-reports"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
OURS = f"/apis/encbench.io/v1alpha1/namespaces/{SPACE}/overheadreports"
REPORT = (f"--namespace={SPACE}", "--link", "--output=csv")


def documented_role() -> dict[str, Any]:
    page = (REPOSITORY / "docs" / "plugin.md").read_text(encoding="utf-8")
    (found,) = (
        body
        for text in re.findall(r"(?ms)^```yaml\n(.*?)^```", page)
        if (body := yaml.safe_load(text))["kind"] == "Role"
    )
    return dict(found)


def post(server: ApiServer, path: str, body: dict[str, Any]) -> None:
    status, answer = server.request("POST", path, body)
    assert status == 201, answer


def bind(server: ApiServer, role: dict[str, Any]) -> None:
    space, name = role["metadata"]["namespace"], role["metadata"]["name"]
    post(server, f"{RBAC}/namespaces/{space}/roles", role)
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER}
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    binding = {"metadata": {"name": name}, "roleRef": ref, "subjects": [subject]}
    post(server, f"{RBAC}/namespaces/{space}/rolebindings", binding)


def report(server: ApiServer) -> None:
    """A report that was rendered."""
    ref = {"campaignRef": {"name": "demo", "uid": "u"}}
    made = {"apiVersion": "encbench.io/v1alpha1", "kind": "OverheadReport"}
    post(server, OURS, {**made, "metadata": {"name": "demo"}, "spec": ref})
    one = {"key": "demo/report.csv", "digest": "sha256:0"}
    kinds = ("index", "html", "markdown", "csv", "json")
    status = {"artefacts": {"bucket": "results", **dict.fromkeys(kinds, one)}}
    merge = "application/merge-patch+json"
    code, answer = server.request("PATCH", f"{OURS}/demo/status", {"status": status}, merge)
    assert code == 200, answer


@pytest.fixture
def release(api_server: ApiServer) -> Iterator[str]:
    """The namespace of a release whose store is elsewhere, with the analysts' credentials."""
    role = documented_role()
    space = api_server.namespace(role["metadata"]["namespace"])
    api_server.namespace(SPACE)
    (name,) = role["rules"][1]["resourceNames"]
    outside = {"endpoint": "https://s3.example.com", "bucket": "results", "readerSecret": name}
    values = {"minio": {"enabled": False}, "objectStore": {"external": outside}}
    deployment = render({**values, "watchNamespaces": [SPACE]}).one("Deployment", "operator")
    deployment["metadata"]["namespace"] = space
    post(api_server, f"/apis/apps/v1/namespaces/{space}/deployments", deployment)
    keys = {key: base64.b64encode(b"x").decode() for key in ("access-key", "secret-key")}
    secret = {"metadata": {"name": name}, "data": keys}
    post(api_server, f"/api/v1/namespaces/{space}/secrets", secret)
    reading = {"apiGroups": ["encbench.io"], "resources": ["overheadreports"], "verbs": ["get"]}
    bind(api_server, {"metadata": {"name": "view", "namespace": SPACE}, "rules": [reading]})
    report(api_server)
    yield space
    for path in (
        f"/apis/apps/v1/namespaces/{space}/deployments/{deployment['metadata']['name']}",
        f"/api/v1/namespaces/{space}/secrets/{name}",
        f"{OURS}/demo",
    ):
        assert api_server.request("DELETE", path)[0] == 200


@pytest.fixture
def kubeconfig(api_server: ApiServer) -> Path:
    """The analyst's, by impersonation."""
    config = json.loads(api_server.kubeconfig.read_text())
    config["users"][0]["user"]["as"] = USER
    path = api_server.kubeconfig.with_name("kubeconfig-analyst")
    path.write_text(json.dumps(config))
    return path


def test_the_documented_role_is_enough_for_a_report(
    api_server: ApiServer, release: str, kubeconfig: Path
) -> None:
    def ask(*more: str) -> tuple[int, str]:
        done = plugin(api_server, "report", "demo", *REPORT, *more, f"--kubeconfig={kubeconfig}")
        return done.returncode, done.stdout + done.stderr

    named = f"--release-namespace={release}"
    assert "ask for that right" in ask(named)[1]
    role = documented_role()
    secret = role["rules"].pop(1)
    bind(api_server, role)
    code, said = ask(named)
    assert (code, "or you may not read it" in said) == (2, True)
    bind(api_server, {"metadata": {"name": "secret", "namespace": release}, "rules": [secret]})
    code, said = ask(named)
    assert (code, said.partition("?")[0]) == (0, "https://s3.example.com/results/demo/report.csv")
    code, said = ask()
    assert (code, "with --release-namespace" in said) == (2, True)

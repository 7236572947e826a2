"""Commands of the docs that need no more than an API server, as they stand, by real kubectl."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import kustomize
from tests.support.apiserver import REPOSITORY, ApiServer, with_crds

LIST = REPOSITORY / "tests" / "data" / "docs-commands.yaml"
NOW = "2026-01-01T00:00:00Z"
SECRETS, CLAIMS = "/api/v1/namespaces/{}/secrets", "/api/v1/namespaces/{}/persistentvolumeclaims"
OURS = "/apis/encbench.io/v1alpha1/namespaces/default"


def listed() -> list[str]:
    (entry,) = yaml.safe_load(LIST.read_text(encoding="utf-8"))["api server"]
    commands: list[str] = entry["commands"]
    return commands


def create(server: ApiServer, path: str, kind: str, name: str, **rest: Any) -> None:
    version = "encbench.io/v1alpha1" if path.startswith("/apis/") else "v1"
    body = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **rest}
    status, answer = server.request("POST", path, body)
    assert status in (201, 409), answer


def remaining(server: ApiServer, namespace: str) -> set[str]:
    """The campaigns and their parts of a namespace, such as `campaigns/demo`."""
    found = set()
    for kind in ("campaigns", "instancetemplates", "encryptionmodes", "workloads"):
        listed = server.kubectl("get", kind, f"--namespace={namespace}", "--output=json")
        found |= {f"{kind}/{one['metadata']['name']}" for one in json.loads(listed)["items"]}
    return found


def state(server: ApiServer, path: str, **status: Any) -> None:
    """What the operator would have written."""
    kind = "application/merge-patch+json"
    code, answer = server.request("PATCH", f"{path}/status", {"status": status}, kind)
    assert code == 200, answer


@pytest.fixture
def api_server() -> Iterator[ApiServer]:
    """A server of its own, because a command deletes all campaigns of a namespace, and waits.

    On the shared server it would wait for ever: a campaign that another test has left with a
    finalizer is released by no operator.
    """
    with with_crds() as server:
        yield server


@pytest.fixture
def prepared(api_server: ApiServer) -> ApiServer:
    """The namespaces and objects that the commands speak of: a demo that has come to its end."""
    api_server.namespace("team-a")
    secret = {"data": {"key": base64.b64encode(b"x").decode()}}
    for name in ("my-key", "my-login"):
        create(api_server, SECRETS.format("team-a"), "Secret", name, **secret)
    request = {"accessModes": ["ReadOnlyMany"], "resources": {"requests": {"storage": "1Gi"}}}
    path = CLAIMS.format("team-a")
    create(api_server, path, "PersistentVolumeClaim", "my-drivers", spec=request)
    api_server.kubectl("apply", "--kustomize", f"{REPOSITORY}/campaigns/demo")
    condition: dict[str, Any] = {"status": "True", "reason": "Done", "message": "m"}
    condition |= {"lastTransitionTime": NOW, "observedGeneration": 1}
    conditions = [{"type": kind, **condition} for kind in ("Accepted", "Complete")]
    over = {"observedGeneration": 1, "completionTime": NOW, "progress": {}}
    state(api_server, f"{OURS}/campaigns/demo", conditions=conditions, **over)
    ref = {"campaignRef": {"name": "demo", "uid": "u"}}
    create(api_server, f"{OURS}/overheadreports", "OverheadReport", "demo", spec=ref)
    state(api_server, f"{OURS}/overheadreports/demo", headline="costs nothing")
    return api_server


def test_they_can_be_carried_out(prepared: ApiServer, tmp_path: Path) -> None:
    (tmp_path / "campaigns").symlink_to(REPOSITORY / "campaigns")
    demo = kustomize.built(REPOSITORY / "campaigns" / "demo")
    (tmp_path / "demo.yaml").write_text(yaml.safe_dump_all(demo))
    for name in ("username", "password", "ca.crt"):
        (tmp_path / name).write_text("x")
    plugin = tmp_path / "bin" / "kubectl-encbench"
    plugin.parent.mkdir()
    plugin.write_text(f'#!/bin/sh\nexec {sys.executable} -m encbench.cli.main "$@"\n')
    plugin.chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY / "operator"),
        "KUBECONFIG": str(prepared.kubeconfig),
        "PATH": f"{plugin.parent}:{prepared.binaries}:{os.environ['PATH']}",
    }
    failed = {}
    for command in listed():
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode != 0:
            failed[command] = done.stderr
    assert failed == {}
    assert remaining(prepared, "encbench") == set()
    assert "campaigns/demo" in remaining(prepared, "default"), "it may be another release's"

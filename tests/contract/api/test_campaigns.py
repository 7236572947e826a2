"""Every folder of campaigns/: what kubectl makes of it, and whether a real API server takes it."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from encbench.api.kinds import INSTANCE_TEMPLATE, WORKLOAD
from encbench.api.resources import RESOURCES
from tests.support import kustomize, manifests
from tests.support.apiserver import REPOSITORY, ApiServer

CAMPAIGNS = REPOSITORY / "campaigns"
FOLDERS = sorted(
    str(file.parent.relative_to(CAMPAIGNS)) for file in CAMPAIGNS.rglob("kustomization.yaml")
)
KINDS = {resource.kind.kind: resource.kind for resource in RESOURCES}


def by_kubectl(server: ApiServer, folder: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [str(server.binaries / "kubectl"), "kustomize", str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [body for body in yaml.safe_load_all(done.stdout) if body]


def in_order(bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(bodies, key=lambda body: (body["kind"], body["metadata"]["name"]))


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_api_server_takes_it(api_server: ApiServer, folder: str) -> None:
    for body in by_kubectl(api_server, CAMPAIGNS / folder):
        if body["kind"] not in KINDS:
            continue
        kind = KINDS[body["kind"]]
        url = f"/apis/{kind.api_version}/namespaces/default/{kind.plural}"
        status, answer = api_server.request(
            "POST", f"{url}?fieldValidation=Strict&dryRun=All", body
        )
        assert status == 201, answer


@pytest.mark.parametrize("folder", FOLDERS)
def test_our_own_reading_is_kubectl_s(api_server: ApiServer, folder: str) -> None:
    found = in_order(kustomize.built(CAMPAIGNS / folder))
    assert found == in_order(by_kubectl(api_server, CAMPAIGNS / folder))


def test_images_of_a_kustomization_reach_ours(api_server: ApiServer, tmp_path: Path) -> None:
    """With the configuration that docs/install.md shows."""
    guide = (REPOSITORY / "docs" / "install.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^# images.yaml\n.*?(?=^```)", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "images.yaml").write_text(shown)
    parts = [manifests.body(kind, "part", "default") for kind in (INSTANCE_TEMPLATE, WORKLOAD)]
    (tmp_path / "parts.yaml").write_text(yaml.safe_dump_all(parts))
    kustomization = {
        "resources": ["parts.yaml"],
        "configurations": ["images.yaml"],
        "images": [{"name": manifests.IMAGE.rpartition(":")[0], "newName": "mirror/tool"}],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    instance, workload = in_order(by_kubectl(api_server, tmp_path))
    assert instance["spec"]["image"] == workload["spec"]["client"]["image"] == "mirror/tool:1"

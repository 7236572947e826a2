"""Every folder of campaigns/: what kubectl makes of it, and whether a real API server takes it."""

import subprocess
from typing import Any

import pytest
import yaml

from encbench.api.resources import RESOURCES
from tests.support import kustomize
from tests.support.apiserver import REPOSITORY, ApiServer

CAMPAIGNS = REPOSITORY / "campaigns"
FOLDERS = sorted(
    str(file.parent.relative_to(CAMPAIGNS)) for file in CAMPAIGNS.rglob("kustomization.yaml")
)
KINDS = {resource.kind.kind: resource.kind for resource in RESOURCES}


def by_kubectl(server: ApiServer, folder: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [str(server.binaries / "kubectl"), "kustomize", str(CAMPAIGNS / folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [body for body in yaml.safe_load_all(done.stdout) if body]


def in_order(bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(bodies, key=lambda body: (body["kind"], body["metadata"]["name"]))


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_api_server_takes_it(api_server: ApiServer, folder: str) -> None:
    for body in by_kubectl(api_server, folder):
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
    assert found == in_order(by_kubectl(api_server, folder))

"""The manifest of docs/stores.md: a real API server takes it, in a restricted namespace too."""

from typing import Any

import pytest

from tests.support import versity
from tests.support.apiserver import ApiServer

PLURALS = {
    "Deployment": "apis/apps/v1/namespaces/{}/deployments",
    "PersistentVolumeClaim": "api/v1/namespaces/{}/persistentvolumeclaims",
    "Pod": "api/v1/namespaces/{}/pods",
    "Secret": "api/v1/namespaces/{}/secrets",
    "Service": "api/v1/namespaces/{}/services",
}


@pytest.fixture(scope="module")
def namespace(api_server: ApiServer) -> str:
    return api_server.namespace("stores", "restricted")


def create(server: ApiServer, namespace: str, body: dict[str, Any]) -> None:
    url = f"/{PLURALS[body['kind']].format(namespace)}?dryRun=All&fieldValidation=Strict"
    status, answer = server.request("POST", url, body)
    assert status == 201, answer


@pytest.mark.parametrize("name", versity.documented())
def test_each_object_can_be_made(api_server: ApiServer, namespace: str, name: str) -> None:
    create(api_server, namespace, versity.documented()[name])


def test_its_pod_is_a_restricted_one(api_server: ApiServer, namespace: str) -> None:
    template = versity.documented()["Deployment/versitygw"]["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", **template}
    create(api_server, namespace, {**pod, "metadata": {"name": "one"}})

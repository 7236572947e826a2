"""The webhook of the tests with many clients, as a real API server asks it."""

import json
import os

import pytest

from tests.support.apiserver import ApiServer
from tests.support.kube import CommandFailed, Kube
from tests.support.overcommit import NAME, REQUEST, overcommitted

LOOPBACK = "127.0.0.1"


@pytest.fixture(scope="module")
def kube(api_server: ApiServer) -> Kube:
    """The server as the end-to-end tests reach theirs."""
    path = f"{api_server.binaries}:{os.environ['PATH']}"
    return Kube({**os.environ, "KUBECONFIG": str(api_server.kubeconfig), "PATH": path})


def pod(namespace: str, component: str) -> str:
    amounts = {"cpu": "100m", "memory": "16Mi"}
    container = {"name": "one", "image": "x", "resources": {"requests": amounts, "limits": amounts}}
    labels = {"app.kubernetes.io/component": component}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": component, "namespace": namespace, "labels": labels},
            "spec": {"containers": [container]},
        }
    )


def resources(kube: Kube, namespace: str, component: str) -> dict[str, dict[str, str]]:
    """Of a pod that somebody would make now."""
    dry = ("create", "--dry-run=server", "--output=json", "--filename=-")
    made = json.loads(kube.kubectl(*dry, stdin=pod(namespace, component)))
    found: dict[str, dict[str, str]] = made["spec"]["containers"][0]["resources"]
    return found


def test_only_clients_request_less_and_only_as_long_as_it_is_there(
    api_server: ApiServer, kube: Kube
) -> None:
    namespace = api_server.namespace("overcommit", "baseline")
    other = api_server.namespace("overcommit-other", "baseline")
    with overcommitted(kube, namespace, LOOPBACK):
        client = resources(kube, namespace, "client")
        assert client["requests"] == {"cpu": REQUEST, "memory": "16Mi"}
        assert client["limits"] == {"cpu": "100m", "memory": "16Mi"}
        assert resources(kube, namespace, "database")["requests"]["cpu"] == "100m"
        assert resources(kube, other, "client")["requests"]["cpu"] == "100m"
    with pytest.raises(CommandFailed, match="not found"):
        kube.kubectl("get", "mutatingwebhookconfiguration", NAME)

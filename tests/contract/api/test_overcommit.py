"""The webhook of the tests with many clients, as a real API server asks it."""

import os

import pytest

from tests.support.apiserver import ApiServer
from tests.support.kube import CommandFailed, Kube
from tests.support.overcommit import CLIENT, NAME, REQUEST, overcommitted, resources

LOOPBACK = "127.0.0.1"
DATABASE = {"app.kubernetes.io/component": "database"}


@pytest.fixture(scope="module")
def kube(api_server: ApiServer) -> Kube:
    """The server as the end-to-end tests reach theirs."""
    path = f"{api_server.binaries}:{os.environ['PATH']}"
    return Kube({**os.environ, "KUBECONFIG": str(api_server.kubeconfig), "PATH": path})


def test_only_clients_request_less_and_only_as_long_as_it_is_there(
    api_server: ApiServer, kube: Kube
) -> None:
    namespace = api_server.namespace("overcommit", "baseline")
    other = api_server.namespace("overcommit-other", "baseline")
    with overcommitted(kube, namespace, LOOPBACK):
        for client in resources(kube, namespace, CLIENT):
            assert client["requests"] == {"cpu": REQUEST, "memory": "16Mi"}
            assert client["limits"] == {"cpu": "100m", "memory": "16Mi"}
        for pods in ((namespace, DATABASE), (other, CLIENT)):
            assert [one["requests"]["cpu"] for one in resources(kube, *pods)] == ["100m", "100m"]
    with pytest.raises(CommandFailed, match="not found"):
        kube.kubectl("get", "mutatingwebhookconfiguration", NAME)

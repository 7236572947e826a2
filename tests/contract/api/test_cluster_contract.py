"""The Kubernetes adapter against a real API server, by the contract that the fake keeps as well."""

import os
from collections.abc import AsyncIterator
from itertools import count

import pytest
from kubernetes.aio.client import ApiClient

from encbench.adapters.kubeclient import ClientTransport, connect
from encbench.adapters.kubectl import Kubectl
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.api.kinds import CAMPAIGN, CONFIG_MAP, EVENT, Kind
from encbench.ports import Cluster, Rejected, Unavailable
from tests.support.apiserver import ApiServer
from tests.support.cluster_contract import ClusterContract
from tests.support.manifests import body, config_map

_numbers = count(1)


@pytest.fixture
async def client(api_server: ApiServer) -> AsyncIterator[ApiClient]:
    async with await connect(api_server.kubeconfig) as client:
        yield client


@pytest.fixture
def namespace(api_server: ApiServer) -> str:
    return api_server.namespace(f"test-{next(_numbers)}")


class TestContract(ClusterContract):
    """All of it."""

    @pytest.fixture
    def cluster(self, client: ApiClient) -> Cluster:
        return KubernetesCluster(ClientTransport(client), chunk=2)

    @pytest.fixture
    def other_namespace(self, api_server: ApiServer) -> str:
        return api_server.namespace(f"test-{next(_numbers)}")


class TestContractByKubectl(ClusterContract):
    """The same through a proxy of kubectl, which is the plugin's way."""

    @pytest.fixture
    async def cluster(
        self, api_server: ApiServer, monkeypatch: pytest.MonkeyPatch
    ) -> AsyncIterator[Cluster]:
        monkeypatch.setenv("PATH", str(api_server.binaries), prepend=os.pathsep)
        async with Kubectl(kubeconfig=str(api_server.kubeconfig)).proxy() as transport:
            yield KubernetesCluster(transport, chunk=2)

    @pytest.fixture
    def other_namespace(self, api_server: ApiServer) -> str:
        return api_server.namespace(f"test-{next(_numbers)}")


async def test_lists_in_chunks(client: ApiClient, namespace: str) -> None:
    cluster = KubernetesCluster(ClientTransport(client), chunk=2)
    for number in range(5):
        await cluster.create(CONFIG_MAP, config_map(f"map-{number}", namespace))
    found = await cluster.list(CONFIG_MAP, namespace)
    assert [one["metadata"]["name"] for one in found] == [f"map-{number}" for number in range(5)]


async def test_the_field_manager_is_ours(
    client: ApiClient, api_server: ApiServer, namespace: str
) -> None:
    cluster = KubernetesCluster(ClientTransport(client))
    made = await cluster.apply(CAMPAIGN, body(CAMPAIGN, "study", namespace))
    await cluster.apply_status(CAMPAIGN, {**made, "status": {"phase": "Running"}})
    path = f"/apis/encbench.io/v1alpha1/namespaces/{namespace}/campaigns/study"
    _, stored = api_server.request("GET", path)
    managers = {
        (one["manager"], one["operation"], one.get("subresource"))
        for one in stored["metadata"]["managedFields"]
    }
    assert managers == {("encbench", "Apply", None), ("encbench", "Update", "status")}


async def test_events_are_shown_with_their_object(
    client: ApiClient, api_server: ApiServer, namespace: str
) -> None:
    cluster = KubernetesCluster(ClientTransport(client))
    made = await cluster.create(CAMPAIGN, body(CAMPAIGN, "study", namespace))
    await cluster.event(CAMPAIGN, made, "Refused", "no such mode", warning=True)
    (event,) = await cluster.list(EVENT, namespace)
    assert event["regarding"]["uid"] == made["metadata"]["uid"]
    assert (event["type"], event["reason"], event["note"]) == ("Warning", "Refused", "no such mode")
    assert "no such mode" in api_server.kubectl("describe", "campaign", "study", "-n", namespace)


async def test_a_namespace_that_is_not_there_rejects(client: ApiClient) -> None:
    with pytest.raises(Rejected, match="nowhere"):
        await KubernetesCluster(ClientTransport(client)).create(
            CONFIG_MAP, config_map("one", "nowhere")
        )


async def test_a_kind_that_is_not_served(client: ApiClient, namespace: str) -> None:
    widget = Kind("example.com/v1", "Widget", "widgets")
    cluster = KubernetesCluster(ClientTransport(client))
    assert await cluster.get(widget, namespace, "one") is None
    with pytest.raises(Rejected):
        await cluster.list(widget, namespace)


async def test_a_field_that_kubernetes_lacks_is_rejected(client: ApiClient, namespace: str) -> None:
    wrong = {**config_map("one", namespace), "unknownField": 1}
    cluster = KubernetesCluster(ClientTransport(client))
    with pytest.raises(Rejected, match="unknownField"):
        await cluster.create(CONFIG_MAP, wrong)
    with pytest.raises(Rejected, match="unknownField"):
        await cluster.apply(CONFIG_MAP, wrong)


async def test_no_server_is_unavailable(api_server: ApiServer) -> None:
    async with await connect(api_server.kubeconfig) as client:
        client.configuration.host = "https://127.0.0.1:1"
        with pytest.raises(Unavailable):
            await KubernetesCluster(ClientTransport(client)).get(CAMPAIGN, "default", "study")


async def test_a_wrong_token_is_unavailable(api_server: ApiServer) -> None:
    async with await connect(api_server.kubeconfig) as client:
        client.configuration.api_key["BearerToken"] = "Bearer wrong"
        with pytest.raises(Unavailable, match="401"):
            await KubernetesCluster(ClientTransport(client)).get(CAMPAIGN, "default", "study")

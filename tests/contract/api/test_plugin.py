"""`kubectl encbench` against a real API server: what it reads, and TPS through the pod proxy."""

import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from kubernetes.aio.client import ApiClient

from encbench.adapters.kubeclient import ClientTransport, connect
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.cli.watch import Live
from encbench.kube import labels
from encbench.kube.pods import LINUX
from encbench.tools.pod import RECORDER_PORT
from tests.contract.api.plugin import plugin
from tests.support.apiserver import REPOSITORY, ApiServer

SPACE = "plugin"


@pytest.fixture
async def client(api_server: ApiServer) -> AsyncIterator[ApiClient]:
    api_server.namespace(SPACE)
    async with await connect(api_server.kubeconfig) as client:
        yield client


class Recorder(BaseHTTPRequestHandler):
    """Answers as the recorder beside a client does while its tool runs."""

    def do_GET(self) -> None:
        assert self.path == "/metrics"
        said = b"# TYPE encbench_client_tps gauge\nencbench_client_tps 271.4\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None: ...


def own_address() -> str:
    """An address of this machine that is not loopback, to which no API server would go."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        address: str = probe.getsockname()[0]
    return address


@pytest.fixture
def recorder() -> Iterator[str]:
    """The address of a machine on which a recorder answers."""
    server = ThreadingHTTPServer((own_address(), RECORDER_PORT), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield str(server.server_address[0])
    server.shutdown()
    server.server_close()


def make_pod(server: ApiServer, name: str, address: str) -> None:
    """A pod of trial `one` as a kubelet would report it."""
    url = f"/api/v1/namespaces/{SPACE}/pods"
    container = {"name": "recorder", "image": "registry.example.com/x:1"}
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {labels.TRIAL: "one"}},
        "spec": {"containers": [container], "automountServiceAccountToken": False},
    }
    status, answer = server.request("POST", url, body)
    assert status == 201, answer
    told = {"status": {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}]}}
    kind = "application/merge-patch+json"
    status, answer = server.request("PATCH", f"{url}/{name}/status", told, kind)
    assert status == 200, answer


async def test_tps_comes_through_the_api_server(
    api_server: ApiServer, client: ApiClient, recorder: str
) -> None:
    live = Live(KubernetesCluster(ClientTransport(client)), SPACE)
    assert await live.tps("one") is None
    make_pod(api_server, "client-0", recorder)
    assert await live.tps("one") == 271.4
    make_pod(api_server, "client-1", recorder)
    assert await live.tps("one") == 542.8


async def test_a_pod_that_does_not_answer_is_passed_over(
    api_server: ApiServer, client: ApiClient
) -> None:
    for name in ("client-0", "client-1"):
        api_server.request("DELETE", f"/api/v1/namespaces/{SPACE}/pods/{name}?gracePeriodSeconds=0")
    make_pod(api_server, "silent", own_address())
    assert await Live(KubernetesCluster(ClientTransport(client)), SPACE).tps("one") is None


def test_a_plan_by_kustomize_and_one_of_what_is_applied(
    api_server: ApiServer, tmp_path: Path
) -> None:
    """By kubectl's own kustomize; then the same from the cluster, and a change that it refuses."""
    space = api_server.namespace("planned")
    where = (f"--namespace={space}", "--output=json")
    planned = plugin(api_server, "plan", "-k", "campaigns/demo", *where)
    assert planned.returncode == 0, planned.stderr
    api_server.kubectl(
        "apply", f"--namespace={space}", "--kustomize", f"{REPOSITORY}/campaigns/demo"
    )
    applied = plugin(api_server, "plan", "demo", *where)
    assert applied.returncode == 0, applied.stderr
    (there,), (here,) = (json.loads(it.stdout)["campaigns"] for it in (applied, planned))
    # Only the cluster is known to have no StorageClass.
    assert len(there.pop("notes")) == 1 and here.pop("notes") == []
    assert there == here

    campaign = api_server.kubectl("get", "campaign", "demo", f"--namespace={space}", "-o", "json")
    changed = json.loads(campaign)
    changed["spec"]["seed"] = 2
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(changed))
    alone = plugin(api_server, "plan", "-f", str(path), where[0])
    assert alone.returncode == 1
    assert "there is no InstanceTemplate mariadb-small" in alone.stdout
    live = plugin(api_server, "plan", "-f", str(path), where[0], "--live")
    said = " ".join(live.stdout.split())
    assert live.returncode == 1, live.stderr
    assert "seed is fixed once the campaign exists" in said
    assert "there is no" not in said


@pytest.fixture
def small_node(api_server: ApiServer) -> Iterator[str]:
    """The only node, as its kubelet would report it."""
    meta = {"name": "small-one", "labels": LINUX}
    body = {"apiVersion": "v1", "kind": "Node", "metadata": meta}
    status, answer = api_server.request("POST", "/api/v1/nodes", body)
    assert status == 201, answer
    where = "/api/v1/nodes/small-one"
    told = {"status": {"allocatable": {"cpu": "300m", "memory": "16393512Ki"}}}
    kind = "application/merge-patch+json"
    status, answer = api_server.request("PATCH", f"{where}/status", told, kind)
    assert status == 200, answer
    yield "small-one"
    status, answer = api_server.request("DELETE", where)
    assert status == 200, answer


def test_a_plan_knows_what_the_cluster_lacks(api_server: ApiServer, small_node: str) -> None:
    where = ("-k", "campaigns/demo", f"--namespace={api_server.namespace('crowded')}")
    live = plugin(api_server, "plan", *where, "--live", "--output=json")
    assert live.returncode == 0, live.stderr
    (campaign,) = json.loads(live.stdout)["campaigns"]
    note, disk = campaign["notes"]
    assert "InstanceTemplate mariadb-small: this cluster has no default StorageClass" in disk
    assert note.startswith("InstanceTemplate mariadb-small: a database of ")
    assert f"fits no node of this cluster: {small_node} offers 0.3 CPU and 15.6 GiB" in note
    assert "note: InstanceTemplate" in plugin(api_server, "plan", *where, "--live").stdout
    assert small_node not in plugin(api_server, "plan", *where).stdout


@pytest.mark.parametrize(
    ("where", "changed", "said"),
    [
        ("users", {"user": {"token": "expired"}}, "log in again, or name another context"),
        (
            "clusters",
            {"cluster": {"server": "https://127.0.0.1:1"}},
            "connection refused): see that it runs",
        ),
    ],
)
def test_without_a_way_into_the_cluster_nothing_waits(
    api_server: ApiServer, where: str, changed: dict[str, object], said: str, tmp_path: Path
) -> None:
    config = json.loads(api_server.kubeconfig.read_text())
    config[where][0] |= changed
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))
    done = plugin(api_server, "watch", "demo", f"--kubeconfig={path}")
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_is_not_there_is_said_with_advice(api_server: ApiServer) -> None:
    space = api_server.namespace("bare")
    for arguments, said in (
        (("plan", "demo"), "there is no campaign demo in namespace bare"),
        (("watch", "demo"), "there is no campaign demo in namespace bare: apply it"),
        (("report", "demo"), "there is neither campaign nor report demo in namespace bare"),
        (("report", "demo", "--open", "-o", "csv"), "leave --output csv out"),
        (("compare", "one", "two"), "neither campaign nor report one in namespace bare"),
        (("compare", "other/one", "two"), "neither campaign nor report one in namespace other"),
    ):
        done = plugin(api_server, *arguments, f"--namespace={space}")
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert said in done.stderr

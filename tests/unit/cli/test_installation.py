"""Where the bucket is, from the operator's Deployment, and the way to it."""

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from encbench.adapters import kubectl
from encbench.adapters.kubectl import Kubectl
from encbench.api.kinds import SECRET, SERVICE, Kind
from encbench.cli import installation
from encbench.cli.installation import DEPLOYMENT
from encbench.cli.output import CommandError
from encbench.options import arguments
from encbench.ports import Body, NotAuthenticated, Rejected
from tests.support.chart import CHART
from tests.support.fake_cluster import FakeCluster
from tests.unit.cli.deployments import operator

HERE = ("http://minio.store.svc:9000", "encbench")


def test_the_operator_has_every_option_that_is_read_here() -> None:
    known = {word: one for one in arguments()._actions for word in one.option_strings}
    for one in installation.known_options()._actions:
        for word in one.option_strings:
            assert word in known
            assert type(known[word]) is type(one), word
            assert one.default == (known[word].default or one.default), word


async def test_it_is_read_from_the_operator_that_watches_the_namespace() -> None:
    cluster = FakeCluster()
    bucket = ("--s3-endpoint", "http://x", "--s3-bucket", "mine", "--s3-region", "eu")
    cluster.add(
        DEPLOYMENT, operator(*bucket, "--namespace", "a", "--namespace", "b", "--other", "1")
    )
    body, found = await installation.find(cluster, "b", None)
    assert body["metadata"]["name"] == "operator"
    assert (found.s3_endpoint, found.s3_bucket, found.s3_region) == ("http://x", "mine", "eu")
    with pytest.raises(CommandError, match="no encbench operator watches namespace c"):
        await installation.find(cluster, "c", None)


async def test_no_one_of_several_operators_is_believed() -> None:
    """Whoever may make Deployments in some namespace can make one that looks like an operator."""
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator("--namespace", "team-a"))
    forged = operator("--namespace", "team-a", "--s3-endpoint", "http://evil.example.com")
    forged["metadata"] |= {"name": "forged", "namespace": "aaa"}
    cluster.add(DEPLOYMENT, forged)
    with pytest.raises(CommandError, match=r"aaa/forged, encbench/operator\. .*release-namespace"):
        await installation.find(cluster, "team-a", None)
    body, _ = await installation.find(cluster, "team-a", "encbench")
    assert body["metadata"]["name"] == "operator"


class Analyst(FakeCluster):
    """As the API server answers someone who may list Deployments in these namespaces alone."""

    def __init__(self, *allowed: str) -> None:
        super().__init__()
        self.allowed = allowed

    async def list(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
    ) -> list[Body]:
        if namespace not in self.allowed:
            raise Rejected("deployments.apps is forbidden")
        return await super().list(kind, namespace, labels)


async def test_an_analyst_names_the_releases_namespace() -> None:
    cluster = Analyst("encbench")
    cluster.add(DEPLOYMENT, operator("--namespace", "a"))
    body, _ = await installation.find(cluster, "a", "encbench")
    assert body["metadata"]["name"] == "operator"
    for release, said in (
        (None, "name the namespace of the chart's release with --release-namespace"),
        ("other", "you may not list Deployments in namespace other: ask for that right"),
    ):
        with pytest.raises(CommandError, match=said):
            await installation.find(cluster, "a", release)
    with pytest.raises(CommandError, match="operator of namespace encbench watches namespace b"):
        await installation.find(cluster, "b", "encbench")


@pytest.mark.parametrize(
    ("verb", "kind"), [("list", DEPLOYMENT), ("get", SECRET), ("get", SERVICE)]
)
async def test_expired_credentials_are_no_lack_of_rights(verb: str, kind: Kind) -> None:
    cluster = FakeCluster()
    endpoint = ("--s3-endpoint", "http://minio.invalid:9000")
    cluster.add(DEPLOYMENT, operator("--namespace", "a", *endpoint))
    cluster.fail_next(NotAuthenticated("log in again"), verb=verb, kind=kind)
    with pytest.raises(NotAuthenticated):
        async with installation.store(Kubectl(), cluster, "a", None):
            pass


async def test_an_operator_beside_the_campaign_is_found_without_being_named() -> None:
    cluster = Analyst("encbench")
    cluster.add(DEPLOYMENT, operator("--namespace", "encbench"))
    body, _ = await installation.find(cluster, "encbench", None)
    assert body["metadata"]["name"] == "operator"


async def test_an_operator_without_a_secret_is_said() -> None:
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator("--namespace", "a", mounted=None))
    with pytest.raises(CommandError, match="mounts no Secret"):
        async with installation.store(Kubectl(), cluster, "a", None):
            pass


@pytest.mark.parametrize("forbidden", [False, True])
async def test_a_secret_that_may_not_be_read_is_said(forbidden: bool) -> None:
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator("--namespace", "a"))
    if forbidden:
        cluster.fail_next(Rejected('secrets "s3" is forbidden'), verb="get", kind=SECRET)
    with pytest.raises(CommandError, match="Secret s3 in namespace encbench does not exist"):
        async with installation.store(Kubectl(), cluster, "a", None):
            pass


@pytest.mark.parametrize(
    ("endpoint", "way"),
    [
        ("http://minio:9000", "--output html --file report.html writes"),
        ("https://s3.example.com", "--link prints"),
    ],
)
async def test_what_others_can_pass_on_works_at_that_store(endpoint: str, way: str) -> None:
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator("--namespace", "a", "--s3-endpoint", endpoint))
    with pytest.raises(CommandError, match=f"pass on what kubectl encbench report {way}"):
        async with installation.store(Kubectl(), cluster, "a", None):
            pass


@pytest.mark.parametrize(
    "outside", ["https://s3.example.com", "https://example.com", "http://[fd00::10]:9000"]
)
async def test_an_address_outside_of_the_cluster_is_taken_as_it_is(outside: str) -> None:
    async with installation._reachable(Kubectl(), FakeCluster(), outside, "encbench") as endpoint:
        assert endpoint == outside


def fake_kubectl(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    kubectl = folder / "kubectl"
    kubectl.write_text(f"#!/bin/sh\n{script}\n")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


async def test_the_store_has_the_bucket_and_the_mounted_credentials() -> None:
    cluster = FakeCluster()
    place = ("--s3-endpoint", "http://s3.example.com", "--s3-bucket", "mine")
    cluster.add(DEPLOYMENT, operator("--namespace", "a", *place))
    meta = {"name": "s3", "namespace": "encbench"}
    data = {"access-key": "bWU=", "secret-key": "aGlkZGVu"}
    cluster.add(SECRET, {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data})
    async with installation.store(Kubectl(), cluster, "a", None) as store:
        assert store.bucket == "mine"
        url = await store.presign_put("key", 60)
    assert "s3.example.com" in url
    assert "Credential=me%2F" in url


async def test_a_store_that_is_away_is_no_cluster_that_is_away() -> None:
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator("--namespace", "a", "--s3-endpoint", "http://s3.example.com"))
    meta = {"name": "s3", "namespace": "encbench"}
    cluster.add(SECRET, {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": {}})
    why = "no credentials for the object store"
    with pytest.raises(CommandError, match=why):
        async with installation.store(Kubectl(), cluster, "a", None) as store:
            await store.get("key")
    with pytest.raises(CommandError, match=why):
        await installation.link(cluster, "a", None, "key", 60)


async def test_an_entry_that_is_no_text_is_named() -> None:
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator("--namespace", "a", "--s3-endpoint", "http://s3.example.com"))
    meta = {"name": "s3", "namespace": "encbench"}
    data = {"access-key": "bWX/", "secret-key": "aGlkZGVu"}
    cluster.add(SECRET, {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data})
    with pytest.raises(CommandError, match="access-key: it is not text in UTF-8"):
        async with installation.store(Kubectl(), cluster, "a", None) as store:
            await store.get("key")


@pytest.mark.parametrize(
    ("token", "is_temporary"),
    # Templates write a blank one for a user without a session.
    [({}, False), ({"session-token": ""}, False), ({"session-token": "dG9rZW4="}, True)],
)
async def test_a_link_is_for_those_who_may_not_read_the_credentials(
    token: dict[str, str], is_temporary: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = FakeCluster()
    inside = ("--s3-endpoint", "http://minio:9000", "--s3-bucket", "mine")
    outside = ("--s3-external-endpoint", "https://s3.example.com")
    cluster.add(DEPLOYMENT, operator("--namespace", "a", *inside, *outside))
    meta = {"name": "s3", "namespace": "encbench"}
    data = {"access-key": "bWU=", "secret-key": "aGlkZGVu", **token}
    cluster.add(SECRET, {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data})
    url = await installation.link(cluster, "a", None, "demo/report.html", 60)
    assert url.startswith("https://s3.example.com/mine/demo/report.html?")
    assert "X-Amz-Expires=60" in url
    assert "aGlkZGVu" not in url and "hidden" not in url
    note = "note: Secret s3 has temporary credentials, and the link ends with their session"
    noted = capsys.readouterr().err
    assert noted.startswith(note) if is_temporary else not noted
    assert ("X-Amz-Security-Token" in url) == is_temporary


async def test_a_link_that_leads_nowhere_is_refused() -> None:
    cluster = FakeCluster()
    cluster.add(DEPLOYMENT, operator("--namespace", "a", "--s3-endpoint", "http://minio:9000"))
    with pytest.raises(CommandError, match="would work inside the cluster alone") as refused:
        await installation.link(cluster, "a", None, "demo/report.html", 60)
    (value,) = re.findall(r"objectStore[.\w]+", str(refused.value))
    at = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    for name in value.split("."):
        at = at[name]


@pytest.mark.parametrize("forbidden", [False, True])
async def test_a_name_and_a_namespace_are_a_service_where_there_is_one(forbidden: bool) -> None:
    cluster = FakeCluster()
    meta = {"name": "minio", "namespace": "storage"}
    cluster.add(SERVICE, {"apiVersion": "v1", "kind": "Service", "metadata": meta})
    if forbidden:
        cluster.fail_next(Rejected('services "minio" is forbidden'), verb="get", kind=SERVICE)
    endpoint = f"http://{meta['name']}.{meta['namespace']}:9000"
    found = await installation._service(cluster, endpoint, "encbench")
    assert found == (None if forbidden else ("minio", "storage"))
    assert await installation._service(cluster, "http://minio.invalid:9000", "encbench") is None


async def test_credentials_that_cannot_write_come_first() -> None:
    cluster = FakeCluster()
    body = operator("--namespace", "a", "--s3-endpoint", "http://s3.example.com")
    body["metadata"]["annotations"] = {installation.READER: "analyst"}
    cluster.add(DEPLOYMENT, body)
    for name, key in (("s3", "bWU="), ("analyst", "YW5uYQ==")):
        data = {"access-key": key, "secret-key": "aGlkZGVu"}
        cluster.add(SECRET, {"metadata": {"name": name, "namespace": "encbench"}, "data": data})
    async with installation.store(Kubectl(), cluster, "a", None) as store:
        assert "Credential=anna%2F" in await store.presign_put("key", 60)


@pytest.mark.parametrize("path", ["", "/objects/s3"])
async def test_a_service_of_the_cluster_is_reached_by_a_port_forward(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = 'echo "$@" > "$0.args"; echo "Forwarding from 127.0.0.1:4711 -> 9000"; exec sleep 60'
    fake_kubectl(tmp_path, monkeypatch, said)
    inside, release = HERE
    way = installation._reachable(Kubectl(), FakeCluster(), f"{inside}{path}", release)
    async with way as endpoint:
        assert endpoint == f"http://127.0.0.1:4711{path}"
    assert (tmp_path / "kubectl.args").read_text().split() == [
        *("port-forward", "--namespace=store", "service/minio", ":9000")
    ]


async def test_a_port_forward_may_have_the_user_log_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kubectl, "SECONDS", 0.1)
    asks = "printf 'the code in your app: ' >&2; sleep 1"
    serves = "echo 'Forwarding from 127.0.0.1:4711 -> 9000'; exec sleep 60"
    fake_kubectl(tmp_path, monkeypatch, f"{asks}; {serves}")
    async with installation._reachable(Kubectl(), FakeCluster(), *HERE):
        assert capfd.readouterr().err == "the code in your app: "


@pytest.mark.parametrize(
    ("script", "patience", "said"),
    [
        ("echo 'service not found' >&2; exit 1", 30.0, "port-forward failed: service not found"),
        ("exec sleep 60", 0.3, "printed nothing for 0 s"),
    ],
)
async def test_a_port_forward_that_does_not_stand_is_said(
    script: str, patience: float, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubectl, "LOGIN_SECONDS", patience)
    fake_kubectl(tmp_path, monkeypatch, script)
    with pytest.raises(CommandError, match=said):
        async with contextlib.AsyncExitStack() as stack:
            way = installation._reachable(Kubectl(), FakeCluster(), *HERE)
            await stack.enter_async_context(way)


async def test_without_kubectl_it_says_what_it_is_needed_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="kubectl is not on the PATH"):
        async with installation._reachable(Kubectl(), FakeCluster(), *HERE):
            pass

"""The Kubernetes adapter against a server that misbehaves as a healthy one will not on demand.

What a healthy one does is in tests/contract/api.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from kubernetes.aio import config
from kubernetes.aio.client import ApiClient, Configuration
from kubernetes.aio.config import incluster_config

from encbench.adapters.kubeclient import ClientTransport, ServiceAccount, connect
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.adapters.kubernetes_http import path
from encbench.api.kinds import CAMPAIGN, CONFIG_MAP, NODE, SECRET
from encbench.ports import Conflict, NotNow, Rejected, Unavailable, WebhookFailed
from tests.support.daemon import free_port
from tests.support.manifests import config_map

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def served(handler: Handler, seconds: float = 5) -> AsyncIterator[KubernetesCluster]:
    """A cluster whose API server is this handler."""
    async with serving(handler) as host, ApiClient(Configuration(host=host)) as client:
        yield KubernetesCluster(ClientTransport(client, timeout=seconds))


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """The URL of such an API server."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def answering(status: int, message: str = "because") -> Handler:
    async def handler(_: web.Request) -> web.Response:
        return web.json_response({"kind": "Status", "message": message}, status=status)

    return handler


@pytest.mark.parametrize("status", [401, 408, 429, 500, 502, 503, 504])
async def test_what_may_pass_is_unavailable(status: int) -> None:
    async with served(answering(status)) as cluster:
        with pytest.raises(Unavailable, match="because"):
            await cluster.create(CONFIG_MAP, config_map("one", "ns"))
        with pytest.raises(Unavailable):
            await cluster.list(CONFIG_MAP, "ns")


@pytest.mark.parametrize(("status", "is_there"), [(429, True), (408, False), (503, False)])
async def test_a_server_with_too_many_requests_is_there(status: int, is_there: bool) -> None:
    async with served(answering(status)) as cluster:
        with pytest.raises(Unavailable) as caught:
            await cluster.get(CONFIG_MAP, "ns", "one")
    assert isinstance(caught.value, NotNow) is is_there


@pytest.mark.parametrize("status", [400, 403, 405, 413, 422])
async def test_what_will_not_pass_is_rejected(status: int) -> None:
    async with served(answering(status)) as cluster:
        with pytest.raises(Rejected, match="because"):
            await cluster.apply(CONFIG_MAP, config_map("one", "ns"))


async def test_in_a_cluster_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even one that the chart's operator.extraEnv names, which is for the store."""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)

    async with serving(answering(404)) as host:

        def load(client_configuration: Configuration, **_: bool) -> None:
            client_configuration.host = host

        monkeypatch.setattr(config, "load_incluster_config", load)
        async with await connect() as client:
            assert await KubernetesCluster(ClientTransport(client)).get(NODE, "", "n1") is None


async def test_a_rotated_token_is_read_whatever_the_wall_clock_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The library's own way waits until a clock that was set back has caught up."""
    token, authority = tmp_path / "token", tmp_path / "ca.crt"
    authority.write_text("PEM")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "api.example.com")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(token))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(authority))
    settings, seconds = Configuration(), [0.0]
    sent: list[str | None] = []
    for at, content in ((0.0, "old"), (59.0, "new"), (60.0, "new"), (61.0, "newer")):
        seconds[0] = at
        token.write_text(content)
        if not sent:
            ServiceAccount(lambda: seconds[0])(settings)
        sent.append(await settings.get_api_key_with_prefix("BearerToken"))
    assert sent == ["bearer old", "bearer old", "bearer new", "bearer new"]
    assert settings.host == "https://api.example.com:443"


async def test_409_is_a_conflict_but_for_delete() -> None:
    async with served(answering(409)) as cluster:
        with pytest.raises(Conflict, match="because"):
            await cluster.create(CONFIG_MAP, config_map("one", "ns"))
        await cluster.delete(CONFIG_MAP, "ns", "one", "uid")


async def test_only_the_incarnation_that_is_meant_is_deleted() -> None:
    """Another one of that name may be a user's new campaign."""
    there = ["new"]

    async def handler(request: web.Request) -> web.Response:
        wanted = (await request.json()).get("preconditions", {}).get("uid", there[0])
        if wanted not in there:
            return web.json_response({"message": "the UID in the precondition"}, status=409)
        there.remove(wanted)
        return web.json_response({})

    async with served(handler) as cluster:
        await cluster.delete(CONFIG_MAP, "ns", "one", "old")
        assert there == ["new"]
        await cluster.delete(CONFIG_MAP, "ns", "one", "new")
        assert not there


async def test_a_container_that_waits_has_no_log() -> None:
    async with served(answering(400, "container is waiting to start")) as cluster:
        assert await cluster.logs("ns", "pod", "server", 5) == ""


async def test_logs_are_plain_text() -> None:
    async def handler(request: web.Request) -> web.Response:
        assert request.path == "/api/v1/namespaces/ns/pods/pod/log"
        assert request.query["tailLines"] == "5"
        return web.Response(body=b"one\ntwo \xff\n", content_type="text/plain")

    async with served(handler) as cluster:
        assert (
            await cluster.logs("ns", "pod", "server", 5) == "one\ntwo \N{REPLACEMENT CHARACTER}\n"
        )


async def test_the_newest_lines_are_kept_where_all_are_too_long() -> None:
    lines = [f"{number} {'x' * 300_000}\n" for number in range(8)]

    async def handler(request: web.Request) -> web.Response:
        tail = "".join(lines[-int(request.query["tailLines"]) :])
        body = tail[: int(request.query["limitBytes"])]
        return web.Response(body=body.encode(), content_type="text/plain")

    async with served(handler) as cluster:
        assert await cluster.logs("ns", "pod", "server", 8) == "".join(lines[-2:])
        assert await cluster.logs("ns", "pod", "server", 3) == "".join(lines[-3:])


async def test_a_server_that_hangs_is_unavailable() -> None:
    async def handler(_: web.Request) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    async with served(handler, seconds=0.2) as cluster:
        with pytest.raises(Unavailable):
            await cluster.get(CAMPAIGN, "ns", "study")


async def test_a_body_that_hangs_is_unavailable() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'{"metadata":')
        await asyncio.sleep(60)
        return response

    async with served(handler, seconds=0.2) as cluster:
        with pytest.raises(Unavailable):
            await cluster.get(CAMPAIGN, "ns", "study")


async def test_a_login_page_is_not_the_api_server() -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(text="<html>please log in</html>", content_type="text/html")

    async with served(handler) as cluster:
        with pytest.raises(Unavailable, match="not the API server"):
            await cluster.get(CAMPAIGN, "ns", "study")


async def test_a_list_that_expires_is_read_anew() -> None:
    asked: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        token = request.query.get("continue", "")
        asked.append(token)
        if token and asked.count("") < 2:
            return web.json_response({"message": "too old"}, status=410)
        item = {"metadata": {"name": token or "first", "managedFields": [{"manager": "x"}]}}
        metadata = {} if token else {"continue": "second"}
        return web.json_response({"metadata": metadata, "items": [item]})

    async with served(handler) as cluster:
        found = await cluster.list(CONFIG_MAP, "ns")
    assert asked == ["", "second", "", "second"]
    assert [one["metadata"] for one in found] == [{"name": "first"}, {"name": "second"}]
    assert {one["kind"] for one in found} == {"ConfigMap"}


async def test_a_list_by_labels_has_every_page() -> None:
    asked: list[tuple[str, str]] = []

    async def handler(request: web.Request) -> web.Response:
        token = request.query.get("continue", "")
        asked.append((token, request.query["labelSelector"]))
        metadata = {"continue": "second"} if len(asked) < 2 else {}
        item = {"metadata": {"name": token or "first"}}
        return web.json_response({"metadata": metadata, "items": [item]})

    async with served(handler) as cluster:
        found = await cluster.list(CONFIG_MAP, "ns", {"color": "red"})
    assert [one["metadata"]["name"] for one in found] == ["first", "second"]
    assert asked == [("", "color=red"), ("second", "color=red")]


async def test_a_list_that_always_expires_is_unavailable() -> None:
    async def handler(request: web.Request) -> web.Response:
        if request.query.get("continue"):
            return web.json_response({"message": "too old"}, status=410)
        return web.json_response({"metadata": {"continue": "x"}, "items": []})

    async with served(handler) as cluster:
        with pytest.raises(Unavailable, match="expired"):
            await cluster.list(CONFIG_MAP, "ns")


async def test_an_untyped_patch_is_rejected_though_it_says_500() -> None:
    said = (
        "failed to create typed patch object (ns/one; /v1, Kind=ConfigMap): .x: field not declared"
    )
    async with served(answering(500, said)) as cluster:
        with pytest.raises(Rejected, match="not declared"):
            await cluster.apply(CONFIG_MAP, config_map("one", "ns"))


async def test_a_webhook_that_does_not_answer_is_told_from_an_api_server_that_does_not() -> None:
    said = 'Internal error occurred: failed calling webhook "guard.example": connection refused'
    async with served(answering(500, said)) as cluster:
        with pytest.raises(WebhookFailed, match="failed calling webhook"):
            await cluster.create(CONFIG_MAP, config_map("one", "ns"))


async def test_an_event_that_fails_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with served(answering(503)) as cluster:
        await cluster.event(CAMPAIGN, {"metadata": {"name": "study"}}, "Accepted", "go")
    assert "event Accepted about Campaign default/study" in caplog.text


async def test_secrets_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = {"metadata": {"name": "one", "namespace": "ns"}, "data": {"password": "aHVudGVyMg=="}}
    async with served(answering(503)) as cluster:
        with pytest.raises(Unavailable) as raised:
            await cluster.create(SECRET, secret)
    assert "aHVudGVyMg" not in caplog.text + str(raised.value)


def test_paths_follow_from_the_kind() -> None:
    assert path(CAMPAIGN, "ns", "study", "status") == (
        "/apis/encbench.io/v1alpha1/namespaces/ns/campaigns/study/status"
    )
    assert path(CAMPAIGN, None) == "/apis/encbench.io/v1alpha1/campaigns"
    assert path(CONFIG_MAP, "ns") == "/api/v1/namespaces/ns/configmaps"
    assert path(NODE, "", "node-1") == "/api/v1/nodes/node-1"


async def test_the_note_of_an_event_is_printable_and_fits() -> None:
    notes: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        notes.append((await request.json())["note"])
        return web.json_response({}, status=201)

    about = {"metadata": {"name": "demo", "namespace": "bench", "uid": "u"}}
    async with served(handler) as cluster:
        await cluster.event(CAMPAIGN, about, "Failed", "a\x1b[2J" + "b" * 5000, warning=True)
        await cluster.event(CAMPAIGN, about, "Failed", "b" + "ä" * 1023, warning=True)
    # The API server counts bytes.
    assert notes == ["a [2J" + "b" * 1019, "b" + "ä" * 511]

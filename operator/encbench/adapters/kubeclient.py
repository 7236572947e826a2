"""The way to the API server by the client library: configuration, authentication, connections.

Its typed classes and its dynamic client are not used.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import aiohttp
from kubernetes.aio import config
from kubernetes.aio.client import ApiClient, Configuration

from encbench.adapters.kubernetes import FIELD_MANAGER
from encbench.adapters.kubernetes_http import ACCEPT, HttpAnswer, Query
from encbench.ports import Body

READ_AGAIN = 60.0
"""Seconds after which the token of the pod's service account is read again: it is rotated."""


def around_us() -> str | None:
    """The URL of the API server of the cluster around us; None outside a pod."""
    host, port = map(os.environ.get, ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"))
    if not host or not port:
        return None
    return f"https://{f'[{host}]' if ':' in host else host}:{port}"


async def connect(kubeconfig: Path | None = None) -> ApiClient:
    """A client for the given kubeconfig, else for the cluster around us, else for the default one.

    The caller closes it. In a cluster it asks no proxy. One in the environment is there for the
    object store, and Python's NO_PROXY takes no ranges, by which it could leave out the address of
    the API server.
    """
    settings = Configuration()
    if kubeconfig is None and around_us() is not None:
        ServiceAccount()(settings)
        settings.client_session_kwargs = {"trust_env": False}
    else:
        # The library reads the environment only once, when it is imported.
        chosen = os.environ.get("KUBECONFIG") if kubeconfig is None else str(kubeconfig)
        await config.load_kube_config(  # type: ignore[no-untyped-call]
            config_file=chosen or None, client_configuration=settings, persist_config=False
        )
    client = ApiClient(settings)
    client.user_agent = FIELD_MANAGER
    return client


class ServiceAccount:
    """Keeps a configuration's token fresh; the library calls it before each request.

    The library's own way goes by the wall clock. One that was set back would have it send an
    expired token until the clock has caught up.
    """

    def __init__(self, ticks: Callable[[], float] = time.monotonic) -> None:
        self._ticks = ticks
        self._read: float | None = None

    def __call__(self, settings: Configuration) -> None:
        """Read the pod's files if that was long ago."""
        now = self._ticks()
        if self._read is None or now - self._read >= READ_AGAIN:
            config.load_incluster_config(  # type: ignore[no-untyped-call]
                client_configuration=settings, try_refresh_token=False
            )
            settings.refresh_api_key_hook = self  # type: ignore[assignment]
            self._read = now


class ClientTransport:
    """Requests by a client, each of which ends within `timeout` seconds."""

    def __init__(self, client: ApiClient, *, timeout: float = 30.0) -> None:
        self._client = client
        self._timeout = aiohttp.ClientTimeout(total=timeout)

    async def exchange(
        self, method: str, where: str, query: Query, body: Body | None, content_type: str
    ) -> HttpAnswer:
        """See `kubernetes_http.Transport`."""
        method, url, headers, content, _ = await self._client.param_serialize(
            method,
            where,
            query_params=list(query),
            header_params={"Accept": ACCEPT, "Content-Type": content_type},
            body=body,
            auth_settings=["BearerToken"],
        )
        try:
            response = await self._client.call_api(
                method, url, headers, content, _request_timeout=self._timeout
            )
            async with response.response:
                return HttpAnswer(response.status, await response.response.read())
        except aiohttp.ClientError as error:
            raise OSError(str(error) or type(error).__name__) from error

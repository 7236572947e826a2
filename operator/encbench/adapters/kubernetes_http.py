"""Requests to the Kubernetes API server: how they are addressed, sent, and judged when they fail.

The client library contributes configuration, authentication and the connection pool. Its typed
classes and its dynamic client are left aside: the paths follow from `Kind`, objects are JSON to us,
and discovery would be one more thing that may fail or be out of date.

Bodies are never logged, for Secrets pass through here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp
from kubernetes.aio.client import ApiClient

from encbench.api.kinds import Kind
from encbench.ports import Body, Conflict, Rejected, Unavailable

Query = Sequence[tuple[str, str]]

JSON = "application/json"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"

_AWAY = (401, 408, 429)
"""401 because a rotated service account token is read again within a minute."""

_UNTYPED = "failed to create typed patch object"
"""How the API server begins when an applied object has a field that its schema lacks. It says so
with status 500, which trying again would never cure."""


def path(kind: Kind, namespace: str | None, name: str = "", subresource: str = "") -> str:
    """The URL path of an object, or of all of a kind where `name` is empty."""
    root = "/apis" if "/" in kind.api_version else "/api"
    parts = [root, kind.api_version]
    if kind.namespaced and namespace is not None:
        parts += ["namespaces", namespace]
    parts += [part for part in (kind.plural, name, subresource) if part]
    return "/".join(parts)


@dataclass(frozen=True)
class HttpAnswer:
    """A response that came from the API server itself and is no fault of its own."""

    status: int
    content: bytes

    @property
    def ok(self) -> bool:
        """Whether the request was carried out."""
        return 200 <= self.status < 300

    def json(self) -> Body:
        """The content as an object; Unavailable when something else answered in its place."""
        try:
            body = json.loads(self.content)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Unavailable(f"status {self.status}, but no JSON object: not the API server?")
        return body

    @property
    def message(self) -> str:
        """What the API server says about a failure."""
        said = self._said().get("message")
        return str(said or self.content.decode(errors="replace")[:512] or f"status {self.status}")

    def expect_ok(self) -> "HttpAnswer":
        """Itself; Conflict when it is another object, Rejected for whatever else was not done."""
        if self.ok:
            return self
        if self.status == 409 or "metadata.uid" in self._fields():
            raise Conflict(self.message)
        raise Rejected(self.message)

    def _fields(self) -> list[str]:
        """The fields that a refusal is about. An applied uid that is not the live one is there."""
        details = self._said().get("details") or {}
        return [cause.get("field", "") for cause in details.get("causes") or []]

    def _said(self) -> Body:
        try:
            return self.json()
        except Unavailable:
            return {}


class Requests:
    """Sends requests; each ends within `timeout` seconds."""

    def __init__(self, client: ApiClient, timeout: float) -> None:
        self._client = client
        self._timeout = aiohttp.ClientTimeout(total=timeout)

    async def send(
        self,
        method: str,
        where: str,
        *,
        query: Query = (),
        body: Body | None = None,
        content_type: str = JSON,
    ) -> HttpAnswer:
        """Send and read the answer. Unavailable when there is none, or a fault of the server's."""
        try:
            answer = await self._exchange(method, where, query, body, content_type)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"{method} {where}: {str(error) or type(error).__name__}") from error
        if answer.status == 500 and _UNTYPED in answer.message:
            raise Rejected(answer.message)
        if answer.status in _AWAY or answer.status >= 500:
            raise Unavailable(f"{method} {where}: {answer.status}: {answer.message}")
        return answer

    async def _exchange(
        self, method: str, where: str, query: Query, body: Body | None, content_type: str
    ) -> HttpAnswer:
        method, url, headers, content, _ = await self._client.param_serialize(
            method,
            where,
            query_params=list(query),
            header_params={"Accept": f"{JSON}, */*;q=0.1", "Content-Type": content_type},
            body=body,
            auth_settings=["BearerToken"],
        )
        response = await self._client.call_api(
            method, url, headers, content, _request_timeout=self._timeout
        )
        async with response.response:
            return HttpAnswer(response.status, await response.response.read())

"""Requests to the Kubernetes API server: how they are addressed, sent, and judged when they fail.

The client library contributes configuration, authentication and the connection pool. Its typed
classes and its dynamic client are not used: the paths follow from `Kind`, objects are plain JSON
here, and discovery could fail or be out of date.

Bodies are never logged, because Secrets pass through here.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp
from kubernetes.aio.client import ApiClient

from encbench.api.kinds import Kind
from encbench.ports import Body, Conflict, Meter, Rejected, Unavailable

Query = Sequence[tuple[str, str]]

JSON = "application/json"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"

_AWAY = (401, 408, 429)
"""401 is among them because a rotated service account token is read again within a minute."""

_UNTYPED = "failed to create typed patch object"
"""The beginning of the API server's message if an applied object has an unknown field. The status
is 500, although trying again would not help."""


def path(kind: Kind, namespace: str | None, name: str = "", subresource: str = "") -> str:
    """The URL path of an object, or of all objects of a kind if `name` is empty."""
    root = "/apis" if "/" in kind.api_version else "/api"
    parts = [root, kind.api_version]
    if kind.namespaced and namespace is not None:
        parts += ["namespaces", namespace]
    parts += [part for part in (kind.plural, name, subresource) if part]
    return "/".join(parts)


def resource(where: str) -> str:
    """The plural in a path, and the subresource if there is one: without names, hence few."""
    parts = where.split("/")[3 if where.startswith("/api/") else 4 :]
    if parts[0] == "namespaces" and len(parts) > 2:
        parts = parts[2:]
    return "/".join([parts[0], *parts[2:3]])


@dataclass(frozen=True)
class HttpAnswer:
    """A response from the API server itself that is not a server error."""

    status: int
    content: bytes

    @property
    def ok(self) -> bool:
        """Whether the request was carried out."""
        return 200 <= self.status < 300

    def json(self) -> Body:
        """The content as an object; Unavailable when a proxy or the like answered instead."""
        try:
            body = json.loads(self.content)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Unavailable(f"status {self.status}, but no JSON object: not the API server?")
        return body

    @property
    def message(self) -> str:
        """The API server's message about a failure."""
        message = self._body().get("message")
        return str(
            message or self.content.decode(errors="replace")[:512] or f"status {self.status}"
        )

    def expect_ok(self) -> "HttpAnswer":
        """Itself; Conflict when it is another object, Rejected for every other failure."""
        if self.ok:
            return self
        if self.status == 409 or "metadata.uid" in self._fields():
            raise Conflict(self.message)
        raise Rejected(self.message)

    def _fields(self) -> list[str]:
        """The fields that a rejection is about, such as a stale uid that was applied."""
        details = self._body().get("details") or {}
        return [cause.get("field", "") for cause in details.get("causes") or []]

    def _body(self) -> Body:
        try:
            return self.json()
        except Unavailable:
            return {}


class Requests:
    """Sends requests; each ends within `timeout` seconds, and the meter hears of it."""

    def __init__(self, client: ApiClient, timeout: float, meter: Meter) -> None:
        self._client = client
        self._meter = meter
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
        """Send and read the answer. Unavailable without one, or when the server failed."""
        began, status = time.monotonic(), 0
        try:
            answer = await self._exchange(method, where, query, body, content_type)
            status = answer.status
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"{method} {where}: {str(error) or type(error).__name__}") from error
        finally:
            self._meter.asked(method, resource(where), status, time.monotonic() - began)
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

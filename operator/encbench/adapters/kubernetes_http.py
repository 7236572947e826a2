"""Requests to the Kubernetes API server: how they are addressed, sent, and judged when they fail.

A `Transport` contributes configuration, authentication and connections. The operator's is
`adapters.kubeclient`, by the client library; the plugin's is `adapters.kubectl`. The paths follow
from `Kind`, and objects are plain JSON here, because discovery could fail or be out of date.

Bodies are never logged, because Secrets pass through here.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from encbench.api.kinds import Kind
from encbench.ports import Body, Conflict, NotNow, Rejected, Unavailable, WebhookFailed

Query = Sequence[tuple[str, str]]

JSON = "application/json"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
ACCEPT = f"{JSON}, */*;q=0.1"

_AWAY = (401, 408)
"""401 is among them because a rotated service account token is read again within a minute."""
_BUSY = 429
"""It has too many requests, of this client or of all."""

_UNTYPED = "failed to create typed patch object"
"""The beginning of the API server's message if an applied object has an unknown field. The status
is 500, although trying again would not help."""
_WEBHOOK = "failed calling webhook"
"""A part of its message, with 500 too, if an admission webhook does not answer."""


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
            message
            or self.content.decode(errors="replace")[:512].strip()
            or f"status {self.status}"
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


class Transport(Protocol):
    """A way to the API server."""

    async def exchange(
        self, method: str, where: str, query: Query, body: Body | None, content_type: str
    ) -> HttpAnswer:
        """Send and read the answer, in bounded time. OSError without one."""
        ...


class FencedTransport:
    """A way to the API server that is closed to whatever could change something, at times.

    A process that does not lead any more may still be in the middle of a pass.
    """

    def __init__(self, transport: Transport, is_open: Callable[[], bool]) -> None:
        self._transport = transport
        self._is_open = is_open

    async def exchange(
        self, method: str, where: str, query: Query, body: Body | None, content_type: str
    ) -> HttpAnswer:
        """See `Transport`. OSError for a write while it is closed."""
        if method != "GET" and not self._is_open():
            raise OSError("this process does not lead its shard at the moment")
        return await self._transport.exchange(method, where, query, body, content_type)


class Requests:
    """Sends requests, and judges the answers that are not the API server's own."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def send(
        self,
        method: str,
        where: str,
        *,
        query: Query = (),
        body: Body | None = None,
        content_type: str = JSON,
    ) -> HttpAnswer:
        """Send and read the answer. Unavailable without one, or when the server failed.

        NotNow when it answered that it does not do it for now; WebhookFailed may need a person.
        """
        try:
            answer = await self._transport.exchange(method, where, query, body, content_type)
        except OSError as error:
            raise Unavailable(f"{method} {where}: {str(error) or type(error).__name__}") from error
        if answer.status == 500 and _UNTYPED in answer.message:
            raise Rejected(answer.message)
        if answer.status == 500 and _WEBHOOK in answer.message:
            raise WebhookFailed(answer.message)
        if answer.status == _BUSY:
            raise NotNow(f"{method} {where}: {answer.status}: {answer.message}")
        if answer.status in _AWAY or answer.status >= 500:
            raise Unavailable(f"{method} {where}: {answer.status}: {answer.message}")
        return answer

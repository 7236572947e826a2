"""`ports.Cluster` over the Kubernetes API.

Objects are read without `metadata.managedFields`, which may be larger than all the rest; a write
that omits them leaves them unchanged. Every write asks for strict validation, so that the server
rejects an unknown field instead of silently dropping it.
"""

import logging
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from encbench.adapters.kubernetes_http import (
    APPLY,
    JSON,
    MERGE,
    HttpAnswer,
    Requests,
    Transport,
    path,
)
from encbench.api.conditions import format_micro_time
from encbench.api.kinds import EVENT, POD, Kind
from encbench.kube.labels import selector
from encbench.logs import about, named
from encbench.ports import Body, Conflict, NotServed, Pages, Rejected, Unavailable
from encbench.wire.foreign import printable

_log = logging.getLogger(__name__)

FIELD_MANAGER = "encbench"

_STRICT = ("fieldValidation", "Strict")
_MANAGER = ("fieldManager", FIELD_MANAGER)
_LOG_BYTES = 1 << 20
_RESTARTS = 3
_NOTE_LIMIT = 1024
"""Bytes of an Event's note that the API server takes."""


class _Expired(Exception):
    """The snapshot of a list was compacted while it was read."""


class KubernetesCluster:
    """The API server behind a transport. A request reads at most `chunk` objects."""

    def __init__(self, transport: Transport, *, chunk: int = 500) -> None:
        self._requests = Requests(transport)
        self._chunk = chunk
        self._instance = socket.gethostname()[:128]

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """See `ports.Cluster`."""
        answer = await self._requests.send("GET", path(kind, namespace, name))
        return None if answer.status == 404 else _object(kind, answer)

    async def list(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
    ) -> list[Body]:
        """See `ports.Cluster`."""
        for _ in range(_RESTARTS):
            with suppress(_Expired):
                pages = self._pages(kind, namespace, labels)
                return [body async for page in pages for body in page]
        raise Unavailable(f"list of {kind.plural} expired {_RESTARTS} times while it was read")

    async def pages(
        self, kind: Kind, namespace: str, labels: Mapping[str, str] | None = None
    ) -> Pages:
        """See `ports.Cluster`."""
        try:
            async for page in self._pages(kind, namespace, labels):
                yield page
        except _Expired as error:
            raise Unavailable(f"list of {kind.plural} expired while it was read") from error

    async def _pages(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None
    ) -> Pages:
        wanted = selector(labels or {})
        token = ""
        while True:
            query = [("limit", str(self._chunk))]
            query += [("labelSelector", wanted)] if wanted else []
            query += [("continue", token)] if token else []
            answer = await self._requests.send("GET", path(kind, namespace), query=query)
            if answer.status == 410:
                raise _Expired
            if answer.status == 404:
                group = kind.api_version.partition("/")[0]
                raise NotServed(f"the API server has no {kind.plural}.{group}: apply its CRD")
            page = answer.expect_ok().json()
            yield [cleaned(kind, item) for item in page["items"]]
            token = page["metadata"].get("continue", "")
            if not token:
                return

    async def _write(
        self, method: str, kind: Kind, body: Body, where: str, *options: tuple[str, str]
    ) -> HttpAnswer:
        query, sent = [_MANAGER, *options, _STRICT], _typed(kind, body)
        content_type = APPLY if method == "PATCH" else JSON
        return await self._requests.send(
            method, where, query=query, body=sent, content_type=content_type
        )

    async def create(self, kind: Kind, body: Body) -> Body:
        """See `ports.Cluster`."""
        where = path(kind, body["metadata"].get("namespace"))
        return _object(kind, await self._write("POST", kind, body, where))

    async def apply(self, kind: Kind, body: Body) -> Body:
        """See `ports.Cluster`. Conflict when the body names a stale uid or version."""
        where = path(kind, body["metadata"].get("namespace"), body["metadata"]["name"])
        return _object(kind, await self._write("PATCH", kind, body, where, ("force", "true")))

    async def apply_status(self, kind: Kind, body: Body) -> Body:
        """See `ports.Cluster`. Also Conflict when the object is gone."""
        meta = body["metadata"]
        where = path(kind, meta.get("namespace"), meta["name"], "status")
        answer = await self._write("PUT", kind, body, where)
        if answer.status == 404:
            raise Conflict(answer.message)
        return _object(kind, answer)

    async def patch_metadata(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        labels: Mapping[str, str | None] | None = None,
        finalizers: Sequence[str] | None = None,
        resource_version: str | None = None,
    ) -> Body | None:
        """See `ports.Cluster`. Conflict when `resource_version` is given and stale."""
        asked = {"labels": labels, "finalizers": finalizers, "resourceVersion": resource_version}
        changes = {field: value for field, value in asked.items() if value is not None}
        answer = await self._requests.send(
            "PATCH",
            path(kind, namespace, name),
            query=[_MANAGER, _STRICT],
            body={"metadata": changes},
            content_type=MERGE,
        )
        return None if answer.status == 404 else _object(kind, answer)

    async def delete(self, kind: Kind, namespace: str, name: str, uid: str) -> None:
        """See `ports.Cluster`."""
        answer = await self._requests.send(
            "DELETE",
            path(kind, namespace, name),
            body={
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "propagationPolicy": "Background",
                "preconditions": {"uid": uid},
            },
        )
        # 409: the name belongs to another incarnation, so ours is gone.
        if answer.status not in (404, 409):
            answer.expect_ok()

    async def logs(self, namespace: str, pod: str, container: str, lines: int) -> str:
        """See `ports.Cluster`."""
        while True:
            limits = (("tailLines", str(lines)), ("limitBytes", str(_LOG_BYTES)))
            query = (("container", container), *limits)
            answer = await self._requests.send("GET", path(POD, namespace, pod, "log"), query=query)
            # 400: the container has not started, or the pod has no such container.
            if answer.status in (400, 404):
                return ""
            said = answer.expect_ok().content
            # The limit cuts the newest of these lines, which are those that are asked for.
            if len(said) < _LOG_BYTES or lines <= 1:
                return said.decode(errors="replace")
            lines //= 2

    async def scrape(self, namespace: str, pod: str, port: int) -> str:
        """A pod's /metrics through the API server, for people outside the cluster.

        Unavailable when the pod does not answer, Rejected without the right to get pods/proxy.
        """
        where = path(POD, namespace, f"{pod}:{port}", "proxy/metrics")
        answer = await self._requests.send("GET", where)
        return answer.expect_ok().content.decode(errors="replace")

    async def event(
        self, kind: Kind, regarding: Body, reason: str, note: str, *, warning: bool = False
    ) -> None:
        """See `ports.Cluster`."""
        meta = regarding["metadata"]
        namespace = meta.get("namespace") or "default"
        body = {
            "apiVersion": EVENT.api_version,
            "kind": EVENT.kind,
            "metadata": {"generateName": f"{meta['name']}-", "namespace": namespace},
            "eventTime": format_micro_time(datetime.now(UTC)),
            "reportingController": "encbench.io/operator",
            "reportingInstance": self._instance,
            "action": reason,
            "reason": reason,
            "note": _cut(printable(note, _NOTE_LIMIT)),
            "type": "Warning" if warning else "Normal",
            "regarding": {
                "apiVersion": kind.api_version,
                "kind": kind.kind,
                "namespace": namespace,
                "name": meta["name"],
                "uid": meta.get("uid", ""),
            },
        }
        try:
            answer = await self._requests.send("POST", path(EVENT, namespace), body=body)
            answer.expect_ok()
        except (Unavailable, Conflict, Rejected) as error:
            place = kind, namespace, meta["name"]
            text = "event %s about %s: %s"
            _log.warning(text, reason, named(*place), error, extra=about(*place))


def _cut(note: str) -> str:
    """The first letters of a note, as many as fit the limit in bytes of UTF-8."""
    return note.encode(errors="replace")[:_NOTE_LIMIT].decode(errors="ignore")


def _object(kind: Kind, answer: HttpAnswer) -> Body:
    return cleaned(kind, answer.expect_ok().json())


def cleaned(kind: Kind, body: Body) -> Body:
    """The object without managedFields, and with its type, which items of a list lack."""
    meta = {field: value for field, value in body["metadata"].items() if field != "managedFields"}
    return _typed(kind, {**body, "metadata": meta})


def _typed(kind: Kind, body: Body) -> Body:
    return {**body, "apiVersion": kind.api_version, "kind": kind.kind}

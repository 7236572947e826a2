"""The API server, asked without any code of the operator's in between."""

import json
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp

from encbench.adapters.kubernetes_http import MERGE, path
from encbench.api.kinds import Kind

Body = dict[str, Any]


class Refused(Exception):
    """The API server did not do it."""


@dataclass
class Api:
    """A session as the administrator; an asynchronous context."""

    kubeconfig: Path

    async def __aenter__(self) -> "Api":
        known = json.loads(self.kubeconfig.read_text())
        cluster, user = known["clusters"][0]["cluster"], known["users"][0]["user"]
        tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self._session = aiohttp.ClientSession(
            base_url=cluster["server"],
            headers={"Authorization": f"Bearer {user['token']}"},
            connector=aiohttp.TCPConnector(ssl=tls, limit=128),
            timeout=aiohttp.ClientTimeout(total=60),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def ask(
        self, method: str, where: str, body: Any = None, content_type: str = "application/json"
    ) -> Body:
        """The answer; Refused for any other than success."""
        sent = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": content_type}
        async with self._session.request(method, where, data=sent, headers=headers) as answer:
            content = await answer.read()
        if answer.status >= 300:
            raise Refused(f"{method} {where}: {answer.status}: {content.decode()[:500]}")
        found: Body = json.loads(content)
        return found

    async def text(self, where: str) -> str:
        """An answer that is no object."""
        async with self._session.get(where) as answer:
            return await answer.text()

    async def create(self, kind: Kind, body: Body) -> Body:
        """POST."""
        own = {**body, "apiVersion": kind.api_version, "kind": kind.kind}
        return await self.ask("POST", path(kind, body["metadata"].get("namespace")), own)

    async def get(self, kind: Kind, namespace: str, name: str) -> Body:
        """GET."""
        return await self.ask("GET", path(kind, namespace, name))

    async def put_status(self, kind: Kind, body: Body) -> Body:
        """Replace the status."""
        meta = body["metadata"]
        where = path(kind, meta.get("namespace"), meta["name"], "status")
        return await self.ask("PUT", where, body)

    async def patch(
        self, kind: Kind, namespace: str, name: str, body: Body, subresource: str = ""
    ) -> Body:
        """Merge."""
        return await self.ask("PATCH", path(kind, namespace, name, subresource), body, MERGE)

    async def delete(self, kind: Kind, namespace: str, name: str) -> None:
        """In the background."""
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        await self.ask("DELETE", path(kind, namespace, name), options)

    async def all(self, kind: Kind, namespace: str) -> list[Body]:
        """Every object, in chunks."""
        found: list[Body] = []
        token = ""
        while True:
            more = f"&continue={token}" if token else ""
            page = await self.ask("GET", f"{path(kind, namespace)}?limit=500{more}")
            found += page["items"]
            token = page["metadata"].get("continue", "")
            if not token:
                return found

    async def changes(
        self, kind: Kind, namespace: str, selector: Mapping[str, str] | None = None
    ) -> AsyncIterator[tuple[str, Body]]:
        """What is there now as ADDED, then types and objects of a watch, until it ends."""
        labels = ",".join(f"{name}={value}" for name, value in (selector or {}).items())
        query = {"labelSelector": labels} if labels else {}
        where = path(kind, namespace)
        first = await self.ask("GET", f"{where}?{urlencode(query)}")
        for body in first["items"]:
            yield "ADDED", body
        query |= {"watch": "true", "resourceVersion": first["metadata"]["resourceVersion"]}
        never = aiohttp.ClientTimeout(total=None)
        async with self._session.get(where, params=query, timeout=never) as answer:
            kept = b""
            async for chunk in answer.content.iter_any():
                *lines, kept = (kept + chunk).split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        return  # It is too old by now: begin again.
                    yield event["type"], event["object"]

"""Requests, answers, and which function answers which request; `serving` does the HTTP.

Errors are JSON with one sentence, as the operator reads them.
"""

import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qs

JSON = "application/json"


class Request(NamedTuple):
    """One request; names of headers are in lower case."""

    method: str
    target: str
    """Path and query."""
    headers: dict[str, str]
    body: bytes
    is_gone: Callable[[], bool] = lambda: False
    """Whether the caller has hung up meanwhile."""

    @property
    def path(self) -> str:
        """The path alone."""
        return self.target.partition("?")[0]

    def asked(self, name: str) -> str:
        """What the query says of this; empty when it says nothing."""
        return parse_qs(self.target.partition("?")[2]).get(name, [""])[0]


class Response(NamedTuple):
    """One answer. `sent` is called once it is sent, and `rest` follows `content`.

    A long list is in `rest` in small pieces: as one, it would need its room in memory again.
    """

    status: int
    content: bytes
    content_type: str = JSON
    sent: Callable[[], None] | None = None
    rest: Sequence[bytes] = ()


Routes = Mapping[tuple[str, str], Callable[[Request], Response]]
"""The function that answers, by method and path."""


def said(value: object) -> Response:
    """A value of JSON."""
    return Response(200, json.dumps(value).encode())


def error(status: int, sentence: str) -> Response:
    """What went wrong."""
    return Response(status, json.dumps({"error": sentence}).encode())


def routed(routes: Routes, request: Request) -> Response:
    """The answer of the function for this request, or that there is none."""
    method, path = request.method, request.path
    found = routes.get((method, path))
    if found is not None:
        return found(request)
    others = [other for other, known in routes if known == path]
    if others:
        return error(405, f"{method} is not for {path}: use {' or '.join(others)}")
    return error(404, f"there is no {path} on this port")


def refusal(request: Request, token: str) -> Response | None:
    """Why a request is not taken that lacks the token; None where it has it."""
    given = request.headers.get("authorization", "").encode()
    if hmac.compare_digest(given, f"Bearer {token}".encode()):
        return None
    return error(401, "send the header Authorization: Bearer with this sidecar's token")

"""What an S3 service answers to botocore, in place of the network."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session


class _Body(io.BytesIO):
    """A response's content, as urllib3 gives it."""

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        """All of it at once."""
        yield self.read()


@dataclass
class S3Answers:
    """One bucket in a region, whose name the service says as Amazon's does; faults for tests."""

    region: str
    objects: dict[str, bytes] = field(default_factory=dict)
    """Content by path."""
    asked: list[AWSPreparedRequest] = field(default_factory=list)
    """Every request, those by presigned URLs among them."""
    for_urls: int | None = None
    """This status for every request by a presigned URL, as long as it is set."""
    passing: list[int | None] = field(default_factory=list)
    """A status for each next request by a presigned URL; None where it is answered as ever."""
    stores_and_fails: bool = False
    """Whether a request with one of those statuses stores all the same."""
    overwrites_by_url: bool = False
    """Whether a presigned URL stores whatever is there."""
    says_sizes: bool = True
    """Whether an answer has its size, which a gateway may leave out."""
    adds: bytes = b""
    """What it adds to what it stores."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """The answer to a request."""
        self.asked.append(request)
        status, code, content = self._answer(request)
        headers = {"content-length": str(len(content))} if self.says_sizes else {}
        if code:
            said = f"<Error><Code>{code}</Code><Message>expecting '{self.region}'</Message></Error>"
            content = b"" if request.method == "HEAD" else said.encode()
            headers = {"content-type": "application/xml", "x-amz-bucket-region": self.region}
        return AWSResponse(request.url, status, headers, _Body(content))

    def _answer(self, request: AWSPreparedRequest) -> tuple[int, str, bytes]:
        url = urlsplit(request.url)
        by_url = parse_qs(url.query).get("X-Amz-Credential")
        scope = by_url[0] if by_url else request.headers["Authorization"].decode()
        if by_url and request.headers["If-None-Match"] != "*":
            return 403, "SignatureDoesNotMatch", b""
        if self.region not in scope.split("/"):
            return 400, "AuthorizationHeaderMalformed", b""
        if by_url and self.for_urls is not None:
            return self.for_urls, "AccessDenied", b""
        failing = self.passing.pop(0) if by_url and self.passing else None
        if failing is not None and not self.stores_and_fails:
            return failing, "SlowDown", b""
        done = self._done(request, url.path, by_url=bool(by_url))
        return done if failing is None else (failing, "SlowDown", b"")

    def _done(
        self, request: AWSPreparedRequest, path: str, *, by_url: bool
    ) -> tuple[int, str, bytes]:
        body: Any = request.body
        match request.method:
            case "PUT":
                if path in self.objects and not (by_url and self.overwrites_by_url):
                    return 412, "PreconditionFailed", b""
                content = body if isinstance(body, bytes) else body.read()
                self.objects[path] = content + self.adds
            case "GET" if path not in self.objects:
                return 404, "NoSuchKey", b""
            case "GET":
                return 200, "", self.objects[path]
            case "POST":
                for key in re.findall(rb"<Key>(.+?)</Key>", body):
                    self.objects.pop(f"{path}/{key.decode()}", None)
                return 200, "", b"<DeleteResult/>"
        return 200, "", b""


def answering(region: str, monkeypatch: pytest.MonkeyPatch) -> S3Answers:
    """Answers for everything that botocore sends from now on."""
    service = S3Answers(region)
    monkeypatch.setattr(URLLib3Session, "send", lambda _, request: service.send(request))
    return service

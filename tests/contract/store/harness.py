"""What the contract tests need beside a store: a client with a URL, and ways to spoil things."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import pytest

from encbench.adapters.objectstore import ObjectStore
from encbench.adapters.s3 import S3Limits
from encbench.ports import Store
from tests.support.fake_store import FakeStore
from tests.support.s3 import S3Server
from tests.support.stores import PROGRAMS, Program

QUICK = S3Limits(connect_seconds=10, read_seconds=30, attempts=1)

Servers = Callable[[str], S3Server]
"""A real store by the name of its program."""


class Harness(Protocol):
    """A store under test."""

    @property
    def store(self) -> Store: ...

    def upload(self, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        """PUT to a presigned URL; the HTTP status."""
        ...

    def away(self) -> Store:
        """The same store, but nothing answers."""
        ...

    def bare(self) -> Store:
        """One whose bucket is not there yet."""
        ...


def new_bucket() -> str:
    """A name that no bucket has yet."""
    return f"contract-{uuid.uuid4().hex[:12]}"


class FakeHarness:
    def __init__(self) -> None:
        self.store = FakeStore()

    def upload(self, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        return self.store.upload(url, content, headers)

    def away(self) -> Store:
        return FakeStore(away=True)

    def bare(self) -> Store:
        return FakeStore(has_bucket=False)


class RealHarness:
    def __init__(self, server: S3Server, bucket: str, closed: str) -> None:
        self.server = server
        self.store = ObjectStore(
            endpoint=server.url,
            bucket=bucket,
            region="us-east-1",
            credentials=server.credentials,
            limits=QUICK,
        )
        self._closed = closed
        """A URL at which no store listens."""

    def upload(self, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        parts = urlsplit(url)
        connection = HTTPConnection(parts.netloc, timeout=10)
        try:
            connection.request("PUT", f"{parts.path}?{parts.query}", content, dict(headers))
            return connection.getresponse().status
        finally:
            connection.close()

    def away(self) -> Store:
        return self.with_(endpoint=self._closed)

    def bare(self) -> Store:
        return self.with_(bucket=new_bucket())

    def with_(
        self,
        *,
        endpoint: str | None = None,
        bucket: str | None = None,
        credentials: Path | None = None,
        external_endpoint: str | None = None,
    ) -> ObjectStore:
        """A store that differs in something."""
        return ObjectStore(
            endpoint=endpoint or self.server.url,
            bucket=bucket or self.store.bucket,
            region="us-east-1",
            credentials=credentials or self.server.credentials,
            external_endpoint=external_endpoint,
            limits=QUICK,
        )


def that_have(capability: str) -> pytest.MarkDecorator:
    """Every program; of one that lacks it, the test must fail."""

    def mark(program: Program) -> Sequence[pytest.MarkDecorator]:
        if capability not in program.lacks:
            return ()
        return (pytest.mark.xfail(reason=f"{program.name} lacks {capability}", strict=True),)

    params = [pytest.param(one.name, marks=mark(one)) for one in PROGRAMS.values()]
    return pytest.mark.parametrize("program", params, indirect=True)

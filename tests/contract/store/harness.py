"""What the contract tests need beside a store: a client with a URL, and ways to spoil things."""

from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from botocore import session

from encbench.adapters.objectstore import ObjectStore
from encbench.adapters.s3 import S3Limits
from encbench.ports import Store
from tests.support.fake_store import FakeStore
from tests.support.minio import Minio

QUICK = S3Limits(connect_seconds=1, read_seconds=5, attempts=1)


class Harness(Protocol):
    """A store under test."""

    @property
    def store(self) -> Store: ...

    def upload(self, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        """PUT to a presigned URL; the HTTP status."""
        ...

    def begin_upload(self, key: str) -> None:
        """Begin a multipart upload and leave it unfinished."""
        ...

    def unfinished(self) -> list[str]:
        """Keys of the unfinished multipart uploads."""
        ...

    def away(self) -> Store:
        """The same store, but nothing answers."""
        ...


class FakeHarness:
    def __init__(self) -> None:
        self.store = FakeStore()

    def upload(self, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        return self.store.upload(url, content, headers)

    def begin_upload(self, key: str) -> None:
        self.store.unfinished.append(key)

    def unfinished(self) -> list[str]:
        return sorted(self.store.unfinished)

    def away(self) -> Store:
        return FakeStore(away=True)


class MinioHarness:
    def __init__(self, minio: Minio, bucket: str, nobody: str) -> None:
        self.minio = minio
        self.store = ObjectStore(
            endpoint=minio.url,
            bucket=bucket,
            region="us-east-1",
            credentials=minio.credentials,
            limits=QUICK,
        )
        self._nobody = nobody

    def upload(self, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        parts = urlsplit(url)
        connection = HTTPConnection(parts.netloc, timeout=10)
        try:
            connection.request("PUT", f"{parts.path}?{parts.query}", content, dict(headers))
            return connection.getresponse().status
        finally:
            connection.close()

    def begin_upload(self, key: str) -> None:
        self._s3().create_multipart_upload(Bucket=self.store.bucket, Key=key)

    def unfinished(self) -> list[str]:
        found = self._s3().list_multipart_uploads(Bucket=self.store.bucket).get("Uploads", [])
        return sorted(upload["Key"] for upload in found)

    def away(self) -> Store:
        return self.with_(endpoint=self._nobody)

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
            endpoint=endpoint or self.minio.url,
            bucket=bucket or self.store.bucket,
            region="us-east-1",
            credentials=credentials or self.minio.credentials,
            external_endpoint=external_endpoint,
            limits=QUICK,
        )

    def _s3(self) -> Any:
        return session.get_session().create_client(
            "s3",
            endpoint_url=self.minio.url,
            region_name="us-east-1",
            aws_access_key_id=(self.minio.credentials / "access-key").read_text(),
            aws_secret_access_key=(self.minio.credentials / "secret-key").read_text(),
        )

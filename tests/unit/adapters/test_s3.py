"""A store's clients: what is kept of them, and the proxies that they ask."""

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from encbench.adapters.s3 import S3Connection, S3Limits
from encbench.ports import Rejected, Unavailable


def rotate(folder: Path, number: int) -> None:
    for name in ("access-key", "secret-key"):
        (folder / name).write_text(f"{name}-{number}")


async def test_of_rotated_credentials_only_the_last_ones_client_is_kept(tmp_path: Path) -> None:
    rotate(tmp_path, 1)
    limits = S3Limits()
    connection = S3Connection("http://store.invalid", "us-east-1", tmp_path, None, limits)
    inner, outer = "http://store.invalid", "https://store.example.com"

    async def client(endpoint: str) -> Any:
        found: list[Any] = []
        await connection.sign(found.append, endpoint)
        return found.pop()

    first = await client(inner)
    assert await client(inner) is first
    assert await client(outer) is not first
    gone = weakref.ref(first)
    rotate(tmp_path, 2)
    second = await client(inner)
    assert second is not first
    assert await client(inner) is second
    del first
    gc.collect()
    assert gone() is None
    assert len(connection._clients) == 2


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "InvalidArgument", Rejected),
        (400, "ExpiredToken", Unavailable),
        # A bucket that is full: of MinIO, of Ceph, and a disk of MinIO's.
        (400, "XMinioAdminBucketQuotaExceeded", Unavailable),
        (403, "QuotaExceeded", Unavailable),
        (507, "XMinioStorageFull", Unavailable),
    ],
)
async def test_what_a_person_can_correct_at_the_store_is_waited_for(
    tmp_path: Path, status: int, code: str, kind: type[Exception]
) -> None:
    rotate(tmp_path, 1)
    connection = S3Connection("http://store.invalid", "us-east-1", tmp_path, None, S3Limits())
    answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}

    def refuse(_: Any) -> None:
        raise ClientError(answer, "PutObject")

    with pytest.raises(kind, match=code):
        await connection.call(refuse)


async def test_a_forwarded_port_is_reached_without_a_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = "http://proxy.example.com:3128"
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, proxy)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    rotate(tmp_path, 1)
    for endpoint, asked in (("http://127.0.0.1:4711", None), ("http://store.invalid", proxy)):
        connection = S3Connection(endpoint, "us-east-1", tmp_path, None, S3Limits())
        way = await connection.call(lambda s3: s3._endpoint.http_session._proxy_config)
        assert way.proxy_url_for(f"{endpoint}/bucket/key") == asked

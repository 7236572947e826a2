"""Presigned URLs, and what a client of the store is asked; no server is.

Presigned URLs begin with the URL of the bucket, as recorders demand.
"""

import base64
import hashlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError, EndpointConnectionError
from botocore.httpsession import URLLib3Session

from encbench.adapters.objectstore import ObjectStore
from encbench.adapters.s3 import S3Limits
from encbench.ports import Conflict, NotLeading, Rejected, TooLarge, Unavailable
from tests.support.s3answers import answering

KEY = "team-a/study-c0ffee00/trials/6f9b2a51-0000-4000-8000-000000000001/client-0/output.log"
CASES = (
    ("endpoint", "https://s3.eu-central-1.amazonaws.com", "results"),
    ("external_endpoint", "https://Store.Example.com:443", "my.own.results"),
    ("endpoint", "http://store.example.com:80/", "results"),
    ("external_endpoint", "https://example.com/objects/s3/", "results"),
    ("endpoint", "http://[2001:db8::7]:9000", "my.own.results"),
)


@pytest.mark.parametrize(("given", "endpoint", "bucket"), CASES)
async def test_a_presigned_url_is_in_the_bucket(
    tmp_path: Path, endpoint: str, given: str, bucket: str
) -> None:
    for name in ("access-key", "secret-key"):
        (tmp_path / name).write_text("of-a-test")
    where = {"endpoint": "http://inside:9000", given: endpoint}
    store = ObjectStore(**where, bucket=bucket, region="eu-central-1", credentials=tmp_path)  # type: ignore[arg-type]
    url = await store.presign_put(KEY, 60)
    assert url.partition("?")[0] == f"{store.url}/{KEY}"
    assert store.url == f"{endpoint.rstrip('/')}/{bucket}"


def for_clients_at(url: str, folder: Path) -> ObjectStore:
    """A store that clients reach at another URL, with credentials in that folder."""
    for name in ("access-key", "secret-key"):
        (folder / name).write_text("of-a-test")
    return ObjectStore(
        endpoint="http://store.invalid",
        external_endpoint=url,
        bucket="b",
        region="r",
        credentials=folder,
    )


INVALID = ("http://minio_lan:9000", "http://minio..invalid", "http://[::1", "http://[zz]:9000")


@pytest.mark.parametrize("url", INVALID)
async def test_a_url_that_makes_no_client_is_for_a_person_to_correct(
    tmp_path: Path, url: str
) -> None:
    store = for_clients_at(url, tmp_path)
    said = f"{re.escape(url)} is not a valid URL .*objectStore.external"
    with pytest.raises(Unavailable, match=said):
        await store.presign_put(KEY, 60)
    with pytest.raises(Unavailable, match=said):
        await store.check()


def store_of(client: object, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """A store that is asked through that client."""
    where = "http://store.invalid"
    store = ObjectStore(endpoint=where, bucket="b", region="r", credentials=folder)
    monkeypatch.setattr(store._connection, "_client", lambda _: client)
    return store


async def test_other_content_of_the_same_length_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Taken:
        """A store that has the key."""

        def put_object(self, **_: Any) -> None:
            taken = {"Code": "PreconditionFailed"}
            answer = {"Error": taken, "ResponseMetadata": {"HTTPStatusCode": 412}}
            raise ClientError(answer, "PutObject")

        def get_object(self, **_: Any) -> dict[str, Any]:
            return {"Body": io.BytesIO(b"first"), "ContentLength": 5}

    store = store_of(Taken(), tmp_path, monkeypatch)
    await store.put_if_absent("key", b"first", "text/plain")
    with pytest.raises(Conflict, match="key exists with other content"):
        await store.put_if_absent("key", b"other", "text/plain")


async def test_more_keys_than_one_request_takes_are_all_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[list[str]] = []

    class Deleting:
        """A store that has every key."""

        def delete_objects(self, **asked: Any) -> dict[str, Any]:
            gone.append([one["Key"] for one in asked["Delete"]["Objects"]])
            return {}

    keys = [f"trials/{number}" for number in range(2001)]
    await store_of(Deleting(), tmp_path, monkeypatch).delete(keys)
    assert [key for some in gone for key in some] == keys
    assert max(map(len, gone)) == 1000, "S3 takes no more"


async def test_a_port_that_is_none_is_said_of_the_url_that_has_it(tmp_path: Path) -> None:
    outside = "http://store.example.com:99999"
    store = for_clients_at(outside, tmp_path)
    with pytest.raises(Unavailable, match=f"the object store at {outside}"):
        await store.presign_put(KEY, 60)


def answered_store(folder: Path, may_write: Callable[[], bool] = lambda: True) -> ObjectStore:
    """A store with credentials in that folder, and no pauses."""
    for name in ("access-key", "secret-key"):
        (folder / name).write_text("of-a-test")
    where, limits = "http://store.invalid", S3Limits(pause_seconds=0)
    return ObjectStore(
        endpoint=where,
        bucket="b",
        region="here",
        credentials=folder,
        limits=limits,
        may_write=may_write,
    )


async def test_an_object_of_unknown_size_is_read_up_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = answering("here", monkeypatch)
    service.says_sizes = False
    service.objects["/b/key"] = b"12345"
    store = answered_store(tmp_path)
    assert await store.get("key") == b"12345"
    assert await store.get("key", limit=5) == b"12345"
    with pytest.raises(TooLarge, match="key has more than 4 bytes"):
        await store.get("key", limit=4)
    await store.check()
    assert service.objects.keys() == {"/b/key"}


async def test_check_reads_what_it_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = answering("here", monkeypatch)
    service.adds = b"+"
    with pytest.raises(Rejected, match="did not give back what it had stored"):
        await answered_store(tmp_path).check()
    assert not service.objects


async def test_a_deletion_has_the_digest_that_older_stores_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = answering("here", monkeypatch)
    await answered_store(tmp_path).delete(["key"])
    (request,) = service.asked
    assert isinstance(request.body, bytes)
    digest = hashlib.md5(request.body, usedforsecurity=False).digest()
    assert request.headers["Content-MD5"] == base64.b64encode(digest)
    assert b"content-md5;" in request.headers["Authorization"]


async def test_a_process_that_does_not_lead_stores_and_deletes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, leads = answering("here", monkeypatch), [False]
    store = answered_store(tmp_path, lambda: leads[0])
    for write in (
        store.put("key", b"1", "text/plain"),
        store.put_if_absent("key", b"1", "text/plain"),
        store.delete(["key"]),
    ):
        with pytest.raises(NotLeading, match="does not lead its shard"):
            await write
    assert not service.asked
    assert await store.get("key") is None
    leads[0] = True
    await store.put("key", b"1", "text/plain")
    assert await store.get("key") == b"1"


async def test_a_write_is_not_repeated_once_its_process_does_not_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Botocore repeats it in a thread, which ends with its attempts and not with its caller."""
    asked, leads = list[str](), [True]

    def send(_: object, request: AWSPreparedRequest) -> AWSResponse:
        asked.append(request.method)
        leads[0] = False
        raise EndpointConnectionError(endpoint_url=request.url)

    monkeypatch.setattr(URLLib3Session, "send", send)
    with pytest.raises(NotLeading, match="does not lead its shard"):
        await answered_store(tmp_path, lambda: leads[0]).put("key", b"1", "text/plain")
    assert asked == ["PUT"]


async def test_check_uploads_as_clients_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = answering("here", monkeypatch)
    await answered_store(tmp_path).check()
    uploads = [one for one in service.asked if "X-Amz-Signature" in one.url]
    assert [one.method for one in uploads] == ["PUT", "PUT"]
    assert all("Authorization" not in one.headers for one in uploads)
    assert len({urlsplit(one.url).path for one in uploads}) == 1
    assert not service.objects


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ({"for_urls": 403}, Unavailable, "answered 403 AccessDenied to an upload by a presigned"),
        ({"for_urls": 503}, Unavailable, "answered 503 AccessDenied"),
        ({"passing": [503] * 3}, Unavailable, "answered 503 SlowDown to an upload"),
        ({"passing": [None, *[503] * 3]}, Unavailable, "answered 503 SlowDown to a second upload"),
        ({"passing": [None, 403]}, Unavailable, "answered 403 SlowDown to a second upload"),
        ({"passing": [412]}, Unavailable, "answered 412 SlowDown to an upload"),
        ({"overwrites_by_url": True}, Rejected, "answered 200 and not 412 to a second upload"),
    ],
)
async def test_check_refuses_a_store_that_clients_cannot_use(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: dict[str, Any],
    kind: type[Exception],
    said: str,
) -> None:
    service = answering("here", monkeypatch)
    for name, value in fault.items():
        setattr(service, name, value)
    with pytest.raises(kind, match=said):
        await answered_store(tmp_path).check()
    assert not service.objects


@pytest.mark.parametrize("stores", [True, False])
@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 503])
async def test_check_uploads_again_as_clients_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, stores: bool
) -> None:
    service = answering("here", monkeypatch)
    service.passing, service.stores_and_fails = [status, None, status, status], stores
    await answered_store(tmp_path).check()
    assert not service.passing
    assert len([one for one in service.asked if "X-Amz-Signature" in one.url]) == 5
    assert not service.objects


async def test_an_upload_that_fails_does_not_show_its_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = answering("here", monkeypatch)

    def send(_: object, request: AWSPreparedRequest) -> AWSResponse:
        if "X-Amz-Signature" in request.url:
            raise EndpointConnectionError(endpoint_url=request.url)
        return service.send(request)

    monkeypatch.setattr(URLLib3Session, "send", send)
    with pytest.raises(Unavailable, match=r"failed: EndpointConnectionError$"):
        await answered_store(tmp_path).check()

"""A store's clients: what is kept of them, and the proxies that they ask."""

import asyncio
import gc
import os
import ssl
import threading
import traceback
import weakref
from collections.abc import Awaitable, Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError, EndpointConnectionError, SSLError
from botocore.httpsession import URLLib3Session

from encbench.adapters.objectstore import ObjectStore
from encbench.adapters.s3 import S3Connection, S3Limits
from encbench.ports import NoBucket, NotRestored, Rejected, Unavailable
from tests.support import certified
from tests.support.receiver import Receiver, receiving
from tests.support.s3answers import answering


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


async def test_credentials_that_come_later_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a node's metadata service that did not answer at first."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "absent"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    where = "http://store.invalid"
    store = ObjectStore(endpoint=where, bucket="b", region="us-east-1", credentials=None)
    for _ in range(2):
        with pytest.raises(Unavailable, match="no credentials for the object store: Unable to"):
            await store.presign_put("key", 60)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-a-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-a-test")
    assert "Credential=of-a-test%2F" in await store.presign_put("key", 60)


@pytest.mark.parametrize("name", ["access-key", "secret-key", "session-token"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"s3cr3t\xff", "it is not text in UTF-8"),
        # As base64 wraps it.
        (b"s3cr3t\nK3Y\n", "it has a line break or"),
        (b"\xef\xbb\xbfs3cr3t", "or another character that is not printable"),
    ],
)
async def test_an_entry_that_is_no_text_is_named_and_not_repeated(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    rotate(tmp_path, 1)
    (tmp_path / name).write_bytes(content)
    connection = S3Connection("http://store.invalid", "us-east-1", tmp_path, None, S3Limits())
    with pytest.raises(Unavailable, match=f"{name}: .*{said}") as caught:
        await connection.call(lambda _: None)
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize("name", ["access-key", "secret-key"])
async def test_an_entry_that_is_empty_is_named(tmp_path: Path, name: str) -> None:
    rotate(tmp_path, 1)
    (tmp_path / name).write_text("\n")
    connection = S3Connection("http://store.invalid", "us-east-1", tmp_path, None, S3Limits())
    with pytest.raises(Unavailable, match=f"{name}: it is empty"):
        await connection.call(lambda _: None)


async def test_a_blank_token_is_none(tmp_path: Path) -> None:
    rotate(tmp_path, 1)
    (tmp_path / "session-token").write_text("\n")
    where = "http://store.invalid"
    store = ObjectStore(endpoint=where, bucket="b", region="us-east-1", credentials=tmp_path)
    assert "X-Amz-Security-Token" not in await store.presign_put("key", 60)


@pytest.mark.parametrize(
    ("name", "content", "is_taken"),
    [
        ("access-key", "team a", True),
        ("access-key", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", False),
        ("session-token", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", False),
        ("secret-key", "a caf\N{LATIN SMALL LETTER E WITH ACUTE}", True),
    ],
)
async def test_a_password_has_the_letters_that_no_header_needs(
    tmp_path: Path, name: str, content: str, is_taken: bool
) -> None:
    rotate(tmp_path, 1)
    (tmp_path / name).write_text(content, encoding="utf-8")
    connection = S3Connection("http://store.invalid", "us-east-1", tmp_path, None, S3Limits())
    refused = pytest.raises(Unavailable, match=f"{name}: it has a letter that is not ASCII")
    with nullcontext() if is_taken else refused:
        await connection.call(lambda _: None)


async def test_a_header_that_cannot_be_sent_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a token in the environment, which botocore reads itself."""
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "absent"))
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "s3cr3t\nK3Y")
    with receiving(Receiver()) as store:
        where = f"http://127.0.0.1:{store.port}"
        connection = S3Connection(where, "us-east-1", None, None, S3Limits(2, 2, 1))
        with pytest.raises(Unavailable, match=r": ValueError$") as caught:
            await connection.call(lambda s3: s3.get_object(Bucket="b", Key="k"))
    assert "s3cr3t" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("end", ["#x", "/x", "?x"])
@pytest.mark.parametrize(
    ("password", "said"),
    [("S3CR3T", "the URL of its proxy cannot be read"), ("31415", "no connection to the proxy")],
)
async def test_a_password_in_a_proxys_url_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, password: str, end: str, said: str
) -> None:
    """A character in it that was not escaped ends the address, and what is before it is a port."""
    rotate(tmp_path, 1)
    for name in ("https_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", f"http://localhost:{password}{end}@127.0.0.1:9")
    where, limits = "https://store.invalid", S3Limits(2, 2, 1)
    connection = S3Connection(where, "us-east-1", tmp_path, None, limits)
    with pytest.raises(Unavailable, match=f"{said}.*: see HTTP_PROXY and HTTPS_PROXY") as caught:
        await connection.call(lambda s3: s3.get_object(Bucket="b", Key="k"))
    assert password not in "".join(traceback.format_exception(caught.value))


async def test_a_store_that_is_away_is_said_in_full(tmp_path: Path) -> None:
    rotate(tmp_path, 1)
    connection = S3Connection("http://127.0.0.1:9", "us-east-1", tmp_path, None, S3Limits(2, 2, 1))
    with pytest.raises(Unavailable, match="Could not connect to the endpoint URL"):
        await connection.call(lambda s3: s3.get_object(Bucket="b", Key="k"))


async def test_keys_are_listed_once_nothing_is_being_stored_that_nobody_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an object of a deleted trial would stay that came right after the listing."""
    store = ObjectStore(
        endpoint="http://store.invalid", bucket="b", region="r", credentials=tmp_path
    )
    begun, may_end, done = threading.Event(), threading.Event(), list[str]()

    class Slow:
        """A store that takes its time for a put, of which it tells when it is listed."""

        def put_object(self, **_: Any) -> None:
            begun.set()
            may_end.wait(20)
            done.append("put")

        def get_paginator(self, _: str) -> Any:
            done.append("list")
            return self

        def paginate(self, **_: Any) -> list[Any]:
            return []

    monkeypatch.setattr(store._connection, "_client", lambda _: Slow())
    puts = asyncio.create_task(store.put_if_absent("key", b"", "text/plain"))
    await asyncio.to_thread(begun.wait, 20)
    puts.cancel()
    with pytest.raises(asyncio.CancelledError):
        await puts
    lists = asyncio.create_task(store.list("k"))
    await asyncio.sleep(0.05)
    assert done == []
    may_end.set()
    assert await lists == []
    assert done == ["put", "list"]
    assert not store._connection._abandoned


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "InvalidArgument", Rejected),
        (400, "ExpiredToken", Unavailable),
        (404, "NoSuchBucket", NoBucket),
        (403, "InvalidObjectState", NotRestored),
        (400, "KMS.DisabledException", Unavailable),
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


async def test_a_wrong_region_is_said_and_not_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the operator's requests find the right one, and each client's upload is refused."""
    rotate(tmp_path, 1)
    service = answering("eu-central-1", monkeypatch)
    where = "https://s3.example.com"
    store = ObjectStore(endpoint=where, bucket="b", region="us-east-1", credentials=tmp_path)
    said = "answered 400: .*in region eu-central-1: correct objectStore.external.region"
    requests: tuple[Callable[[], Awaitable[object]], ...] = (
        store.ensure_bucket,  # of which the answer has no body
        lambda: store.get("key"),
        store.check,
        lambda: store.put_if_absent("key", b"text", "text/plain"),
    )
    for ask in requests:
        with pytest.raises(Unavailable, match=said):
            await ask()
    assert not service.objects
    right = ObjectStore(endpoint=where, bucket="b", region="eu-central-1", credentials=tmp_path)
    await right.ensure_bucket()
    await right.check()


@pytest.mark.parametrize(
    ("code", "region", "kind"),
    [
        ("PermanentRedirect", "eu-central-1", Unavailable),
        ("InvalidArgument", "eu-central-1", Rejected),
        ("400", "us-east-1", Rejected),
    ],
)
async def test_a_region_counts_where_it_explains_a_refusal(
    tmp_path: Path, code: str, region: str, kind: type[Exception]
) -> None:
    rotate(tmp_path, 1)
    connection = S3Connection("http://store.invalid", "us-east-1", tmp_path, None, S3Limits())
    metadata = {"HTTPStatusCode": 400, "HTTPHeaders": {"x-amz-bucket-region": region}}

    def refuse(_: Any) -> None:
        raise ClientError({"Error": {"Code": code}, "ResponseMetadata": metadata}, "GetObject")

    with pytest.raises(kind):
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


async def test_a_certificate_that_is_not_trusted_has_a_remedy(tmp_path: Path) -> None:
    rotate(tmp_path, 1)
    where = "https://store.invalid"
    connection = S3Connection(where, "us-east-1", tmp_path, None, S3Limits())

    def distrust(_: Any) -> None:
        raise SSLError(endpoint_url=where, error="CERTIFICATE_VERIFY_FAILED")

    with pytest.raises(Unavailable, match=r"VERIFY_FAILED.* AWS_CA_BUNDLE .*caConfigMap"):
        await connection.call(distrust)


@pytest.mark.parametrize(
    ("hosts", "since", "said"),
    [
        (["minio.tenant.svc"], None, "not for this address: .*; have one issued that names it$"),
        (certified.LOCAL, datetime(2000, 1, 1, tzinfo=UTC), "out of date: .*; renew it, or that"),
        (certified.LOCAL, None, None),
    ],
)
async def test_a_certificate_that_does_not_fit_is_not_put_down_to_its_ca(
    hosts: list[str], since: datetime | None, said: str | None, tmp_path: Path
) -> None:
    rotate(tmp_path, 1)
    authority, limits = tmp_path / "ca.crt", S3Limits(2, 2, 1)
    other = certified.authority("another").certificate
    authority.write_text(certified.issued().authority if said else other)
    with receiving(Receiver(), certified.context(hosts, since)) as store:
        where = f"https://127.0.0.1:{store.port}"
        connection = S3Connection(where, "us-east-1", tmp_path, authority, limits)
        whose = f"the certificate of the object store at {where}, or that of a proxy before it,"
        found = f"{whose} is {said}" if said else "no TLS"
        with pytest.raises(Unavailable, match=f"^{found}"):
            await connection.call(lambda s3: s3.get_object(Bucket="b", Key="k"))


async def test_a_certificate_of_sts_is_not_called_the_stores(tmp_path: Path) -> None:
    rotate(tmp_path, 1)
    connection = S3Connection("https://store.invalid", "us-east-1", tmp_path, None, S3Limits())
    expired = ssl.SSLCertVerificationError(1, "")
    expired.verify_code, expired.verify_message = 10, "certificate has expired"

    def distrust(_: Any) -> None:
        try:
            raise expired
        except ssl.SSLError as error:
            raise SSLError(endpoint_url="https://sts.invalid/?a=secret", error=error) from error

    said = "^the certificate of sts.invalid, or that of a proxy before it, is out of date: "
    with pytest.raises(Unavailable, match=said) as caught:
        await connection.call(distrust)
    assert "store.invalid" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("config", "cause"),
    [("[default]\n", r"profile \(absent\)"), ("[broken\n", "parse config file")],
)
async def test_a_broken_configuration_of_aws_is_not_the_stores_fault(
    config: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rotate(tmp_path, 1)
    (tmp_path / "config").write_text(config)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_PROFILE", "absent")
    connection = S3Connection("http://store.invalid", "us-east-1", tmp_path, None, S3Limits())
    with pytest.raises(Unavailable, match=f"^your AWS configuration cannot be used: .*{cause}"):
        await connection.call(lambda _: None)


@pytest.fixture
def sts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], int]]:
    """A role as a service account of EKS has it, and an STS; call it for the requests that it got.

    STS refuses them with a status, or keeps silent for the status 0.
    """
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    asked: list[str] = []
    silent, answer = threading.Event(), [0]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            if not answer[0]:
                silent.wait(30)
                return
            body = (
                b"<ErrorResponse><Error><Code>InvalidIdentityToken</Code></Error></ErrorResponse>"
            )
            self.send_response(answer[0])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    (tmp_path / "token").write_text("a token")
    for name, value in {
        "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/encbench",
        "AWS_WEB_IDENTITY_TOKEN_FILE": str(tmp_path / "token"),
        "AWS_ENDPOINT_URL_STS": f"http://127.0.0.1:{server.server_port}",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)

    def answering(status: int) -> int:
        answer[0] = status
        return len(asked)

    yield answering
    silent.set()
    server.shutdown()
    server.server_close()
    thread.join()


async def test_what_sts_refuses_a_person_can_correct(sts: Callable[[int], int]) -> None:
    sts(400)
    connection = S3Connection("http://store.invalid", "us-east-1", None, None, S3Limits())
    with pytest.raises(Unavailable, match=r"STS answered 400: .*InvalidIdentityToken"):
        await connection.call(lambda s3: s3.get_object(Bucket="b", Key="k"))


async def test_sts_has_the_limits_of_the_store(sts: Callable[[int], int]) -> None:
    limits = S3Limits(read_seconds=0.2, attempts=1)
    connection = S3Connection("http://store.invalid", "us-east-1", None, None, limits)
    with pytest.raises(Unavailable, match="Read timeout"):
        await connection.call(lambda s3: s3.get_object(Bucket="b", Key="k"))
    assert sts(0) == 1


async def test_sts_is_asked_in_the_region_of_the_store(
    sts: Callable[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sts(0) == 0
    monkeypatch.delenv("AWS_ENDPOINT_URL_STS")
    asked = set[str | None]()

    def send(_: object, request: AWSPreparedRequest) -> AWSResponse:
        asked.add(urlsplit(request.url).hostname)
        raise EndpointConnectionError(endpoint_url=request.url)

    monkeypatch.setattr(URLLib3Session, "send", send)
    limits = S3Limits(attempts=1)
    connection = S3Connection("http://store.invalid", "eu-central-1", None, None, limits)
    with pytest.raises(Unavailable, match="cannot be reached"):
        await connection.call(lambda s3: s3.get_object(Bucket="b", Key="k"))
    assert asked == {"sts.eu-central-1.amazonaws.com"}

"""What the store is asked, and the URLs that it gives; no server is asked."""

import hashlib
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from urllib3 import HTTPResponse

from encbench.adapters.objectstore import ObjectStore

KEY = "team-a/study-c0ffee00/trials/6f9b2a51-0000-4000-8000-000000000001/client-0/output.log"
CASES = (
    ("endpoint", "https://s3.eu-central-1.amazonaws.com", "results"),
    ("external_endpoint", "https://Store.Example.com:443", "my.own.results"),
    ("endpoint", "http://store.example.com:80/", "results"),
    ("external_endpoint", "https://example.com/objects/s3/", "results"),
    ("endpoint", "http://[2001:db8::7]:9000", "my.own.results"),
)


@pytest.fixture
def credentials(tmp_path: Path) -> Path:
    for name in ("access-key", "secret-key"):
        (tmp_path / name).write_text("of-a-test")
    return tmp_path


@pytest.mark.parametrize(("given", "endpoint", "bucket"), CASES)
async def test_a_presigned_url_is_in_the_bucket(
    credentials: Path, endpoint: str, given: str, bucket: str
) -> None:
    """Recorders demand that it begins with the URL of the bucket."""
    where = {"endpoint": "http://inside:9000", given: endpoint}
    store = ObjectStore(**where, bucket=bucket, region="eu-central-1", credentials=credentials)  # type: ignore[arg-type]
    url = await store.presign_put(KEY, 60)
    assert url.partition("?")[0] == f"{store.url}/{KEY}"
    assert store.url == f"{endpoint.rstrip('/')}/{bucket}"


async def test_each_object_is_stored_with_its_md5(credentials: Path) -> None:
    """Amazon S3 refuses any other in a bucket with Object Lock."""
    store = ObjectStore(
        endpoint="http://inside:9000", bucket="results", region="us-east-1", credentials=credentials
    )
    sent: list[AWSPreparedRequest] = []

    def answer(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        sent.append(request)
        return AWSResponse(request.url, 200, {}, HTTPResponse(BytesIO(), preload_content=False))

    await store._connection.call(
        lambda s3: s3.meta.events.register("before-send.s3.PutObject", answer)
    )
    await store.put_if_absent("first", b"a result", "text/plain")
    await store.put("second", b"another", "text/plain")
    for request, content in zip(sent, (b"a result", b"another"), strict=True):
        digest = hashlib.md5(content, usedforsecurity=False).digest()
        assert b64decode(request.headers["Content-MD5"]) == digest

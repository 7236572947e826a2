"""Presigned URLs begin with the URL of the bucket, as recorders demand; no server is asked."""

from pathlib import Path

import pytest

from encbench.adapters.objectstore import ObjectStore

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

"""Whoever sees an upload URL can store one object with it, and that is all.

Each forgery is one that the last MinIO of its makers takes: CVE-2026-34204, CVE-2026-40344,
CVE-2026-41145 and CVE-2026-97731. No test looks for holes that only users of the store can use.
"""

import base64
import io
import tarfile
import zlib
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.contract.store.harness import RealHarness

UNSIGNED, CHECKSUM = "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "x-amz-checksum-crc32"
FORGED = "0" * 64
KEY = "trials/1/trial.json"


def chunked(content: bytes) -> bytes:
    """As the body of a request whose payload is not signed, with its checksum behind it."""
    checksum = base64.b64encode(zlib.crc32(content).to_bytes(4))
    chunks = b"%x\r\n%s\r\n0\r\n" % (len(content), content)
    return chunks + b"%s:%s\r\n\r\n" % (CHECKSUM.encode(), checksum)


@pytest.fixture
async def seen(real: RealHarness) -> dict[str, str]:
    """The parts of an upload URL for another key, beside a result that is stored."""
    await real.store.put_if_absent(KEY, b"the result", "application/json")
    url = await real.store.presign_put("trials/2/output.log", 60)
    return {name: value for name, (value,) in parse_qs(urlsplit(url).query).items()} | {"url": url}


def headers(seen: dict[str, str], content: bytes) -> dict[str, str]:
    return {
        "X-Amz-Content-Sha256": UNSIGNED,
        "X-Amz-Trailer": CHECKSUM,
        "X-Amz-Decoded-Content-Length": str(len(content)),
        "X-Amz-Date": seen["X-Amz-Date"],
    }


async def test_an_access_key_alone_stores_nothing(real: RealHarness, seen: dict[str, str]) -> None:
    content = b"forged"
    query = f"X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={seen['X-Amz-Credential']}"
    query += f"&X-Amz-Date={seen['X-Amz-Date']}&X-Amz-Expires=60&X-Amz-SignedHeaders=host"
    for signature in ("", f"&X-Amz-Signature={FORGED}"):
        url = f"{real.store.url}/{KEY}?{query}{signature}"
        assert real.upload(url, chunked(content), headers(seen, content)) in (400, 403)
    assert await real.store.get(KEY) == b"the result"


async def test_no_archive_is_unpacked_for_a_forged_signature(
    real: RealHarness, seen: dict[str, str]
) -> None:
    with tarfile.open(fileobj=(archive := io.BytesIO()), mode="w") as tar:
        (entry := tarfile.TarInfo(KEY)).size = len(b"forged")
        tar.addfile(entry, io.BytesIO(b"forged"))
    content = archive.getvalue()
    sent = {**headers(seen, content), "X-Amz-Meta-Snowball-Auto-Extract": "true"}
    signed = ";".join(["host", *sorted(name.lower() for name in sent)])
    authorization = (
        f"AWS4-HMAC-SHA256 Credential={seen['X-Amz-Credential']}, SignedHeaders={signed}, "
        f"Signature={FORGED}"
    )
    url = f"{real.store.url}/any.tar"
    assert real.upload(url, content, {**sent, "Authorization": authorization}) in (400, 403)
    assert await real.store.get(KEY) == b"the result"


async def test_an_upload_url_copies_nothing(real: RealHarness, seen: dict[str, str]) -> None:
    source = f"/{real.store.bucket}/{KEY}"
    given = {"If-None-Match": "*", "X-Amz-Copy-Source": source}
    assert real.upload(seen["url"], b"", given) in (400, 403)
    assert await real.store.get("trials/2/output.log") is None


@pytest.mark.parametrize("scheme", ["x", "AWS4-HMAC-SHA256", "AWS key:signature,", "Bearer x"])
async def test_a_header_that_signs_nothing_lets_nothing_pass(
    real: RealHarness, seen: dict[str, str], scheme: str
) -> None:
    """The store goes by the URL where it does not know the header, so the filter may not."""
    source = f"/{real.store.bucket}/{KEY}"
    signed = "SignedHeaders=host;if-none-match;x-amz-copy-source"
    given = {"If-None-Match": "*", "X-Amz-Copy-Source": source}
    given["Authorization"] = f"{scheme} {signed}"
    assert real.upload(seen["url"], b"", given) in (400, 403)
    assert await real.store.get("trials/2/output.log") is None


async def test_an_upload_url_makes_nothing_unreadable(
    real: RealHarness, seen: dict[str, str]
) -> None:
    names = ("Sealed-Key", "Seal-Algorithm", "Iv")
    as_replica = {f"X-Minio-Replication-Server-Side-Encryption-{name}": "forged" for name in names}
    real.upload(seen["url"], b"text", {"If-None-Match": "*", **as_replica})
    assert await real.store.get("trials/2/output.log") in (None, b"text")

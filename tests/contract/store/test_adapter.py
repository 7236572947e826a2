"""What only the real adapter does: its settings, its credentials, and whose fault an error is."""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Conflict, Rejected, Unavailable
from tests.contract.store.harness import QUICK, RealHarness
from tests.support.daemon import free_port
from tests.support.stores import Program


async def test_check_leaves_nothing_behind(real: RealHarness) -> None:
    await real.store.check()

    assert await real.store.list("") == []


async def test_check_refuses_a_store_that_overwrites(
    real: RealHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some stores pay no attention to If-None-Match.
    monkeypatch.setattr(real.store, "put_if_absent", real.store.put)

    with pytest.raises(Rejected, match="stored 4 objects under one key"):
        await real.store.check()

    assert await real.store.list("") == []


async def test_check_refuses_a_store_that_looks_before_it_writes(
    real: RealHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def look_and_write(key: str, content: bytes, content_type: str) -> None:
        if await real.store.get(key) is not None:
            raise Conflict(key)
        await real.store.put(key, content, content_type)

    monkeypatch.setattr(real.store, "put_if_absent", look_and_write)
    await look_and_write("alone", b"", "text/plain")
    with pytest.raises(Conflict):
        await look_and_write("alone", b"", "text/plain")

    with pytest.raises(Rejected, match=r"stored [2-4] objects under one key"):
        await real.store.check()


async def test_check_refuses_a_store_that_refuses_uploads_by_url(
    real: RealHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As behind a proxy that changes a header which the URL signs.
    monkeypatch.setattr("encbench.wire.upload.HEADERS", {"If-None-Match": "other"})

    with pytest.raises(Unavailable, match=r"answered 403 \w+ to an upload by a presigned URL"):
        await real.store.check()

    assert await real.store.list("") == []


async def test_a_missing_bucket_is_for_a_person_to_create(real: RealHarness) -> None:
    with pytest.raises(Unavailable, match="NoSuchBucket"):
        await real.with_(bucket="there-is-none").get("key")


async def test_a_bucket_name_that_s3_refuses_is_rejected(real: RealHarness) -> None:
    with pytest.raises(Rejected, match="Invalid bucket name"):
        await real.with_(bucket="not a bucket").ensure_bucket()


async def test_wrong_credentials_are_for_a_person_to_correct(
    real: RealHarness, tmp_path: Path
) -> None:
    (tmp_path / "access-key").write_text("nobody")
    (tmp_path / "secret-key").write_text("nothing1")

    with pytest.raises(Unavailable, match="InvalidAccessKeyId"):
        await real.with_(credentials=tmp_path).get("key")


async def test_missing_credentials_name_the_file(real: RealHarness, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="access-key: No such file"):
        await real.with_(credentials=tmp_path).get("key")


async def test_rotated_credentials_are_picked_up(real: RealHarness, tmp_path: Path) -> None:
    (tmp_path / "access-key").write_text("nobody")
    (tmp_path / "secret-key").write_text("nothing1")
    store = real.with_(credentials=tmp_path)
    with pytest.raises(Unavailable):
        await store.get("key")

    shutil.copytree(real.server.credentials, tmp_path, dirs_exist_ok=True)

    assert await store.get("key") is None


async def test_a_trailing_newline_is_no_part_of_a_credential(
    real: RealHarness, tmp_path: Path
) -> None:
    for name in ("access-key", "secret-key"):
        (tmp_path / name).write_text((real.server.credentials / name).read_text() + "\n")

    assert await real.with_(credentials=tmp_path).get("key") is None


async def test_presigned_urls_name_the_external_endpoint(real: RealHarness) -> None:
    outside = real.server.url.replace("127.0.0.1", "localhost")
    store = real.with_(external_endpoint=outside)

    url = await store.presign_put("key", 60)

    assert url.startswith(f"{outside}/")
    header = {"If-None-Match": "*"}
    assert await asyncio.to_thread(real.upload, url, b"text", header) == 200
    assert await store.get("key") == b"text"


async def test_more_keys_than_one_request_takes(real: RealHarness) -> None:
    keys = [f"many/{n:04}" for n in range(1001)]
    await asyncio.gather(*(real.store.put(key, b"", "text/plain") for key in keys))

    assert await real.store.list("many/") == keys
    await real.store.delete(keys)
    assert await real.store.list("many/") == []


async def _once_initialised(store: ObjectStore) -> bytes | None:
    """A store may listen and say that it is live before it answers requests for objects."""
    for _ in range(50):
        with suppress(Unavailable):
            return await store.get("key")
        await asyncio.sleep(0.2)
    return await store.get("key")


async def test_it_goes_on_when_the_store_is_back(program: Program, tmp_path: Path) -> None:
    port = free_port()
    with program.running(tmp_path, port) as server:
        store = ObjectStore(
            endpoint=server.url,
            bucket="encbench",
            region="us-east-1",
            credentials=server.credentials,
            limits=QUICK,
        )
        await store.ensure_bucket()
        await store.put_if_absent("key", b"text", "text/plain")
    with pytest.raises(Unavailable, match="cannot be reached"):
        await store.get("key")
    with program.running(tmp_path, port):
        assert await _once_initialised(store) == b"text"
        await store.put_if_absent("key", b"text", "text/plain")

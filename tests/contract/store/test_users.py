"""The store's users on a real MinIO: what each may do, and that root is neither."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from encbench.adapters.minio import MinioAdmin
from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Unavailable
from encbench.sidecars.storeusers.__main__ import main, make
from tests.contract.store.harness import QUICK
from tests.support.kube import wait_for
from tests.support.minio import Minio

BUCKET = "users"


@pytest.fixture
def folders(minio: Minio, tmp_path: Path) -> Iterator[Path]:
    """A folder of credentials for each user, with the sidecar at work."""
    for user in ("operator", "analyst"):
        (tmp_path / user).mkdir()
        (tmp_path / user / "access-key").write_text(f"{user}-{secrets.token_hex(4)}")
        (tmp_path / user / "secret-key").write_text(secrets.token_hex(20) + "\n")
    words = [f"--{user}={tmp_path / user}" for user in ("operator", "analyst")]
    words += [f"--root={minio.credentials}", f"--made={tmp_path / 'made'}"]
    stop = Event()
    arguments = [f"--endpoint={minio.url}", f"--bucket={BUCKET}", *words]
    worker = Thread(target=main, args=(stop, arguments))
    worker.start()
    wait_for("the users", (tmp_path / "made").exists, 20)
    yield tmp_path
    stop.set()
    worker.join(10)
    assert not worker.is_alive()


def store(minio: Minio, credentials: Path, bucket: str = BUCKET) -> ObjectStore:
    return ObjectStore(
        endpoint=minio.url, bucket=bucket, region="us-east-1", credentials=credentials, limits=QUICK
    )


async def test_the_operator_does_with_its_bucket_what_it_needs(minio: Minio, folders: Path) -> None:
    own = store(minio, folders / "operator")
    await own.ensure_bucket()
    await own.ensure_bucket()
    await own.check()
    await own.put("a/b", b"text", "text/plain")
    assert await own.list("a/") == ["a/b"]
    await own.abort_uploads("a/")
    await own.delete(["a/b"])
    assert await own.get("a/b") is None


async def test_the_operator_reaches_no_other_bucket(minio: Minio, folders: Path) -> None:
    await store(minio, minio.credentials, "payroll").ensure_bucket()
    await store(minio, minio.credentials, "payroll").put("key", b"text", "text/plain")
    for user in ("operator", "analyst"):
        with pytest.raises(Unavailable, match="AccessDenied"):
            await store(minio, folders / user, "payroll").get("key")
        with pytest.raises(Unavailable, match="403"):
            await store(minio, folders / user, "fresh").ensure_bucket()


async def test_analysts_read_and_change_nothing(minio: Minio, folders: Path) -> None:
    await store(minio, folders / "operator").ensure_bucket()
    await store(minio, folders / "operator").put("report", b"text", "text/plain")
    reader = store(minio, folders / "analyst")
    assert await reader.list("") == ["report"]
    assert await reader.get("report") == b"text"
    with pytest.raises(Unavailable, match="AccessDenied"):
        await reader.put("report", b"forged", "text/plain")
    with pytest.raises(Unavailable, match="AccessDenied"):
        await reader.put_if_absent("other", b"", "text/plain")
    with pytest.raises(Unavailable, match="AccessDenied"):
        await reader.delete(["report"])
    assert await reader.get("report") == b"text"


@pytest.mark.parametrize("user", ["operator", "analyst"])
def test_no_user_is_an_administrator(minio: Minio, folders: Path, user: str) -> None:
    login = [(folders / user / name).read_text().strip() for name in ("access-key", "secret-key")]
    with pytest.raises(Unavailable, match="403"):
        MinioAdmin(minio.url, *login).put_user("another", "password-of-it")


async def test_passwords_may_change(minio: Minio, folders: Path) -> None:
    root = [(minio.credentials / name).read_text() for name in ("access-key", "secret-key")]
    (folders / "operator" / "secret-key").write_text(secrets.token_hex(20))
    with pytest.raises(Unavailable, match="SignatureDoesNotMatch"):
        await store(minio, folders / "operator").list("")
    logins = [
        ((folders / user / "access-key").read_text(), (folders / user / "secret-key").read_text())
        for user in ("operator", "analyst")
    ]
    make(minio.url, BUCKET, (root[0], root[1]), *[(a, b.strip()) for a, b in logins])
    await store(minio, folders / "operator").ensure_bucket()

"""The users of real stores, made as an administrator makes them: what each may do."""

import secrets
from pathlib import Path

import pytest

from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Unavailable
from tests.contract.store.harness import QUICK
from tests.support.s3 import S3Server, login, write_login
from tests.support.stores import Program

BUCKET = "users"


@pytest.fixture
def folders(program: Program, server: S3Server, tmp_path: Path) -> Path:
    """A folder of credentials for each user."""
    for user in ("operator", "analyst"):
        write_login(tmp_path / user, f"{user}-{secrets.token_hex(4)}", secrets.token_hex(20))
    program.make_users(server, BUCKET, login(tmp_path / "operator"), login(tmp_path / "analyst"))
    return tmp_path


def store(server: S3Server, credentials: Path, bucket: str = BUCKET) -> ObjectStore:
    return ObjectStore(
        endpoint=server.url,
        bucket=bucket,
        region="us-east-1",
        credentials=credentials,
        limits=QUICK,
    )


async def test_the_operator_does_with_its_bucket_what_it_needs(
    server: S3Server, folders: Path
) -> None:
    own = store(server, folders / "operator")
    await own.ensure_bucket()
    await own.ensure_bucket()
    await own.check()
    await own.put("a/b", b"text", "text/plain")
    assert await own.list("a/") == ["a/b"]
    await own.delete(["a/b"])
    assert await own.get("a/b") is None


async def test_the_operator_reaches_no_other_bucket(server: S3Server, folders: Path) -> None:
    await store(server, server.credentials, "payroll").ensure_bucket()
    await store(server, server.credentials, "payroll").put("key", b"text", "text/plain")
    for user in ("operator", "analyst"):
        with pytest.raises(Unavailable, match="AccessDenied"):
            await store(server, folders / user, "payroll").get("key")
        with pytest.raises(Unavailable, match="403"):
            await store(server, folders / user, "fresh").ensure_bucket()


async def test_analysts_read_and_change_nothing(server: S3Server, folders: Path) -> None:
    await store(server, folders / "operator").ensure_bucket()
    await store(server, folders / "operator").put("report", b"text", "text/plain")
    reader = store(server, folders / "analyst")
    assert await reader.list("") == ["report"]
    assert await reader.get("report") == b"text"
    with pytest.raises(Unavailable, match="AccessDenied"):
        await reader.put("report", b"forged", "text/plain")
    with pytest.raises(Unavailable, match="AccessDenied"):
        await reader.put_if_absent("other", b"", "text/plain")
    with pytest.raises(Unavailable, match="AccessDenied"):
        await reader.delete(["report"])
    assert await reader.get("report") == b"text"


async def test_no_user_changes_who_may_do_what(server: S3Server, folders: Path) -> None:
    await store(server, folders / "operator").ensure_bucket()
    everything = '{"Version": "2012-10-17", "Statement": []}'
    for user in ("operator", "analyst"):
        client = server.client(login(folders / user))
        with pytest.raises(client.exceptions.ClientError, match="AccessDenied"):
            client.put_bucket_policy(Bucket=BUCKET, Policy=everything)


async def test_passwords_may_change(program: Program, server: S3Server, folders: Path) -> None:
    own = store(server, folders / "operator")
    await own.ensure_bucket()
    write_login(folders / "operator", login(folders / "operator")[0], secrets.token_hex(20))
    with pytest.raises(Unavailable, match="SignatureDoesNotMatch"):
        await own.list("")
    program.make_users(server, BUCKET, login(folders / "operator"), login(folders / "analyst"))
    await own.list("")

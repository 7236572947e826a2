"""Results that not even the operator can delete: versions and object lock of a real MinIO."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore import session
from botocore.exceptions import ClientError

from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Conflict
from encbench.sidecars.storeusers.__main__ import make
from tests.contract.store.harness import QUICK
from tests.support.minio import Minio, running_minio

OPERATOR = ("the-operator", "password-of-the-operator")
ANALYST = ("an-analyst", "password-of-the-analyst")
LOCKED, VERSIONED = "locked", "versioned"


@pytest.fixture(scope="module")
def own_minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Minio]:
    """Of its own, because root cannot delete what is locked either."""
    with running_minio(tmp_path_factory.mktemp("locked")) as server:
        yield server


def client(minio: Minio, user: tuple[str, str]) -> Any:
    return session.get_session().create_client(
        "s3",
        endpoint_url=minio.url,
        region_name="us-east-1",
        aws_access_key_id=user[0],
        aws_secret_access_key=user[1],
    )


@pytest.fixture(scope="module")
def root(own_minio: Minio) -> Any:
    """The administrator, who has made both buckets as docs/security.md says."""
    keys = [(own_minio.credentials / name).read_text() for name in ("access-key", "secret-key")]
    root = client(own_minio, (keys[0], keys[1]))
    root.create_bucket(Bucket=VERSIONED)
    root.put_bucket_versioning(Bucket=VERSIONED, VersioningConfiguration={"Status": "Enabled"})
    root.create_bucket(Bucket=LOCKED, ObjectLockEnabledForBucket=True)
    root.put_object_lock_configuration(
        Bucket=LOCKED,
        ObjectLockConfiguration={
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 1}},
        },
    )
    return root


@pytest.fixture(params=[VERSIONED, LOCKED])
def bucket(request: pytest.FixtureRequest, own_minio: Minio, root: Any) -> str:
    """The bucket of the operator's user, who is no root."""
    keys = [(own_minio.credentials / name).read_text() for name in ("access-key", "secret-key")]
    make(own_minio.url, request.param, (keys[0], keys[1]), OPERATOR, ANALYST)
    assert root.list_buckets()["Buckets"]
    return str(request.param)


@pytest.fixture
def store(own_minio: Minio, bucket: str, tmp_path: Path) -> ObjectStore:
    for name, text in zip(("access-key", "secret-key"), OPERATOR, strict=True):
        (tmp_path / name).write_text(text)
    return ObjectStore(
        endpoint=own_minio.url,
        bucket=bucket,
        region="us-east-1",
        credentials=tmp_path,
        limits=QUICK,
    )


async def test_the_operator_works_as_in_any_bucket(store: ObjectStore) -> None:
    await store.ensure_bucket()
    await store.check()
    await store.put_if_absent("trials/1/trial.json", b"first", "application/json")
    with pytest.raises(Conflict):
        await store.put_if_absent("trials/1/trial.json", b"second", "application/json")
    await store.put("unfinished", b"text", "text/plain")
    await store.delete(["unfinished"])
    assert await store.get("unfinished") is None
    assert "unfinished" not in await store.list("")
    await store.abort_uploads("trials/")


async def test_what_the_operator_deletes_can_be_brought_back(
    store: ObjectStore, own_minio: Minio, root: Any
) -> None:
    await store.put_if_absent("report.json", b"the result", "application/json")
    await store.delete(["report.json"])
    (version,) = root.list_object_versions(Bucket=store.bucket, Prefix="report.json")["Versions"]
    mine = client(own_minio, OPERATOR)
    with pytest.raises(ClientError, match="AccessDenied"):
        mine.delete_object(Bucket=store.bucket, Key="report.json", VersionId=version["VersionId"])
    found = root.get_object(Bucket=store.bucket, Key="report.json", VersionId=version["VersionId"])
    assert found["Body"].read() == b"the result"


@pytest.mark.parametrize("bucket", [LOCKED], indirect=True)
async def test_what_is_locked_cannot_even_be_deleted_by_root(store: ObjectStore, root: Any) -> None:
    await store.put_if_absent("kept.json", b"the result", "application/json")
    (version,) = root.list_object_versions(Bucket=LOCKED, Prefix="kept.json")["Versions"]
    with pytest.raises(ClientError, match=r"WORM|AccessDenied|ObjectLocked"):
        root.delete_object(Bucket=LOCKED, Key="kept.json", VersionId=version["VersionId"])


def test_the_operator_may_not_change_either(own_minio: Minio, bucket: str) -> None:
    mine = client(own_minio, OPERATOR)
    with pytest.raises(ClientError, match="AccessDenied"):
        mine.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
    with pytest.raises(ClientError, match="AccessDenied"):
        mine.put_object_lock_configuration(
            Bucket=bucket, ObjectLockConfiguration={"ObjectLockEnabled": "Enabled"}
        )

"""Results that not even the operator can delete: versions and object lock of real stores."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Conflict
from tests.contract.store.harness import QUICK
from tests.support.s3 import S3Server, write_login
from tests.support.stores import Program

OPERATOR = ("the-operator", "password-of-the-operator")
ANALYST = ("an-analyst", "password-of-the-analyst")


def versioned(root: Any, bucket: str) -> None:
    """A bucket as docs/security.md says."""
    root.create_bucket(Bucket=bucket)
    root.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})


def locked(root: Any, bucket: str) -> None:
    root.create_bucket(Bucket=bucket, ObjectLockEnabledForBucket=True)
    root.put_object_lock_configuration(
        Bucket=bucket,
        ObjectLockConfiguration={
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 1}},
        },
    )


@pytest.fixture(params=[versioned, locked])
def made(request: pytest.FixtureRequest) -> Callable[[Any, str], None]:
    """How the administrator makes the bucket."""
    chosen: Callable[[Any, str], None] = request.param
    return chosen


@pytest.fixture
def root(server: S3Server) -> Any:
    """A client of the administrator."""
    return server.client()


@pytest.fixture
def store(
    program: Program, server: S3Server, root: Any, made: Callable[[Any, str], None], tmp_path: Path
) -> ObjectStore:
    """A new bucket, with the credentials of the operator's user, who is no root."""
    bucket = f"{made.__name__}-{secrets.token_hex(4)}"
    made(root, bucket)
    program.make_users(server, bucket, OPERATOR, ANALYST)
    return ObjectStore(
        endpoint=server.url,
        bucket=bucket,
        region="us-east-1",
        credentials=write_login(tmp_path, *OPERATOR),
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


async def test_what_the_operator_deletes_can_be_brought_back(
    store: ObjectStore, server: S3Server, root: Any
) -> None:
    await store.put_if_absent("report.json", b"the result", "application/json")
    await store.delete(["report.json"])
    (version,) = root.list_object_versions(Bucket=store.bucket, Prefix="report.json")["Versions"]
    mine = server.client(OPERATOR)
    with pytest.raises(ClientError, match="AccessDenied"):
        mine.delete_object(Bucket=store.bucket, Key="report.json", VersionId=version["VersionId"])
    found = root.get_object(Bucket=store.bucket, Key="report.json", VersionId=version["VersionId"])
    assert found["Body"].read() == b"the result"


@pytest.mark.parametrize("made", [versioned], indirect=True)
async def test_a_list_of_versions_is_no_way_around(
    store: ObjectStore, server: S3Server, root: Any
) -> None:
    await store.put_if_absent("report.json", b"the result", "application/json")
    (version,) = root.list_object_versions(Bucket=store.bucket, Prefix="report.json")["Versions"]
    one = {"Key": "report.json", "VersionId": version["VersionId"]}
    answer = server.client(OPERATOR).delete_objects(Bucket=store.bucket, Delete={"Objects": [one]})
    assert [error["Code"] for error in answer.get("Errors", ())] == ["AccessDenied"]
    assert await store.get("report.json") == b"the result"


@pytest.mark.parametrize("made", [locked], indirect=True)
async def test_what_is_locked_cannot_even_be_deleted_by_root(store: ObjectStore, root: Any) -> None:
    await store.put_if_absent("kept.json", b"the result", "application/json")
    (version,) = root.list_object_versions(Bucket=store.bucket, Prefix="kept.json")["Versions"]
    with pytest.raises(ClientError, match=r"WORM|AccessDenied|ObjectLocked"):
        root.delete_object(Bucket=store.bucket, Key="kept.json", VersionId=version["VersionId"])


def test_the_operator_may_not_change_either(server: S3Server, store: ObjectStore) -> None:
    mine = server.client(OPERATOR)
    with pytest.raises(ClientError, match="AccessDenied"):
        mine.put_bucket_versioning(
            Bucket=store.bucket, VersioningConfiguration={"Status": "Suspended"}
        )
    with pytest.raises(ClientError, match="AccessDenied"):
        mine.put_object_lock_configuration(
            Bucket=store.bucket, ObjectLockConfiguration={"ObjectLockEnabled": "Enabled"}
        )

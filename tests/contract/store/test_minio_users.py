"""The container beside the bundled MinIO, which makes its users."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from encbench.adapters.minio import MinioAdmin
from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Unavailable
from encbench.sidecars.storeusers.__main__ import main
from tests.contract.store.conftest import Servers
from tests.contract.store.harness import QUICK
from tests.support.kube import wait_for
from tests.support.s3 import S3Server, login, write_login

BUCKET = "sidecar"


@pytest.fixture
def minio(servers: Servers) -> S3Server:
    return servers("minio")


@pytest.fixture
def folders(minio: S3Server, tmp_path: Path) -> Iterator[Path]:
    """A folder of credentials for each user, with the container's program at work."""
    for user in ("operator", "analyst"):
        write_login(tmp_path / user, f"{user}-{secrets.token_hex(4)}", secrets.token_hex(20) + "\n")
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


async def test_the_users_are_there(minio: S3Server, folders: Path) -> None:
    for user in ("operator", "analyst"):
        store = ObjectStore(
            endpoint=minio.url,
            bucket=BUCKET,
            region="us-east-1",
            credentials=folders / user,
            limits=QUICK,
        )
        await store.ensure_bucket()
        assert await store.list("") == []


@pytest.mark.parametrize("user", ["operator", "analyst"])
def test_no_user_is_an_administrator(minio: S3Server, folders: Path, user: str) -> None:
    with pytest.raises(Unavailable, match="403"):
        MinioAdmin(minio.url, *login(folders / user)).put_user("another", "password-of-it")

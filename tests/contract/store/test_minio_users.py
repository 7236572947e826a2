"""The container beside the bundled MinIO, which makes its users."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote, urlsplit

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from encbench.adapters.minio import MinioAdmin
from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Unavailable
from encbench.sidecars.storeusers import __main__ as program
from tests.contract.store.harness import QUICK, Servers
from tests.support.kube import wait_for
from tests.support.s3 import S3Server, login, write_login

BUCKET = "sidecar"


@pytest.fixture
def minio(servers: Servers) -> S3Server:
    return servers("minio")


@pytest.fixture
def folders(minio: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of credentials for each user, with the container's program at work, in a hurry."""
    monkeypatch.setattr(program, "LOOK_AGAIN", 0.2)
    monkeypatch.setattr(program, "LINGER", 600.0)
    for user in ("operator", "analyst"):
        write_login(tmp_path / user, f"{user}-{secrets.token_hex(4)}", secrets.token_hex(20) + "\n")
    write_login(tmp_path / "root", *minio.root)
    words = [f"--{user}={tmp_path / user}" for user in ("root", "operator", "analyst")]
    words.append(f"--made={tmp_path / 'made'}")
    stop = Event()
    arguments = [f"--endpoint={minio.url}", f"--bucket={BUCKET}", *words]
    worker = Thread(target=program.main, args=(stop, arguments))
    worker.start()
    wait_for("the users", (tmp_path / "made").exists, 60)
    yield tmp_path
    stop.set()
    worker.join(30)
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


async def test_nobody_acts_as_another_by_naming_them_in_the_url(
    minio: S3Server, folders: Path
) -> None:
    """Every upload URL shows the operator's access key; an analyst signs with their own."""
    owner, reader = login(folders / "operator"), login(folders / "analyst")
    own = minio.client(owner)
    await ObjectStore(
        endpoint=minio.url,
        bucket=BUCKET,
        region="us-east-1",
        credentials=folders / "operator",
        limits=QUICK,
    ).ensure_bucket()
    own.put_object(Bucket=BUCKET, Key="result", Body=b"measured")
    today = f"{datetime.now(UTC):%Y%m%d}"
    claimed = quote(f"{owner[0]}/{today}/us-east-1/s3/aws4_request", safe="")
    for query in ("", f"?X-Amz-Credential={claimed}"):
        request = AWSRequest(method="DELETE", url=f"{minio.url}/{BUCKET}/result{query}")
        request.headers["X-Amz-Content-SHA256"] = sha256(b"").hexdigest()
        S3SigV4Auth(Credentials(*reader), "s3", "us-east-1").add_auth(request)
        connection = HTTPConnection(urlsplit(minio.url).netloc, timeout=10)
        connection.request("DELETE", f"/{BUCKET}/result{query}", headers=dict(request.headers))
        assert connection.getresponse().status in (400, 403)
        connection.close()
    assert own.get_object(Bucket=BUCKET, Key="result")["Body"].read() == b"measured"


@pytest.mark.parametrize("user", ["operator", "analyst"])
def test_no_user_is_an_administrator(minio: S3Server, folders: Path, user: str) -> None:
    with pytest.raises(Unavailable, match="403"):
        MinioAdmin(minio.url, *login(folders / user)).put_user("another", "password-of-it")


@pytest.mark.parametrize("user", ["operator", "analyst"])
def test_a_replaced_login_ends_after_a_while_and_no_other(
    minio: S3Server, folders: Path, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_hand, before = (f"hand-{secrets.token_hex(4)}", secrets.token_hex(20)), login(folders / user)
    MinioAdmin(minio.url, *minio.root).put_user(*by_hand)
    after = (f"new-{secrets.token_hex(4)}", secrets.token_hex(20))
    write_login(folders / user, *after)
    wait_for("the new login", lambda: is_known(minio, after), 30, every=0.1)
    assert is_known(minio, before), "the operator may not have heard of the new one yet"
    monkeypatch.setattr(program, "LINGER", 0.0)
    wait_for("the end of the old one", lambda: not is_known(minio, before), 30)
    rest = {name: login(folders / name) for name in ("operator", "analyst")}
    for keys in (*rest.values(), by_hand, minio.root):
        assert is_known(minio, keys)


def test_other_logins_arrive_although_roots_has_changed(minio: S3Server, folders: Path) -> None:
    """MinIO reads root's only when it starts."""
    write_login(folders / "root", minio.root[0], secrets.token_hex(20))
    after = (f"new-{secrets.token_hex(4)}", secrets.token_hex(20))
    write_login(folders / "operator", *after)
    wait_for("the new login", lambda: is_known(minio, after), 30, every=0.1)


def test_one_login_for_both_users_is_refused(
    minio: S3Server, folders: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The later user's policy would replace the earlier one's, and nothing could be stored."""
    before = login(folders / "operator")
    write_login(folders / "operator", *login(folders / "analyst"))
    wait_for("the refusal", lambda: "have one access key" in caplog.text, 30, every=0.1)
    assert is_known(minio, before)


def is_known(minio: S3Server, keys: tuple[str, str]) -> bool:
    """Whether the server has a user with this login, whatever it may do."""
    try:
        minio.client(keys).list_buckets()
    except ClientError as error:
        return bool(error.response["Error"]["Code"] == "AccessDenied")
    return True

"""A store whose certificate is by a company's own CA: the operator and its clients reach it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from encbench.adapters.objectstore import ObjectStore
from encbench.ports import Rejected, Unavailable
from encbench.sidecars.recorder.upload import UploadRefused, put
from tests.contract.store.harness import QUICK
from tests.support import certified
from tests.support.s3 import S3Server
from tests.support.stores import PROGRAMS


@pytest.fixture(scope="module", params=PROGRAMS)
def secure(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[S3Server]:
    folder = tmp_path_factory.mktemp("secure")
    with PROGRAMS[request.param].running(folder, certified_by=certified.issued()) as server:
        yield server


def store(server: S3Server, ca_file: Path | None, endpoint: str | None = None) -> ObjectStore:
    return ObjectStore(
        endpoint=endpoint or server.url,
        bucket="results",
        region="us-east-1",
        credentials=server.credentials,
        ca_file=ca_file,
        limits=QUICK,
    )


async def test_the_operator_trusts_the_ca_that_it_is_given(
    secure: S3Server, tmp_path: Path
) -> None:
    own = store(secure, secure.ca_file)
    await own.ensure_bucket()
    await own.check()
    for ca_file in (None, tmp_path / "another"):
        (tmp_path / "another").write_text(certified.authority("another").certificate)
        with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
            await store(secure, ca_file).get("key")


@pytest.mark.parametrize("program", PROGRAMS)
async def test_a_certificate_with_another_name_is_not_put_down_to_its_ca(
    program: str, tmp_path: Path
) -> None:
    (tmp_path / "output.log").write_bytes(b"text")
    by_address = certified.issued(hosts=["127.0.0.1"])
    with PROGRAMS[program].running(tmp_path / "store", certified_by=by_address) as server:
        own = store(server, server.ca_file, server.url.replace("127.0.0.1", "localhost"))
        with pytest.raises(Unavailable, match="is not for this address"):
            await own.get("key")
        url = await own.presign_put("key", 60)
        with pytest.raises(UploadRefused, match="is not for this address"):
            await asyncio.to_thread(put, url, tmp_path / "output.log", own.authority())


@pytest.mark.parametrize("end", ["", "/"])
async def test_a_client_is_given_the_ca_and_the_bucket(
    secure: S3Server, tmp_path: Path, end: str
) -> None:
    (tmp_path / "output.log").write_bytes(b"text")
    own, key = store(secure, secure.ca_file, f"{secure.url}{end}"), f"trials/{len(end)}/output.log"
    await own.ensure_bucket()
    url = await own.presign_put(key, 60)
    assert url.startswith(f"{own.url}/trials/"), "as the recorder checks it"
    with pytest.raises(UploadRefused, match="not trusted"):
        await asyncio.to_thread(put, url, tmp_path / "output.log")
    await asyncio.to_thread(put, url, tmp_path / "output.log", own.authority())
    assert await own.get(key) == b"text"


async def test_what_clients_cannot_be_given_is_refused(secure: S3Server, tmp_path: Path) -> None:
    assert store(secure, None).authority() is None
    file = tmp_path / "ca.crt"
    with pytest.raises(Unavailable, match="No such file"):
        store(secure, file).authority()
    own = certified.authority().certificate
    file.write_text(f"# Compañía\n{own}\nPrivate text\n{own}")
    assert store(secure, file).authority() == own.strip() + "\n" + own.strip() + "\n"
    for text in ("", "no certificate", own * 200):
        file.write_text(text)
        with pytest.raises(Rejected, match="write only the CA that certified the store"):
            store(secure, file).authority()

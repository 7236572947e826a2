"""A real MinIO, and its fake."""

import uuid
from collections.abc import Iterator

import pytest

from tests.contract.store.harness import FakeHarness, Harness, MinioHarness
from tests.support.daemon import free_port
from tests.support.minio import Minio, running_minio


@pytest.fixture(scope="session")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Minio]:
    with running_minio(tmp_path_factory.mktemp("minio")) as server:
        yield server


@pytest.fixture
async def real(minio: Minio) -> MinioHarness:
    """The real adapter with a fresh bucket."""
    nobody = f"http://127.0.0.1:{free_port()}"
    harness = MinioHarness(minio, f"contract-{uuid.uuid4().hex[:12]}", nobody)
    await harness.store.ensure_bucket()
    return harness


@pytest.fixture(params=["fake", "minio"])
def harness(request: pytest.FixtureRequest) -> Harness:
    if request.param == "fake":
        return FakeHarness()
    real: MinioHarness = request.getfixturevalue("real")
    return real

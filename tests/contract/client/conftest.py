"""Both implementations of the port, and a real database with a dataset for the real tool."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.contract.client.harness import Harness, fake, real
from tests.contract.client.sysbench import Bench
from tests.support import debian
from tests.support.mariadb import running
from tests.support.receiver import Receiver, receiving
from tests.support.testbeds import PLAINTEXT


@pytest.fixture(params=["fake", "real"])
async def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Harness]:
    """A client, fake and real, whose tool is not there yet."""
    async with fake() if request.param == "fake" else real(tmp_path / "pod") as one:
        yield one


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An object store as far as a recorder sees one."""
    with receiving(Receiver()) as running_receiver:
        yield running_receiver


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A MariaDB with a loaded dataset."""
    debian.install("sysbench")
    with running(PLAINTEXT) as server:
        one = Bench(server, tmp_path_factory.mktemp("client"))
        assert one.load() == (0, ""), "the dataset could not be loaded"
        yield one

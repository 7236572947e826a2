"""Real stores, and their fake."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from botocore.loaders import create_loader

from tests.contract.store.harness import FakeHarness, Harness, RealHarness, Servers, new_bucket
from tests.support.daemon import free_port
from tests.support.s3 import S3Server
from tests.support.stores import PROGRAMS, Program


@pytest.fixture(scope="session", autouse=True)
def models() -> Iterator[None]:
    """The models of botocore are read once: for each client that is most of a test's time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("botocore.session.create_loader", cache(create_loader))
        yield


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """A real store by the name of its program, started when it is first asked for."""
    with ExitStack() as stack:

        @cache
        def server(name: str) -> S3Server:
            running = PROGRAMS[name].running(tmp_path_factory.mktemp(name))
            return stack.enter_context(running)

        yield server


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> Program:
    """Each store that tests start."""
    return PROGRAMS[request.param]


@pytest.fixture
def server(program: Program, servers: Servers) -> S3Server:
    return servers(program.name)


@pytest.fixture
async def real(server: S3Server) -> RealHarness:
    """The real adapter with a fresh bucket."""
    return await _real(server)


@pytest.fixture(params=["fake", *PROGRAMS])
async def harness(request: pytest.FixtureRequest, servers: Servers) -> Harness:
    return FakeHarness() if request.param == "fake" else await _real(servers(request.param))


async def _real(server: S3Server) -> RealHarness:
    closed = f"http://127.0.0.1:{free_port()}"
    harness = RealHarness(server, new_bucket(), closed)
    await harness.store.ensure_bucket()
    return harness

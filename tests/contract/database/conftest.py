"""Servers that tests share, and both implementations of the port."""

from collections.abc import AsyncIterator, Iterator

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.wire.agent import VolumeRoom
from tests.contract.database.harness import ServedAgent, agent
from tests.contract.database.modes import MODES
from tests.support import sidecars
from tests.support.fake_agent import FakeAgent, FakeServer
from tests.support.mariadb import MariaDB, running
from tests.support.testbeds import PLAINTEXT, TDE


@pytest.fixture(scope="session")
def plaintext_server() -> Iterator[MariaDB]:
    """A server without encryption. Tests leave it as they found it."""
    with running(PLAINTEXT) as server:
        yield server


@pytest.fixture(scope="session")
def tde_server() -> Iterator[MariaDB]:
    """A server with TDE. Tests leave it as they found it."""
    with running(TDE) as server:
        yield server


@pytest.fixture(params=[f"{kind}-{mode}" for kind in ("fake", "real") for mode in MODES])
async def either(request: pytest.FixtureRequest) -> AsyncIterator[ServedAgent]:
    """Fake and real, in each mode."""
    kind, name = request.param.split("-")
    mode = MODES[name]
    if kind == "real":
        async with agent(request.getfixturevalue(f"{name}_server"), mode) as real:
            yield real
        return
    room = VolumeRoom(bytes=10 << 30, freeBytes=9 << 30, files=10_000, freeFiles=9_000)
    in_force = EncryptionModeSpec.model_validate(mode)
    server = FakeServer(token="secret", in_force=in_force, room=room)
    yield ServedAgent(
        FakeAgent({"10.0.0.1:9472": server}), "10.0.0.1:9472", sidecars.access("secret"), mode
    )

"""Real Prometheus servers with known samples, and the fake.

Version 3 changed what a range selector includes, so the adapter is held to servers on either side.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from encbench.adapters.prometheus import Prometheus
from encbench.ports import Metrics
from tests.contract.metrics.samples import SERIES, openmetrics
from tests.support import prometheus
from tests.support.daemon import free_port
from tests.support.fake_metrics import FakeMetrics

SERVERS = {"debian": lambda: prometheus.debian("prometheus"), "current": prometheus.current}


@contextmanager
def _holding_samples(server: str, factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus that holds the samples and scrapes nothing."""
    folder = factory.mktemp("prometheus")
    prometheus.import_openmetrics(openmetrics(), folder)
    with prometheus.running_prometheus(SERVERS[server](), folder) as url:
        yield url


@pytest.fixture(scope="session")
def debian_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _holding_samples("debian", tmp_path_factory) as url:
        yield url


@pytest.fixture(scope="session")
def current_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _holding_samples("current", tmp_path_factory) as url:
        yield url


@pytest.fixture(params=SERVERS)
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest) -> Path:
    """The binary, for a test that starts its own."""
    return SERVERS[request.param]()


@pytest.fixture
async def connect() -> AsyncIterator[Callable[[str], Prometheus]]:
    """Makes adapters that are closed at the end."""
    made: list[Prometheus] = []

    def to(url: str) -> Prometheus:
        made.append(Prometheus(url, timeout=20))
        return made[-1]

    yield to
    for adapter in made:
        await adapter.aclose()


@pytest.fixture(params=["fake", *SERVERS])
def metrics(request: pytest.FixtureRequest, connect: Callable[[str], Prometheus]) -> Metrics:
    if request.param != "fake":
        return connect(request.getfixturevalue(f"{request.param}_url"))
    fake = FakeMetrics()
    for name, labels, samples in SERIES:
        fake.add(name, labels, samples)
    return fake


@pytest.fixture(params=["fake", "prometheus"])
def silent(request: pytest.FixtureRequest, connect: Callable[[str], Prometheus]) -> Metrics:
    """One that does not answer."""
    if request.param == "fake":
        return FakeMetrics(away=True)
    return connect(f"http://127.0.0.1:{free_port()}")

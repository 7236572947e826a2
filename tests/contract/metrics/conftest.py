"""A real Prometheus with known samples, and its fake."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from encbench.adapters.prometheus import Prometheus
from encbench.ports import Metrics
from tests.contract.metrics.samples import SERIES, openmetrics
from tests.support.daemon import free_port
from tests.support.fake_metrics import FakeMetrics
from tests.support.prometheus import import_openmetrics, running_prometheus


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus that holds the samples and scrapes nothing."""
    folder = tmp_path_factory.mktemp("prometheus")
    import_openmetrics(openmetrics(), folder)
    with running_prometheus(folder) as server:
        yield server


@pytest.fixture
async def connect() -> AsyncIterator[Callable[[str], Prometheus]]:
    """Makes adapters that are closed at the end."""
    made: list[Prometheus] = []

    def to(url: str) -> Prometheus:
        made.append(Prometheus(url, timeout=5))
        return made[-1]

    yield to
    for adapter in made:
        await adapter.aclose()


@pytest.fixture(params=["fake", "prometheus"])
def metrics(request: pytest.FixtureRequest, connect: Callable[[str], Prometheus]) -> Metrics:
    if request.param == "prometheus":
        return connect(request.getfixturevalue("url"))
    fake = FakeMetrics()
    for name, labels, samples in SERIES:
        fake.add(name, labels, samples)
    return fake


@pytest.fixture(params=["fake", "prometheus"])
def nobody(request: pytest.FixtureRequest, connect: Callable[[str], Prometheus]) -> Metrics:
    """One that does not answer."""
    if request.param == "fake":
        return FakeMetrics(away=True)
    return connect(f"http://127.0.0.1:{free_port()}")

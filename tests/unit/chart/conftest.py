"""The chart, rendered once for each way to install it."""

import functools

import pytest

from tests.support.chart import Rendered, render
from tests.unit.chart.variants import VARIANTS


@functools.cache
def rendered(variant: str) -> Rendered:
    return render(VARIANTS[variant])


@pytest.fixture(params=VARIANTS)
def any_variant(request: pytest.FixtureRequest) -> Rendered:
    return rendered(request.param)


@pytest.fixture
def default() -> Rendered:
    return rendered("default")


@pytest.fixture
def external() -> Rendered:
    return rendered("external")


@pytest.fixture
def apart() -> Rendered:
    return rendered("apart")


@pytest.fixture
def everything() -> Rendered:
    return rendered("everything")


@pytest.fixture
def volumes() -> Rendered:
    return rendered("volumes")


@pytest.fixture
def namespaces() -> Rendered:
    return rendered("namespaces")

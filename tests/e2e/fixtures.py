"""The fixtures that all folders of tests on a cluster share."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.campaigns import Start, delete_campaign
from tests.e2e.prepared import ready
from tests.support.kube import Kube


@pytest.fixture(scope="session")
def installed() -> Kube:
    """The cluster with the chart installed and the parts applied that every campaign names."""
    return ready()


@pytest.fixture
def start(installed: Kube) -> Iterator[Start]:
    """Apply a campaign and give back its name; it is deleted after the test."""
    started: list[str] = []

    def apply(campaign: dict[str, Any]) -> str:
        name: str = campaign["metadata"]["name"]
        installed.apply(campaign)
        started.append(name)
        return name

    yield apply
    if started:
        delete_campaign(installed, *started)

"""The release goes in the middle of a trial: nothing that is left waits for its operator."""

from collections.abc import Iterator

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import Start
from tests.faults.running import wait_for_running_trial
from tests.support.install import NAMESPACE, install, uninstall
from tests.support.kube import Kube

NAME = "orphan"


@pytest.fixture
def running(installed: Kube, start: Start) -> Iterator[Kube]:
    """A campaign in mid-run; afterwards everything is installed again."""
    start(manifests.campaign(NAME, ["plaintext"], blocks={"min": 3}))
    wait_for_running_trial(installed, NAME)
    try:
        yield installed
    finally:
        install(installed)
        installed.apply(*manifests.parts())


@pytest.mark.full
def test_after_helm_uninstall_a_campaign_can_be_deleted(running: Kube) -> None:
    uninstall(running)
    running.kubectl("delete", "campaign", NAME, "-n", NAMESPACE, "--wait", "--timeout=30s")


@pytest.mark.full
def test_the_namespace_of_the_release_can_be_deleted(running: Kube) -> None:
    running.kubectl("delete", "namespace", NAMESPACE, "--wait", "--timeout=180s")

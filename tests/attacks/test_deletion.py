"""A campaign that is deleted while its store is away goes in bounded time, and keeps no pod."""

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import Start
from tests.faults.running import scale_store, wait_for_running_trial
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

pytestmark = pytest.mark.full

NAME = "abandoned"
LONGEST = 330
"""Seconds: the operator waits 300 for a store (docs/waits.md)."""


def test_it_goes_although_the_store_is_away(installed: Kube, start: Start) -> None:
    start(manifests.campaign(NAME, ["plaintext"], blocks={"min": 3}))
    wait_for_running_trial(installed, NAME)
    scale_store(installed, 0)
    try:
        installed.kubectl("delete", "campaign", NAME, f"--namespace={NAMESPACE}", "--wait=false")
        wait_for(
            "the end of the campaign",
            lambda: installed.get("campaign", NAME, NAMESPACE) is None,
            LONGEST,
        )
        label = f"encbench.io/campaign={NAME}"
        wait_for("the end of its pods", lambda: not installed.list("pods", NAMESPACE, label), 90)
    finally:
        scale_store(installed, 1)

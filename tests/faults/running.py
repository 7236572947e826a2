"""Waiting for a campaign to be at a certain point."""

from typing import Any

from tests.e2e.conftest import conditions
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for


def trials(kube: Kube, campaign: str) -> list[dict[str, Any]]:
    """The trials of a campaign in the order of their creation."""
    found = kube.list("trials", NAMESPACE, f"encbench.io/campaign={campaign}")
    return sorted(found, key=lambda t: (t["metadata"]["creationTimestamp"], t["metadata"]["name"]))


def wait_for_running_trial(kube: Kube, campaign: str) -> dict[str, Any]:
    """A trial whose tool has been released and has not ended."""

    def look() -> dict[str, Any] | None:
        for trial in trials(kube, campaign):
            facts = conditions(trial)
            released = facts.get("Released", {}).get("status") == "True"
            if released and "Measured" not in facts:
                return trial
        return None

    return wait_for("a running trial", look, 240, every=0.3)

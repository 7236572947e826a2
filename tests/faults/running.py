"""Waiting for a campaign to be at a certain point, and taking its store away."""

from typing import Any

from tests.e2e.bucket import SERVICE
from tests.e2e.campaigns import conditions, trials
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for


def with_record(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those whose record is in the bucket."""
    return [trial for trial in found if "artefactKey" in (trial.get("status") or {})]


def wait_for_running_trial(kube: Kube, campaign: str, finished: int = 0) -> dict[str, Any]:
    """A trial whose tool has been released and has not ended, after so many that have finished."""

    def look() -> dict[str, Any] | None:
        found = trials(kube, campaign)
        if len(with_record(found)) < finished:
            return None
        for trial in found:
            facts = conditions(trial)
            released = facts.get("Released", {}).get("status") == "True"
            if released and "Measured" not in facts:
                return trial
        return None

    return wait_for("a running trial", look, 240, every=0.3)


def scale_store(kube: Kube, replicas: int) -> str:
    """Scale the object store and wait until its pods are gone or ready."""
    for kind in ("statefulset", "deployment"):
        if kube.get(kind, SERVICE, NAMESPACE) is not None:
            target = f"{kind}/{SERVICE}"
            kube.kubectl("scale", target, "-n", NAMESPACE, f"--replicas={replicas}")
            if replicas:
                kube.kubectl("rollout", "status", target, "-n", NAMESPACE, "--timeout=120s")
            else:
                wait_for(
                    "the end of the object store",
                    lambda: not kube.list("pods", NAMESPACE, "app.kubernetes.io/component=minio"),
                    60,
                )
            return target
    raise AssertionError(f"there is no {SERVICE}")

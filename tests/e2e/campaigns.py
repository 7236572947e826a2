"""Campaigns that a test has applied: what they say, their trials, their end and deletion."""

from collections.abc import Callable
from typing import Any

from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

Start = Callable[[dict[str, Any]], str]
"""Applies a campaign and gives back its name."""


def delete_campaign(kube: Kube, *names: str) -> None:
    """Delete campaigns and wait until no pod of theirs holds CPU that the next test needs."""
    kube.kubectl(
        "delete",
        "campaign",
        *names,
        f"--namespace={NAMESPACE}",
        "--ignore-not-found",
        "--wait",
        "--timeout=180s",
    )
    theirs = f"encbench.io/campaign in ({','.join(names)})"
    wait_for(
        f"the end of the pods of {', '.join(names)}",
        lambda: not kube.list("pods", NAMESPACE, theirs),
        120,
    )


def conditions(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The conditions of an object by type."""
    return {c["type"]: c for c in (body.get("status") or {}).get("conditions", [])}


def ended(kube: Kube, name: str) -> dict[str, Any] | None:
    """The campaign when it has ended, well or not."""
    body = kube.get("campaign", name, NAMESPACE)
    assert body is not None, f"campaign {name} is gone"
    facts = conditions(body)
    over = any(facts.get(kind, {}).get("status") == "True" for kind in ("Complete", "Failed"))
    return body if over else None


def trials(kube: Kube, campaign: str) -> list[dict[str, Any]]:
    """The trials of a campaign in the order of their creation."""
    found = kube.list("trials", NAMESPACE, f"encbench.io/campaign={campaign}")
    return sorted(found, key=lambda t: (t["metadata"]["creationTimestamp"], t["metadata"]["name"]))


def verified(kube: Kube, name: str) -> None:
    """Nothing behind the campaign's report is lost or altered, and the plugin makes it again."""
    code, said = kube.asked("verify", name, f"--namespace={NAMESPACE}")
    assert code == 0, said

"""Campaigns that are refused: side by side, for each waits some seconds for its parts."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.e2e.campaigns import conditions, delete_campaign
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for


@dataclass(frozen=True)
class Refusal:
    """A campaign that is refused, and what its message has and has not."""

    campaign: dict[str, Any]
    says: tuple[str, ...]
    parts: tuple[dict[str, Any], ...] = ()
    """What the campaign names beside the parts that are there for all."""
    hides: tuple[str, ...] = ()


def refused(kube: Kube, name: str) -> str:
    """The message with which a campaign is not accepted."""

    def look() -> str | None:
        body = kube.get("campaign", name, NAMESPACE)
        fact = conditions(body or {}).get("Accepted", {})
        return str(fact["message"]) if fact.get("status") == "False" else None

    message = wait_for("the refusal", look, 30)
    assert not kube.list("testbeds", NAMESPACE, f"encbench.io/campaign={name}"), "nothing started"
    return message


@contextmanager
def applied(kube: Kube, refusals: Mapping[str, Refusal]) -> Iterator[None]:
    """All of them with their parts, for that long."""
    every = refusals.values()
    kube.apply(*(part for one in every for part in (*one.parts, one.campaign)))
    try:
        yield
    finally:
        delete_campaign(kube, *(one.campaign["metadata"]["name"] for one in every))


def assert_refused(kube: Kube, refusal: Refusal) -> None:
    """Once it is; it was applied."""
    message = refused(kube, refusal.campaign["metadata"]["name"])
    for words in refusal.says:
        assert words in message
    for words in refusal.hides:
        assert words not in message

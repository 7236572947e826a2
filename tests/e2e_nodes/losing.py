"""A node is lost for a while, and what its campaign says meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.e2e.campaigns import conditions
from tests.e2e_nodes.nodes import COUNT
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, join, lose


@contextmanager
def lost(node: str) -> Iterator[None]:
    """A node that is cut off, and boots again in the end."""
    lose(node)
    try:
        yield
    finally:
        join(COUNT)


def named(kube: Kube, campaign: str, node: str) -> dict[str, Any] | None:
    """The campaign, if it says that the node is lost."""
    body = kube.get("campaign", campaign, NAMESPACE)
    assert body is not None
    fact = conditions(body).get("Hindered", {})
    told = fact.get("status") == "True" and fact["reason"] == "NodeLost" and node in fact["message"]
    return body if told else None

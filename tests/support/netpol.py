"""What NetworkPolicies allow, by the rules of the API's documentation.

Source: https://kubernetes.io/docs/concepts/services-networking/network-policies/. Only what the
chart writes is understood; anything else is an error, so that no rule is passed over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

from tests.support.chart import Manifest

NAMESPACE_LABEL = "kubernetes.io/metadata.name"


@dataclass(frozen=True)
class Place:
    """A pod in a namespace, or an address outside of the cluster's pods."""

    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    address: str = ""


def allows(
    policies: Sequence[Manifest], source: Place, target: Place, port: int, protocol: str = "TCP"
) -> bool:
    """Whether `source` may open a connection to that port of `target`."""
    directions = ((source, target, "Egress", "to"), (target, source, "Ingress", "from"))
    return all(
        _passes(policies, own, other, kind, key, (protocol, port))
        for own, other, kind, key in directions
    )


def _passes(
    policies: Iterable[Manifest],
    own: Place,
    other: Place,
    kind: str,
    key: str,
    port: tuple[str, int],
) -> bool:
    applying = [
        one
        for one in policies
        if kind in one["spec"]["policyTypes"]
        and not own.address
        and one["metadata"]["namespace"] == own.namespace
        and _selects(one["spec"]["podSelector"], own.labels)
    ]
    if not applying:
        return True
    return any(
        port in _ports(rule) and _is_peer(rule.get(key), other, own.namespace)
        for one in applying
        for rule in one["spec"].get(kind.lower()) or ()
    )


def _ports(rule: Mapping[str, Any]) -> set[tuple[str, int]]:
    _only(rule, "ports", "from", "to")
    for one in rule["ports"]:
        _only(one, "protocol", "port")
    return {(one["protocol"], one["port"]) for one in rule["ports"]}


def _is_peer(peers: list[Manifest] | None, place: Place, namespace: str) -> bool:
    return peers is None or any(_matches(peer, place, namespace) for peer in peers)


def _matches(peer: Mapping[str, Any], place: Place, namespace: str) -> bool:
    _only(peer, "ipBlock", "namespaceSelector", "podSelector")
    if "ipBlock" in peer:
        _only(peer["ipBlock"], "cidr")
        block = ip_network(peer["ipBlock"]["cidr"])
        return bool(place.address) and ip_address(place.address) in block
    if place.address:
        return False
    if "namespaceSelector" in peer:
        there = _selects(peer["namespaceSelector"], {NAMESPACE_LABEL: place.namespace})
    else:
        there = place.namespace == namespace
    return there and _selects(peer.get("podSelector") or {}, place.labels)


def _selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    _only(selector, "matchLabels", "matchExpressions")
    expressions = selector.get("matchExpressions") or ()
    assert all(one["operator"] == "In" for one in expressions)
    return (selector.get("matchLabels") or {}).items() <= labels.items() and all(
        labels.get(one["key"]) in one["values"] for one in expressions
    )


def _only(rule: Mapping[str, Any], *known: str) -> None:
    assert rule.keys() <= {*known}, f"not understood: {rule.keys() - {*known}}"
